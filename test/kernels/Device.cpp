// Loading and calling a CUDA driver in tests.
#include "test/kernels/Device.h"

#include "test/kernels/Recording.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <unordered_map>

namespace ampc::test {

namespace {

/// Ends the test program: there is nothing to go on with.
[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

void *openLibrary(const std::string &name) {
  const char *folder = std::getenv("AMPC_CUDA_LIBRARIES");
  std::string path =
      std::string(folder ? folder : AMPC_HOSTGPU_LIBRARIES) + "/" + name;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    fail(dlerror());
  return library;
}

/// The function `name`, or null where `library` has none.
template <class Function>
Function *find(void *library, const char *name) {
  return reinterpret_cast<Function *>(dlsym(library, name));
}

struct Driver {
  void *library = openLibrary("libcuda.so.1");
#define AMPC_ENTRY(name, ...)                                                  \
  int (*name)(__VA_ARGS__) = find<int(__VA_ARGS__)>(library, #name)
  AMPC_ENTRY(cuInit, unsigned);
  AMPC_ENTRY(cuDeviceGet, int *, int);
  AMPC_ENTRY(cuDevicePrimaryCtxRetain, void **, int);
  AMPC_ENTRY(cuCtxSetCurrent, void *);
  AMPC_ENTRY(cuCtxSynchronize);
  AMPC_ENTRY(cuMemAlloc_v2, uint64_t *, size_t);
  AMPC_ENTRY(cuMemFree_v2, uint64_t);
  AMPC_ENTRY(cuMemcpyHtoDAsync_v2, uint64_t, const void *, size_t, void *);
  AMPC_ENTRY(cuMemcpyDtoHAsync_v2, void *, uint64_t, size_t, void *);
  AMPC_ENTRY(cuModuleLoadData, void **, const void *);
  AMPC_ENTRY(cuModuleGetFunction, void **, void *, const char *);
  AMPC_ENTRY(cuDeviceGetAttribute, int *, int, int);
  AMPC_ENTRY(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned,
             unsigned, unsigned, unsigned, void *, void **, void **);
  const char *(*report)() = find<const char *()>(library,
                                                 "ampcHostGpuLastReport");
};

struct Compiler {
  void *library = openLibrary("libnvrtc.so.13");
  AMPC_ENTRY(nvrtcCreateProgram, void **, const char *, const char *, int,
             const char *const *, const char *const *);
  AMPC_ENTRY(nvrtcCompileProgram, void *, int, const char *const *);
  AMPC_ENTRY(nvrtcGetCUBINSize, void *, size_t *);
  AMPC_ENTRY(nvrtcGetCUBIN, void *, char *);
  AMPC_ENTRY(nvrtcGetProgramLogSize, void *, size_t *);
  AMPC_ENTRY(nvrtcGetProgramLog, void *, char *);
  AMPC_ENTRY(nvrtcDestroyProgram, void **);
#undef AMPC_ENTRY
};

Driver &driver() {
  static Driver entries;
  return entries;
}

void check(int result, const std::string &what) {
  if (result != 0)
    fail(what + " failed with " + std::to_string(result) + "\n" +
         (driver().report ? driver().report() : ""));
}

/// `--gpu-architecture=` of the device.
std::string &architecture() {
  static std::string option;
  return option;
}

std::string compileToCubin(const std::string &text) {
  static Compiler nvrtc;
  void *program = nullptr;
  check(nvrtc.nvrtcCreateProgram(&program, text.c_str(), "kernel.cu", 0,
                                 nullptr, nullptr),
        "nvrtcCreateProgram");
  const char *options[] = {architecture().c_str(), "--std=c++17",
                           "--fmad=false", "-default-device", "--no-cache"};
  int result = nvrtc.nvrtcCompileProgram(program, std::size(options), options);
  size_t size = 0;
  nvrtc.nvrtcGetProgramLogSize(program, &size);
  std::string log(size, 0);
  nvrtc.nvrtcGetProgramLog(program, log.data());
  check(result, "compiling\n" + text + "\n" + log);
  check(nvrtc.nvrtcGetCUBINSize(program, &size), "nvrtcGetCUBINSize");
  std::string cubin(size, 0);
  check(nvrtc.nvrtcGetCUBIN(program, cubin.data()), "nvrtcGetCUBIN");
  nvrtc.nvrtcDestroyProgram(&program);
  return cubin;
}

} // namespace

Device &Device::get() {
  static Device device;
  return device;
}

Device::Device() {
  constexpr int kMajor = 75, kMinor = 76; // CUdevice_attribute
  int device = 0, major = 0, minor = 0;
  void *context = nullptr;
  check(driver().cuInit(0), "cuInit");
  check(driver().cuDeviceGet(&device, 0), "cuDeviceGet");
  check(driver().cuDeviceGetAttribute(&major, kMajor, device), "capability");
  check(driver().cuDeviceGetAttribute(&minor, kMinor, device), "capability");
  check(driver().cuDevicePrimaryCtxRetain(&context, device),
        "cuDevicePrimaryCtxRetain");
  check(driver().cuCtxSetCurrent(context), "cuCtxSetCurrent");
  architecture() =
      "--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor);
}

DeviceKernel Device::compile(const std::string &text,
                             const std::string &symbol) {
  static std::unordered_map<std::string, void *> modules;
  auto [entry, isNew] = modules.try_emplace(text);
  if (isNew) {
    std::string cubin = compileToCubin(text);
    check(driver().cuModuleLoadData(&entry->second, cubin.data()),
          "cuModuleLoadData");
  }
  DeviceKernel kernel{nullptr, &entry->first, symbol};
  check(driver().cuModuleGetFunction(&kernel.function, entry->second,
                                     symbol.c_str()),
        "cuModuleGetFunction " + symbol);
  return kernel;
}

uint64_t Device::allocate(size_t bytes) {
  uint64_t address = 0;
  // No bytes are no memory: an address that nothing may touch.
  if (bytes)
    check(driver().cuMemAlloc_v2(&address, bytes), "cuMemAlloc");
  return address;
}

void Device::free(uint64_t address) {
  if (address)
    check(driver().cuMemFree_v2(address), "cuMemFree");
}

void Device::upload(uint64_t to, std::span<const uint8_t> bytes) {
  if (!bytes.empty())
    check(
        driver().cuMemcpyHtoDAsync_v2(to, bytes.data(), bytes.size(), nullptr),
        "cuMemcpyHtoD");
}

std::vector<uint8_t> Device::download(uint64_t from, size_t bytes) {
  std::vector<uint8_t> result(bytes);
  if (bytes)
    check(driver().cuMemcpyDtoHAsync_v2(result.data(), from, bytes, nullptr),
          "cuMemcpyDtoH");
  check(driver().cuCtxSynchronize(), "cuMemcpyDtoH");
  return result;
}

void Device::launch(const DeviceKernel &kernel, unsigned blocks,
                    unsigned threads, unsigned sharedBytes,
                    const std::vector<DeviceArgument> &arguments) {
  std::vector<void *> pointers;
  for (const DeviceArgument &argument : arguments)
    pointers.push_back(const_cast<uint64_t *>(&argument.address));
  static const char *recording = std::getenv("AMPC_RECORD_KERNELS");
  RecordedLaunch record{*kernel.text, kernel.symbol, blocks,
                        threads,      sharedBytes,   {}};
  if (recording)
    for (const DeviceArgument &argument : arguments)
      record.arguments.push_back(
          {argument.address, download(argument.address, argument.bytes), {}});
  check(driver().cuLaunchKernel(kernel.function, blocks, 1, 1, threads, 1, 1,
                                sharedBytes, nullptr, pointers.data(), nullptr),
        "cuLaunchKernel");
  if (!recording)
    return;
  for (RecordedArgument &argument : record.arguments)
    argument.after = download(argument.address, argument.before.size());
  static RecordingWriter writer(recording);
  if (!writer.add(record))
    fail(std::string("cannot write ") + recording);
}

void Device::synchronize(const std::string &what) {
  check(driver().cuCtxSynchronize(), what);
}

} // namespace ampc::test
