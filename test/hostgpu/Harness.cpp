#include "test/hostgpu/Harness.h"

#include <cstdlib>
#include <dlfcn.h>

namespace ampc::hostgpu::test {

const Libraries &lib() {
  static const Libraries loaded = [] {
    Libraries result;
    auto open = [](const char *name) {
      std::string path = std::string(AMPC_HOSTGPU_LIBRARIES) + "/" + name;
      void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!library)
        ADD_FAILURE() << dlerror();
      return library;
    };
    auto find = [](void *library, const char *name, auto &function) {
      void *found = library ? dlsym(library, name) : nullptr;
      if (!found)
        ADD_FAILURE() << name << " is missing";
      function = reinterpret_cast<std::decay_t<decltype(function)>>(found);
    };
    void *cuda = open("libcuda.so.1"), *nvrtc = open("libnvrtc.so.13"),
         *cublasLt = open("libcublasLt.so.13");
#define X(name, type) find(cuda, #name, result.name);
    AMPC_HOSTGPU_CUDA_FUNCTIONS(X)
#undef X
#define X(name, type) find(nvrtc, #name, result.name);
    AMPC_HOSTGPU_NVRTC_FUNCTIONS(X)
#undef X
#define X(name, type) find(cublasLt, #name, result.name);
    AMPC_HOSTGPU_CUBLASLT_FUNCTIONS(X)
#undef X
    find(cuda, "ampcHostGpuLastReport", result.ampcHostGpuLastReport);
    return result;
  }();
  return loaded;
}

Program compile(const std::string &text, std::vector<std::string> options,
                const std::string &name) {
  Program program;
  void *handle = nullptr;
  EXPECT_EQ(lib().nvrtcCreateProgram(&handle, text.c_str(), name.c_str(), 0,
                                     nullptr, nullptr),
            0);
  std::vector<const char *> pointers;
  for (const std::string &option : options)
    pointers.push_back(option.c_str());
  program.result =
      lib().nvrtcCompileProgram(handle, int(pointers.size()), pointers.data());
  size_t size = 0;
  EXPECT_EQ(lib().nvrtcGetProgramLogSize(handle, &size), 0);
  program.log.resize(size);
  EXPECT_EQ(lib().nvrtcGetProgramLog(handle, program.log.data()), 0);
  program.log.resize(size - 1);
  EXPECT_EQ(lib().nvrtcGetCUBINSize(handle, &size), 0);
  program.cubin.resize(size);
  EXPECT_EQ(lib().nvrtcGetCUBIN(handle, program.cubin.data()), 0);
  EXPECT_EQ(lib().nvrtcGetPTXSize(handle, &size), 0);
  program.ptx.resize(size);
  EXPECT_EQ(lib().nvrtcGetPTX(handle, program.ptx.data()), 0);
  EXPECT_EQ(lib().nvrtcDestroyProgram(&handle), 0);
  return program;
}

void DeviceTest::start(const std::map<std::string, std::string> &settings) {
  stop();
  changed = settings;
  // Errors are what many tests are about: they are read, not printed.
  changed.emplace("AMPC_HOSTGPU_QUIET", "1");
  for (const auto &[name, value] : changed)
    setenv(name.c_str(), value.c_str(), 1);
  ASSERT_EQ(lib().cuInit(0), CUDA_SUCCESS);
  CUcontext context = nullptr;
  ASSERT_EQ(lib().cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(lib().cuCtxSetCurrent(context), CUDA_SUCCESS);
  started = true;
}

void DeviceTest::stop() {
  if (started)
    EXPECT_EQ(lib().cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  started = false;
  for (const auto &[name, value] : changed)
    unsetenv(name.c_str());
  changed.clear();
}

CUfunction DeviceTest::kernel(const std::string &text,
                              const std::string &name) {
  // Compiled once for all tests that use the same text the same way.
  static std::map<std::string, Program> known;
  const char *check = std::getenv("AMPC_HOSTGPU_CHECK");
  std::string key = text + (check ? check : "");
  auto found = known.find(key);
  if (found == known.end())
    found = known.emplace(key, compile(text)).first;
  const Program &program = found->second;
  EXPECT_EQ(program.result, 0) << program.log;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  if (program.result != 0)
    return nullptr;
  EXPECT_EQ(lib().cuModuleLoadData(&module, program.cubin.data()), CUDA_SUCCESS)
      << report();
  EXPECT_EQ(lib().cuModuleGetFunction(&function, module, name.c_str()),
            CUDA_SUCCESS)
      << report();
  return function;
}

CUdeviceptr DeviceTest::allocate(size_t bytes) {
  CUdeviceptr address = 0;
  EXPECT_EQ(lib().cuMemAlloc_v2(&address, bytes), CUDA_SUCCESS) << report();
  return address;
}

CUstream DeviceTest::stream(unsigned flags) {
  CUstream result = nullptr;
  EXPECT_EQ(lib().cuStreamCreate(&result, flags), CUDA_SUCCESS);
  return result;
}

CUevent DeviceTest::event() {
  CUevent result = nullptr;
  EXPECT_EQ(lib().cuEventCreate(&result, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  return result;
}

CUresult DeviceTest::launch(CUfunction function, unsigned grid, unsigned block,
                            std::vector<uint64_t> arguments, CUstream stream,
                            unsigned sharedBytes) {
  std::vector<void *> pointers;
  for (uint64_t &argument : arguments)
    pointers.push_back(&argument);
  return lib().cuLaunchKernel(function, grid, 1, 1, block, 1, 1, sharedBytes,
                              stream, pointers.data(), nullptr);
}

} // namespace ampc::hostgpu::test
