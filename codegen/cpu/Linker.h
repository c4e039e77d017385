// One linker of the process. Private to codegen/cpu and its tests: everyone
// else calls linkShared.
#ifndef AMPC_CODEGEN_CPU_LINKER_H
#define AMPC_CODEGEN_CPU_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace ampc {

/// What one run of a linker came to.
struct LinkOutcome {
  int code = 0;            ///< 0: linked
  bool canRunAgain = true; ///< false after a crash that was caught
};

/// A name under which a linked object exports a function of its inputs.
struct Alias {
  std::string name;
  std::string function;
};

/// Runs a linker that keeps global state: one link at a time, and none after
/// one that left the state broken.
class Linker {
public:
  /// Runs the linker with `arguments` (the program name first), its messages to
  /// the stream.
  using Run = LinkOutcome (*)(llvm::ArrayRef<const char *> arguments,
                              llvm::raw_ostream &messages);

  explicit Linker(Run run) : run(run) {}

  /// Links the bytes of relocatable objects to those of a shared one.
  llvm::Expected<std::vector<uint8_t>>
  link(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
       llvm::ArrayRef<Alias> aliases);

private:
  Run run;
  std::mutex lock;
  bool broken = false; ///< a run left global state that must not be entered
};

} // namespace ampc

#endif // AMPC_CODEGEN_CPU_LINKER_H
