// What a matrix product of the software cuBLASLt is about, apart from its
// interface, and the arithmetic itself.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ampc::hostgpu {

/// Numbers of cudaDataType.
enum class Type : int { F32 = 0, F64 = 1, F16 = 2, BF16 = 14 };

size_t sizeOf(Type type);

/// A batch of matrices; strides in elements.
struct Matrix {
  Type type = Type::F32;
  int64_t rows = 0, columns = 0;
  int64_t rowStride = 1, columnStride = 0;
  int64_t batchStride = 0;
};

/// D = epilogue(alpha A B + beta C + bias): A is m x k, B k x n, C and D m x n;
/// the bias has a value per row of D.
struct Product {
  Matrix a, b, c, d;
  int64_t batches = 1;
  /// Of the scale type: f64 when `inDouble`, else f32.
  double alpha = 1, beta = 0;
  bool inDouble = false;
  /// Operands are rounded to 10 bits of mantissa.
  bool inTf32 = false;
  bool hasBias = false, relu = false;
  bool dropsNan = false;       ///< relu of a NaN is 0
  bool keepsMinusZero = false; ///< sums of -0 are -0, and so is relu of it
  Type biasType = Type::F32;
  int64_t biasBatchStride = 0;
  /// The sum over k is cut into this many partial sums, added up at the end.
  int splits = 1;
};

/// Each element is a sum over ascending k in the accumulation type, one
/// rounding per product and per addition. With beta zero C is not read.
void multiply(const Product &product, const void *a, const void *b,
              const void *c, void *d, const void *bias);

} // namespace ampc::hostgpu
