// What compilations keep for each other on disk.
#ifndef AMPC_TOOLS_LIBAMPC_COMPILECACHE_H
#define AMPC_TOOLS_LIBAMPC_COMPILECACHE_H

#include "codegen/cpu/ObjectStore.h"
#include "runtime/core/DiskCache.h"
#include "tools/libampc/Compile.h"

namespace ampc {

/// A plan, and what was warned of when it was compiled.
struct KeptPlan {
  rt::FileBytes bytes;
  std::vector<std::string> warnings;
};

/// The cache of CompileOptions as a compilation sees it.
class CompileCache final : public ObjectStore {
public:
  /// Without this program's own identity nothing is kept: what another build
  /// made would be taken for its work.
  static rt::Expected<CompileCache> open(const CompileOptions &options);

  std::optional<llvm::SmallVector<char, 0>>
  find(llvm::StringRef source) override;
  void store(llvm::ArrayRef<Entry> entries) override;

  /// Name of the plan of `model` compiled with `options`: a hash of everything
  /// it depends on, the program and the processor included. Empty where plans
  /// are not kept: dumps and remarks come from compiling.
  std::string planName(const Model &model, const CompileOptions &options) const;
  std::optional<KeptPlan> findPlan(const std::string &name) const;
  void storePlan(const std::string &name, llvm::ArrayRef<uint8_t> plan,
                 llvm::ArrayRef<std::string> warnings) const;

  /// Whether there is anywhere to keep things.
  bool isOpen() const { return !cache.folder().empty(); }

private:
  CompileCache(rt::DiskCache cache, std::string program)
      : cache(std::move(cache)), program(std::move(program)) {}

  rt::DiskCache cache;
  std::string program; ///< identifies the compiler's code
};

/// The build of this program and of the libraries that compile, told by the
/// linker's build ids; empty where one has none.
std::string programIdentity();

/// What a plan may depend on of this processor: its model, its features, its
/// caches.
std::string processorIdentity();

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_COMPILECACHE_H
