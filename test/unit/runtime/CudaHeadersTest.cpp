// Our declarations of NVIDIA's functions against NVIDIA's own headers. Compiled
// where the toolkit's headers are; all of it is decided at compile time.
#include "runtime/device/cuda/Api.h"

#include <cublasLt.h>
#include <cuda.h>
#include <gtest/gtest.h>
#include <nvrtc.h>
#include <type_traits>

namespace ampc::rt::cuda {
namespace {

/// Whether a value of either type is passed the same way: both are pointers, or
/// both are integers or enumerations, of one size.
template <class Ours, class Theirs>
constexpr bool
    isPassedAlike = sizeof(Ours) == sizeof(Theirs) &&
                    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
                    (std::is_pointer_v<Ours> ||
                     (std::is_integral_v<Ours> &&
                      (std::is_integral_v<Theirs> || std::is_enum_v<Theirs>)));

/// What a pointer of ours points to has the size of what theirs does, or is
/// unknown to one of us.
template <class Ours, class Theirs>
constexpr bool pointsAlike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using A = std::remove_pointer_t<Ours>;
    using B = std::remove_pointer_t<Theirs>;
    if constexpr (
        requires { sizeof(A); } && requires { sizeof(B); } &&
        !std::is_void_v<A> && !std::is_void_v<B>)
      return sizeof(A) == sizeof(B);
  }
  return true;
}

template <class Ours, class Theirs>
struct Alike : std::false_type {};
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) struct Alike<R (*)(A...), S (*)(B...)>
    : std::bool_constant<isPassedAlike<R, S> && (isPassedAlike<A, B> && ...) &&
                         (pointsAlike<A, B>() && ...)> {
};

#define CHECK_DRIVER(member, symbol, ...)                                      \
  static_assert(Alike<decltype(DriverApi::member), decltype(&symbol)>::value,  \
                #symbol);
AMPC_CUDA_DRIVER(CHECK_DRIVER)
AMPC_CUDA_DRIVER_OPTIONAL(CHECK_DRIVER)
#define CHECK_NVRTC(member, symbol, ...)                                       \
  static_assert(Alike<decltype(NvrtcApi::member), decltype(&symbol)>::value,   \
                #symbol);
AMPC_NVRTC(CHECK_NVRTC)
#define CHECK_BLAS(member, symbol, ...)                                        \
  static_assert(Alike<decltype(BlasApi::member), decltype(&symbol)>::value,    \
                #symbol);
AMPC_BLAS(CHECK_BLAS)

// The comparison sees what differs.
static_assert(!Alike<Result (*)(unsigned), Result (*)(size_t)>::value);
static_assert(!Alike<Result (*)(int), Result (*)(int, int)>::value);
static_assert(!Alike<Result (*)(int), Result (*)(int *)>::value);
static_assert(!Alike<Result (*)(int *), Result (*)(size_t *)>::value);

static_assert(sizeof(BlasAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(BlasChoice) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(BlasChoice, workspaceBytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(BlasChoice, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));

static_assert(kErrorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(kErrorNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(kErrorNotReady == CUDA_ERROR_NOT_READY);
static_assert(kAttributeMultiprocessors ==
              CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(kAttributeMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(kAttributeMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(kEventNoTiming == CU_EVENT_DISABLE_TIMING);
static_assert(kCaptureRelaxed == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(kBlasMatmulTransA == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(kBlasMatmulTransB == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(kBlasMatmulEpilogue == CUBLASLT_MATMUL_DESC_EPILOGUE);
static_assert(kBlasMatmulBias == CUBLASLT_MATMUL_DESC_BIAS_POINTER);
static_assert(kBlasEpilogueRelu == CUBLASLT_EPILOGUE_RELU);
static_assert(kBlasEpilogueBias == CUBLASLT_EPILOGUE_BIAS);
static_assert((kBlasEpilogueRelu | kBlasEpilogueBias) ==
              CUBLASLT_EPILOGUE_RELU_BIAS);
static_assert(kBlasLayoutBatchCount == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(kBlasLayoutBatchStride ==
              CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(kBlasPreferWorkspace == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(kBlasPreferReductions ==
              CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
static_assert(kBlasPreferAlignmentA ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
static_assert(kBlasPreferAlignmentB ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
static_assert(kBlasPreferAlignmentC ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
static_assert(kBlasPreferAlignmentD ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
static_assert(kBlasReduceInComputeType ==
              CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
static_assert(kBlasCompute32F == CUBLAS_COMPUTE_32F);
static_assert(kBlasCompute64F == CUBLAS_COMPUTE_64F);
static_assert(kBlasComputeTf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(kTypeF32 == CUDA_R_32F && kTypeF64 == CUDA_R_64F);
static_assert(kTypeF16 == CUDA_R_16F && kTypeBF16 == CUDA_R_16BF);
static_assert(kBlasNoTranspose == CUBLAS_OP_N);
static_assert(kBlasTranspose == CUBLAS_OP_T);

TEST(CudaHeaders, AgreeWithOurDeclarations) {
  SUCCEED() << "compared when this file was compiled";
}

} // namespace
} // namespace ampc::rt::cuda
