// What the tests of the software device stand on: its libraries, loaded as the
// runtime loads NVIDIA's, and small helpers over their entry points.
#pragma once

#include "test/hostgpu/driver/Abi.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace ampc::hostgpu::test {

#define AMPC_HOSTGPU_CUDA_FUNCTIONS(X)                                         \
  X(cuInit, CUresult(unsigned))                                                \
  X(cuDriverGetVersion, CUresult(int *))                                       \
  X(cuDeviceGetCount, CUresult(int *))                                         \
  X(cuDeviceGet, CUresult(CUdevice *, int))                                    \
  X(cuDeviceGetName, CUresult(char *, int, CUdevice))                          \
  X(cuDeviceTotalMem_v2, CUresult(size_t *, CUdevice))                         \
  X(cuDeviceGetAttribute, CUresult(int *, int, CUdevice))                      \
  X(cuDevicePrimaryCtxRetain, CUresult(CUcontext *, CUdevice))                 \
  X(cuDevicePrimaryCtxRelease_v2, CUresult(CUdevice))                          \
  X(cuCtxSetCurrent, CUresult(CUcontext))                                      \
  X(cuCtxSynchronize, CUresult())                                              \
  X(cuGetErrorName, CUresult(CUresult, const char **))                         \
  X(cuGetErrorString, CUresult(CUresult, const char **))                       \
  X(cuMemGetInfo_v2, CUresult(size_t *, size_t *))                             \
  X(cuMemAlloc_v2, CUresult(CUdeviceptr *, size_t))                            \
  X(cuMemFree_v2, CUresult(CUdeviceptr))                                       \
  X(cuMemHostAlloc, CUresult(void **, size_t, unsigned))                       \
  X(cuMemFreeHost, CUresult(void *))                                           \
  X(cuMemcpyHtoDAsync_v2,                                                      \
    CUresult(CUdeviceptr, const void *, size_t, CUstream))                     \
  X(cuMemcpyDtoHAsync_v2, CUresult(void *, CUdeviceptr, size_t, CUstream))     \
  X(cuMemcpyDtoDAsync_v2,                                                      \
    CUresult(CUdeviceptr, CUdeviceptr, size_t, CUstream))                      \
  X(cuMemsetD8Async, CUresult(CUdeviceptr, unsigned char, size_t, CUstream))   \
  X(cuMemsetD16Async, CUresult(CUdeviceptr, unsigned short, size_t, CUstream)) \
  X(cuMemsetD32Async, CUresult(CUdeviceptr, unsigned, size_t, CUstream))       \
  X(cuStreamCreate, CUresult(CUstream *, unsigned))                            \
  X(cuStreamDestroy_v2, CUresult(CUstream))                                    \
  X(cuStreamSynchronize, CUresult(CUstream))                                   \
  X(cuStreamQuery, CUresult(CUstream))                                         \
  X(cuStreamWaitEvent, CUresult(CUstream, CUevent, unsigned))                  \
  X(cuEventCreate, CUresult(CUevent *, unsigned))                              \
  X(cuEventRecord, CUresult(CUevent, CUstream))                                \
  X(cuEventQuery, CUresult(CUevent))                                           \
  X(cuEventSynchronize, CUresult(CUevent))                                     \
  X(cuEventElapsedTime, CUresult(float *, CUevent, CUevent))                   \
  X(cuEventDestroy_v2, CUresult(CUevent))                                      \
  X(cuStreamBeginCapture_v2, CUresult(CUstream, int))                          \
  X(cuStreamEndCapture, CUresult(CUstream, CUgraph *))                         \
  X(cuGraphInstantiateWithFlags,                                               \
    CUresult(CUgraphExec *, CUgraph, unsigned long long))                      \
  X(cuGraphLaunch, CUresult(CUgraphExec, CUstream))                            \
  X(cuGraphExecDestroy, CUresult(CUgraphExec))                                 \
  X(cuGraphDestroy, CUresult(CUgraph))                                         \
  X(cuModuleLoadData, CUresult(CUmodule *, const void *))                      \
  X(cuModuleUnload, CUresult(CUmodule))                                        \
  X(cuModuleGetFunction, CUresult(CUfunction *, CUmodule, const char *))       \
  X(cuFuncGetAttribute, CUresult(int *, int, CUfunction))                      \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                               \
    CUresult(int *, CUfunction, int, size_t))                                  \
  X(cuLaunchKernel,                                                            \
    CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,     \
             unsigned, unsigned, CUstream, void **, void **))

