// LLD as a library: relocatable objects to one shared object.
#include "codegen/cpu/Linker.h"

#include "codegen/cpu/CpuSteps.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;
using namespace ampc;

/// A file in memory that holds `bytes`; its descriptor.
static Expected<int> memoryFile(ArrayRef<char> bytes) {
  int fd = memfd_create("kernels.o", MFD_CLOEXEC);
  if (fd < 0)
    return createStringError(std::error_code(errno, std::generic_category()),
                             "cannot make a file in memory for the linker");
  raw_fd_ostream stream(fd, /*shouldClose=*/false, /*unbuffered=*/true);
  stream.write(bytes.data(), bytes.size());
  if (stream.has_error()) {
    std::error_code code = stream.error();
    stream.clear_error(); // one left there ends the process
    close(fd);
    return createStringError(code, "cannot write %zu bytes for the linker",
                             bytes.size());
  }
  return fd;
}

Expected<std::vector<uint8_t>>
ampc::Linker::link(ArrayRef<ArrayRef<char>> objects, ArrayRef<Alias> aliases) {
  std::lock_guard guard(lock);
  if (broken)
    return createStringError(
        "cannot link the kernels: the linker crashed before in this process "
        "and is not usable any more");
  SmallVector<int> inputs;
  auto closeInputs = scope_exit([&] {
    for (int input : inputs)
      close(input);
  });
  SmallString<128> outputName;
  if (std::error_code code =
          sys::fs::createTemporaryFile("ampc-kernels", "so", outputName))
    return createStringError(code,
                             "cannot make a temporary file for the linker");
  auto removeOutput = scope_exit([&] { sys::fs::remove(outputName); });

  std::vector<std::string> words = {
      "ld.lld",           "-shared",     "--no-undefined",  "--build-id=none",
      "--hash-style=gnu", "--strip-all", "-znoexecstack",   "-znow",
      "--threads=1",      "-soname",     "ampc-kernels.so", "-o",
      outputName.c_str()};
  for (const Alias &alias : aliases)
    words.push_back("--defsym=" + alias.name + "=" + alias.function);
  for (ArrayRef<char> object : objects) {
    Expected<int> input = memoryFile(object);
    if (!input)
      return input.takeError();
    inputs.push_back(*input);
    words.push_back("/proc/self/fd/" + std::to_string(*input));
  }
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  std::string messages;
  raw_string_ostream stream(messages);
  LinkOutcome outcome = run(arguments, stream);
  broken = !outcome.canRunAgain;
  if (outcome.code != 0)
    return createStringError("linking the kernels failed: %s",
                             StringRef(messages).trim().str().c_str());
  ErrorOr<std::unique_ptr<MemoryBuffer>> linked = MemoryBuffer::getFile(
      outputName, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!linked)
    return createStringError(linked.getError(),
                             "cannot read the linked kernels");
  StringRef bytes = (*linked)->getBuffer();
  return std::vector<uint8_t>(bytes.bytes_begin(), bytes.bytes_end());
}

static LinkOutcome runLld(ArrayRef<const char *> arguments,
                          raw_ostream &messages) {
  // Without it a fatal error of LLD ends the process.
  static std::once_flag once;
  std::call_once(once, [] { CrashRecoveryContext::Enable(); });
  lld::Result result = lld::lldMain(arguments, messages, messages,
                                    {{lld::Gnu, &lld::elf::link}});
  return {result.retCode, result.canRunAgain};
}

Expected<std::vector<uint8_t>>
ampc::linkShared(ArrayRef<ArrayRef<char>> objects, ArrayRef<Alias> aliases) {
  static Linker linker(runLld);
  return linker.link(objects, aliases);
}
