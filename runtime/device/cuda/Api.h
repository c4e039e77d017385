// NVIDIA's entry points that the runtime calls, declared here so that every
// build has CUDA support and none needs a toolkit: the driver (libcuda), the
// run-time compiler (libnvrtc) and the matrix library (libcublasLt), all opened
// at run time. Handles are opaque, enumerations are the integers they are
// passed as. CudaHeadersTest holds this file against NVIDIA's own headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ampc::rt::cuda {

using Result = int; ///< CUresult, nvrtcResult, cublasStatus_t: 0 is success
using Device = int;
using Address = unsigned long long; ///< CUdeviceptr
using ContextHandle = struct ContextStruct *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Graph = struct GraphHandle *;
using GraphExec = struct GraphExecHandle *;
using NvrtcProgram = struct NvrtcProgramHandle *;
using BlasHandle = struct BlasHandleHandle *;
using BlasMatmul = struct BlasMatmulHandle *;
using BlasLayout = struct BlasLayoutHandle *;
using BlasPreference = struct BlasPreferenceHandle *;

/// cublasLtMatmulAlgo_t.
struct BlasAlgorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t.
struct BlasChoice {
  BlasAlgorithm algorithm;
  size_t workspaceBytes;
  Result state;
  float wavesCount;
  int reserved[4];
};

// Numbers of NVIDIA's enumerations.
inline constexpr Result kErrorOutOfMemory = 2, kErrorNoDevice = 100,
                        kErrorNotReady = 600;
inline constexpr int kAttributeMultiprocessors = 16, kAttributeMajor = 75,
                     kAttributeMinor = 76;
inline constexpr unsigned kStreamNonBlocking = 1, kEventNoTiming = 2;
inline constexpr int kCaptureRelaxed = 2;
inline constexpr int kBlasMatmulTransA = 3, kBlasMatmulTransB = 4,
                     kBlasMatmulEpilogue = 7, kBlasMatmulBias = 8;
inline constexpr uint32_t kBlasEpilogueRelu = 2, kBlasEpilogueBias = 4;
inline constexpr int kBlasLayoutBatchCount = 5, kBlasLayoutBatchStride = 6;
inline constexpr int kBlasPreferWorkspace = 1, kBlasPreferReductions = 3,
                     kBlasPreferAlignmentA = 5, kBlasPreferAlignmentB = 6,
                     kBlasPreferAlignmentC = 7, kBlasPreferAlignmentD = 8;
inline constexpr uint32_t kBlasReduceInComputeType = 2;
inline constexpr int kBlasCompute32F = 68, kBlasCompute64F = 70,
                     kBlasComputeTf32 = 77;
inline constexpr int kTypeF32 = 0, kTypeF64 = 1, kTypeF16 = 2, kTypeBF16 = 14;
inline constexpr int kBlasNoTranspose = 0, kBlasTranspose = 1;

// X(member, exported symbol, signature). What is optional may be missing: an
// older library, or one that does without.

#define AMPC_CUDA_DRIVER(X)                                                    \
  X(init, cuInit, Result(unsigned))                                            \
  X(driverVersion, cuDriverGetVersion, Result(int *))                          \
  X(deviceCount, cuDeviceGetCount, Result(int *))                              \
  X(device, cuDeviceGet, Result(Device *, int))                                \
  X(deviceName, cuDeviceGetName, Result(char *, int, Device))                  \
  X(deviceMemory, cuDeviceTotalMem_v2, Result(size_t *, Device))               \
  X(deviceAttribute, cuDeviceGetAttribute, Result(int *, int, Device))         \
  X(retainContext, cuDevicePrimaryCtxRetain, Result(ContextHandle *, Device))  \
  X(releaseContext, cuDevicePrimaryCtxRelease_v2, Result(Device))              \
  X(setContext, cuCtxSetCurrent, Result(ContextHandle))                        \
  X(errorName, cuGetErrorName, Result(Result, const char **))                  \
  X(errorText, cuGetErrorString, Result(Result, const char **))                \
  X(memoryInfo, cuMemGetInfo_v2, Result(size_t *, size_t *))                   \
  X(allocate, cuMemAlloc_v2, Result(Address *, size_t))                        \
  X(free, cuMemFree_v2, Result(Address))                                       \
  X(allocateHost, cuMemHostAlloc, Result(void **, size_t, unsigned))           \
  X(freeHost, cuMemFreeHost, Result(void *))                                   \
  X(copyToDevice, cuMemcpyHtoDAsync_v2,                                        \
    Result(Address, const void *, size_t, Stream))                             \
  X(copyToHost, cuMemcpyDtoHAsync_v2, Result(void *, Address, size_t, Stream)) \
  X(copy, cuMemcpyDtoDAsync_v2, Result(Address, Address, size_t, Stream))      \
  X(fill8, cuMemsetD8Async, Result(Address, unsigned char, size_t, Stream))    \
  X(fill16, cuMemsetD16Async, Result(Address, unsigned short, size_t, Stream)) \
  X(fill32, cuMemsetD32Async, Result(Address, unsigned, size_t, Stream))       \
  X(createStream, cuStreamCreate, Result(Stream *, unsigned))                  \
  X(destroyStream, cuStreamDestroy_v2, Result(Stream))                         \
  X(synchronize, cuStreamSynchronize, Result(Stream))                          \
  X(createEvent, cuEventCreate, Result(Event *, unsigned))                     \
  X(awaitEvent, cuStreamWaitEvent, Result(Stream, Event, unsigned))            \
  X(recordEvent, cuEventRecord, Result(Event, Stream))                         \
  X(queryEvent, cuEventQuery, Result(Event))                                   \
  X(waitEvent, cuEventSynchronize, Result(Event))                              \
  X(destroyEvent, cuEventDestroy_v2, Result(Event))                            \
  X(loadModule, cuModuleLoadData, Result(Module *, const void *))              \
  X(unloadModule, cuModuleUnload, Result(Module))                              \
  X(function, cuModuleGetFunction, Result(Function *, Module, const char *))   \
  X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                    \
    Result(int *, Function, int, size_t))                                      \
  X(launch, cuLaunchKernel,                                                    \
    Result(Function, unsigned, unsigned, unsigned, unsigned, unsigned,         \
           unsigned, unsigned, Stream, void **, void **))