#define AMPC_HOSTGPU_NVRTC_FUNCTIONS(X)                                        \
  X(nvrtcVersion, int(int *, int *))                                           \
  X(nvrtcGetNumSupportedArchs, int(int *))                                     \
  X(nvrtcGetSupportedArchs, int(int *))                                        \
  X(nvrtcCreateProgram, int(void **, const char *, const char *, int,          \
                            const char *const *, const char *const *))         \
  X(nvrtcCompileProgram, int(void *, int, const char *const *))                \
  X(nvrtcGetCUBINSize, int(void *, size_t *))                                  \
  X(nvrtcGetCUBIN, int(void *, char *))                                        \
  X(nvrtcGetPTXSize, int(void *, size_t *))                                    \
  X(nvrtcGetPTX, int(void *, char *))                                          \
  X(nvrtcGetProgramLogSize, int(void *, size_t *))                             \
  X(nvrtcGetProgramLog, int(void *, char *))                                   \
  X(nvrtcDestroyProgram, int(void **))                                         \
  X(nvrtcGetErrorString, const char *(int))

#define AMPC_HOSTGPU_CUBLASLT_FUNCTIONS(X)                                     \
  X(cublasLtGetVersion, size_t())                                              \
  X(cublasLtCreate, int(void **))                                              \
  X(cublasLtDestroy, int(void *))                                              \
  X(cublasLtMatmulDescCreate, int(void **, int, int))                          \
  X(cublasLtMatmulDescDestroy, int(void *))                                    \
  X(cublasLtMatmulDescSetAttribute, int(void *, int, const void *, size_t))    \
  X(cublasLtMatrixLayoutCreate,                                                \
    int(void **, int, uint64_t, uint64_t, int64_t))                            \
  X(cublasLtMatrixLayoutDestroy, int(void *))                                  \
  X(cublasLtMatrixLayoutSetAttribute, int(void *, int, const void *, size_t))  \
  X(cublasLtMatmulPreferenceCreate, int(void **))                              \
  X(cublasLtMatmulPreferenceDestroy, int(void *))                              \
  X(cublasLtMatmulPreferenceSetAttribute,                                      \
    int(void *, int, const void *, size_t))                                    \
  X(cublasLtMatmulAlgoGetHeuristic,                                            \
    int(void *, void *, void *, void *, void *, void *, void *, int, void *,   \
        int *))                                                                \
  X(cublasLtMatmulAlgoCheck,                                                   \
    int(void *, const void *, const void *, const void *, const void *,        \
        const void *, const void *, void *))                                   \
  X(cublasLtMatmul,                                                            \
    int(void *, void *, const void *, const void *, void *, const void *,      \
        void *, const void *, const void *, void *, void *, void *,            \
        const void *, void *, size_t, CUstream))

/// The entry points, by name. Loading fails loudly when one is missing.
struct Libraries {
#define X(name, type) std::add_pointer_t<type> name = nullptr;
  AMPC_HOSTGPU_CUDA_FUNCTIONS(X)
  AMPC_HOSTGPU_NVRTC_FUNCTIONS(X)
  AMPC_HOSTGPU_CUBLASLT_FUNCTIONS(X)
#undef X
  const char *(*ampcHostGpuLastReport)() = nullptr;
};
const Libraries &lib();

/// What NVRTC made of a text.
struct Program {
  int result = 0;
  std::string log, cubin, ptx;
};
Program
compile(const std::string &text,
        std::vector<std::string> options = {"--gpu-architecture=sm_80",
                                            "--std=c++17", "--fmad=false",
                                            "-default-device", "--no-cache"},
        const std::string &name = "kernel.cu");

/// A device of its own for each test, in the current thread.
class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override { start({}); }
  void TearDown() override { stop(); }

  /// A new context, with these settings of the environment.
  void start(const std::map<std::string, std::string> &settings);
  void startSeed(int seed) {
    start({{"AMPC_HOSTGPU_SEED", std::to_string(seed)}});
  }
  void stop();

  /// The kernel `name` of `text`.
  CUfunction kernel(const std::string &text, const std::string &name);
  CUdeviceptr allocate(size_t bytes);
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING);
  CUevent event();
  /// Every argument is a device address or a number of 8 bytes at most.
  CUresult launch(CUfunction function, unsigned grid, unsigned block,
                  std::vector<uint64_t> arguments, CUstream stream = nullptr,
                  unsigned sharedBytes = 0);
  /// Waits for everything; the device's error.
  CUresult synchronize() { return lib().cuCtxSynchronize(); }
  std::string report() const { return lib().ampcHostGpuLastReport(); }

  template <class T>
  CUdeviceptr upload(const std::vector<T> &values) {
    CUdeviceptr to = allocate(values.size() * sizeof(T));
    EXPECT_EQ(lib().cuMemcpyHtoDAsync_v2(to, values.data(),
                                         values.size() * sizeof(T), nullptr),
              CUDA_SUCCESS);
    return to;
  }
  template <class T>
  std::vector<T> download(CUdeviceptr from, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(lib().cuMemcpyDtoHAsync_v2(values.data(), from, count * sizeof(T),
                                         nullptr),
              CUDA_SUCCESS)
        << report();
    return values;
  }

private:
  bool started = false;
  std::map<std::string, std::string> changed;
};

} // namespace ampc::hostgpu::test
