// Descriptors of the software cuBLASLt, and what a call makes of them.
#pragma once

#include "test/hostgpu/blas/Matrix.h"

namespace ampc::hostgpu {

enum Status {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
};

enum ComputeType : int32_t {
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};

enum MatmulAttribute : int {
  CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0,
  CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
  CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_TRANSC = 5,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
  CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE = 10,
  CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET = 15,
  CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26,
};

enum Epilogue : uint32_t {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_BIAS = 6,
};

enum LayoutAttribute : int {
  CUBLASLT_MATRIX_LAYOUT_TYPE = 0,
  CUBLASLT_MATRIX_LAYOUT_ORDER = 1,
  CUBLASLT_MATRIX_LAYOUT_ROWS = 2,
  CUBLASLT_MATRIX_LAYOUT_COLS = 3,
  CUBLASLT_MATRIX_LAYOUT_LD = 4,
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
};

enum Order : int32_t { CUBLASLT_ORDER_COL = 0, CUBLASLT_ORDER_ROW = 1 };

enum PreferenceAttribute : int {
  CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0,
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
};

struct MatmulDesc {
  int32_t computeType = CUBLAS_COMPUTE_32F, scaleType = int32_t(Type::F32);
  /// Alpha and beta stand in host memory.
  int32_t pointerMode = 0;
  int32_t transA = 0, transB = 0;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  uint64_t biasPointer = 0;
  int64_t biasBatchStride = 0;
  /// -1: the type of D.
  int32_t biasType = -1;

  Status set(int attribute, const void *value, size_t bytes);
};

struct MatrixLayout {
  uint32_t type = uint32_t(Type::F32);
  int32_t order = CUBLASLT_ORDER_COL;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  int32_t batches = 1;
  int64_t batchStride = 0;

  Status set(int attribute, const void *value, size_t bytes);
};

struct MatmulPreference {
  uint64_t workspaceBytes = 0;

  Status set(int attribute, const void *value, size_t bytes);
};

/// What the algorithm's opaque words hold.
struct Algorithm {
  uint64_t mark = 0, splits = 1;

  static constexpr uint64_t kMark = 0x616d70632d616c67;
  bool isKnown() const { return mark == kMark && splits >= 1 && splits <= 2; }
  /// The partial sums it wants room for.
  uint64_t workspaceBytes(const Product &product) const;
};

/// The product that descriptors ask for, without alpha and beta. Types, orders
/// and epilogues the device does not have are not supported; extents that
/// contradict each other are invalid.
Status makeProduct(const MatmulDesc &desc, const MatrixLayout &a,
                   const MatrixLayout &b, const MatrixLayout &c,
                   const MatrixLayout &d, Product &product);

} // namespace ampc::hostgpu