/// A driver without these runs steps without graphs.
#define AMPC_CUDA_DRIVER_OPTIONAL(X)                                           \
  X(beginCapture, cuStreamBeginCapture_v2, Result(Stream, int))                \
  X(endCapture, cuStreamEndCapture, Result(Stream, Graph *))                   \
  X(instantiate, cuGraphInstantiateWithFlags,                                  \
    Result(GraphExec *, Graph, unsigned long long))                            \
  X(launchGraph, cuGraphLaunch, Result(GraphExec, Stream))                     \
  X(destroyGraphExec, cuGraphExecDestroy, Result(GraphExec))                   \
  X(destroyGraph, cuGraphDestroy, Result(Graph))

#define AMPC_NVRTC(X)                                                          \
  X(version, nvrtcVersion, Result(int *, int *))                               \
  X(archCount, nvrtcGetNumSupportedArchs, Result(int *))                       \
  X(archs, nvrtcGetSupportedArchs, Result(int *))                              \
  X(create, nvrtcCreateProgram,                                                \
    Result(NvrtcProgram *, const char *, const char *, int,                    \
           const char *const *, const char *const *))                          \
  X(compile, nvrtcCompileProgram,                                              \
    Result(NvrtcProgram, int, const char *const *))                            \
  X(cubinBytes, nvrtcGetCUBINSize, Result(NvrtcProgram, size_t *))             \
  X(cubin, nvrtcGetCUBIN, Result(NvrtcProgram, char *))                        \
  X(ptxBytes, nvrtcGetPTXSize, Result(NvrtcProgram, size_t *))                 \
  X(ptx, nvrtcGetPTX, Result(NvrtcProgram, char *))                            \
  X(logBytes, nvrtcGetProgramLogSize, Result(NvrtcProgram, size_t *))          \
  X(log, nvrtcGetProgramLog, Result(NvrtcProgram, char *))                     \
  X(destroy, nvrtcDestroyProgram, Result(NvrtcProgram *))                      \
  X(errorText, nvrtcGetErrorString, const char *(Result))

#define AMPC_BLAS(X)                                                           \
  X(version, cublasLtGetVersion, size_t())                                     \
  X(create, cublasLtCreate, Result(BlasHandle *))                              \
  X(destroy, cublasLtDestroy, Result(BlasHandle))                              \
  X(createMatmul, cublasLtMatmulDescCreate, Result(BlasMatmul *, int, int))    \
  X(destroyMatmul, cublasLtMatmulDescDestroy, Result(BlasMatmul))              \
  X(setMatmul, cublasLtMatmulDescSetAttribute,                                 \
    Result(BlasMatmul, int, const void *, size_t))                             \
  X(createLayout, cublasLtMatrixLayoutCreate,                                  \
    Result(BlasLayout *, int, uint64_t, uint64_t, int64_t))                    \
  X(destroyLayout, cublasLtMatrixLayoutDestroy, Result(BlasLayout))            \
  X(setLayout, cublasLtMatrixLayoutSetAttribute,                               \
    Result(BlasLayout, int, const void *, size_t))                             \
  X(createPreference, cublasLtMatmulPreferenceCreate,                          \
    Result(BlasPreference *))                                                  \
  X(destroyPreference, cublasLtMatmulPreferenceDestroy,                        \
    Result(BlasPreference))                                                    \
  X(setPreference, cublasLtMatmulPreferenceSetAttribute,                       \
    Result(BlasPreference, int, const void *, size_t))                         \
  X(choose, cublasLtMatmulAlgoGetHeuristic,                                    \
    Result(BlasHandle, BlasMatmul, BlasLayout, BlasLayout, BlasLayout,         \
           BlasLayout, BlasPreference, int, BlasChoice *, int *))              \
  X(checkAlgorithm, cublasLtMatmulAlgoCheck,                                   \
    Result(BlasHandle, BlasMatmul, BlasLayout, BlasLayout, BlasLayout,         \
           BlasLayout, const BlasAlgorithm *, BlasChoice *))                   \
  X(multiply, cublasLtMatmul,                                                  \
    Result(BlasHandle, BlasMatmul, const void *, const void *, BlasLayout,     \
           const void *, BlasLayout, const void *, const void *, BlasLayout,   \
           void *, BlasLayout, const BlasAlgorithm *, void *, size_t, Stream))

namespace api {
template <class Signature>
using Pointer = Signature *;
}

#define AMPC_API_MEMBER(member, symbol, ...)                                   \
  api::Pointer<__VA_ARGS__> member = nullptr;

/// The driver.
struct DriverApi {
  AMPC_CUDA_DRIVER(AMPC_API_MEMBER)
  AMPC_CUDA_DRIVER_OPTIONAL(AMPC_API_MEMBER)

  bool hasGraphs() const {
    return beginCapture && endCapture && instantiate && launchGraph &&
           destroyGraphExec && destroyGraph;
  }
};

/// The run-time compiler.
struct NvrtcApi {
  AMPC_NVRTC(AMPC_API_MEMBER)
};

/// The matrix library.
struct BlasApi {
  AMPC_BLAS(AMPC_API_MEMBER)
};

#undef AMPC_API_MEMBER

} // namespace ampc::rt::cuda
