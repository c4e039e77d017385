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

struct MatmulDesc {
  int32_t computeType = 68, scaleType = 0;
  int32_t pointerMode = 0;
  int32_t transA = 0, transB = 0, transC = 0;
  uint32_t epilogue = 1;
  uint64_t biasPointer = 0;
  int64_t biasBatchStride = 0;
  /// -1: the type of D.
  int32_t biasType = -1;

  Status set(int attribute, const void *value, size_t bytes);
};

struct MatrixLayout {
  uint32_t type = 0;
  int32_t order = 0;
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
