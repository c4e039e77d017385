// Calls NVRTC.
#include "runtime/device/cuda/Nvrtc.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ampc::rt::cuda {

namespace {

/// A program of the library; goes when it does.
class Program {
public:
  explicit Program(const NvrtcApi &api) : api(api) {}
  Program(const Program &) = delete;
  ~Program() {
    if (handle)
      (void)api.destroy(&handle);
  }

  const NvrtcApi &api;
  NvrtcProgram handle = nullptr;
};

std::string logOf(const Program &program) {
  size_t bytes = 0;
  if (program.api.logBytes(program.handle, &bytes) != 0 || bytes <= 1)
    return "(no log)";
  std::string log(bytes, '\0');
  if (program.api.log(program.handle, log.data()) != 0)
    return "(no log)";
  log.resize(log.find_last_not_of(std::string_view("\n\0", 2)) + 1);
  return log;
}

} // namespace

Expected<Nvrtc> Nvrtc::create(Library<NvrtcApi> library, Arch arch) {
  Nvrtc result(std::move(library));
  const NvrtcApi &api = result.nvrtc.api;
  int count = 0;
  std::vector<int> known;
  if (api.archCount(&count) == 0 && count > 0) {
    known.resize(size_t(count));
    if (api.archs(known.data()) != 0)
      known.clear();
  }
  if (known.empty())
    return fail(Code::Environment, result.nvrtc.path,
                "the library does not tell which devices it compiles for");
  auto [oldest, newest] = std::ranges::minmax(known);
  if (arch < oldest)
    return fail(
        Code::Environment, result.nvrtc.path,
        fmt::format("the device is sm_{}; CUDA {}.{} compiles for sm_{} and "
                    "newer; install an older toolkit and set CUDA_HOME",
                    arch, result.nvrtc.version.major,
                    result.nvrtc.version.minor, oldest));
  // Code of sm_86 runs on 8.9 as well: any known one of the device's major
  // version that is not newer serves, its own before all.
  Arch best = 0;
  for (Arch candidate : known)
    if (candidate <= arch && candidate / 10 == arch / 10)
      best = std::max(best, candidate);
  result.makesPtx = best == 0;
  if (result.makesPtx)
    for (Arch candidate : known)
      if (candidate <= arch)
        best = std::max(best, candidate);
  result.flags = {fmt::format("--gpu-architecture={}_{}",
                              result.makesPtx ? "compute" : "sm", best),
                  "--std=c++17", "--fmad=false", "-default-device",
                  "--diag-suppress=177"};
  if (result.nvrtc.version.major >= 13) // its own cache: ours is the one
    result.flags.push_back("--no-cache");
  return result;
}

Expected<KernelCode> Nvrtc::compile(const std::string &source,
                                    const std::string &name) const {
  const NvrtcApi &api = nvrtc.api;
  Program program(api);
  Result result = api.create(&program.handle, source.c_str(), name.c_str(), 0,
                             nullptr, nullptr);
  if (result != 0)
    return fail(
        Code::Environment, nvrtc.path,
        fmt::format("{} is not taken: {}", name, api.errorText(result)));
  std::vector<const char *> pointers;
  for (const std::string &flag : flags)
    pointers.push_back(flag.c_str());
  result = api.compile(program.handle, int(pointers.size()), pointers.data());
  if (result != 0)
    return fail(Code::BadInput, nvrtc.path,
                fmt::format("{} does not compile with {}: {}\n{}", name,
                            fmt::join(flags, " "), api.errorText(result),
                            logOf(program)));
  size_t bytes = 0;
  auto size = makesPtx ? api.ptxBytes : api.cubinBytes;
  auto get = makesPtx ? api.ptx : api.cubin;
  KernelCode code;
  result = size(program.handle, &bytes);
  if (result == 0) {
    code.resize(bytes);
    result = get(program.handle, reinterpret_cast<char *>(code.data()));
  }
  if (result != 0 || code.empty())
    return fail(Code::Environment, nvrtc.path,
                fmt::format("{}: the library gives no code: {}", name,
                            api.errorText(result)));
  return code;
}

} // namespace ampc::rt::cuda
