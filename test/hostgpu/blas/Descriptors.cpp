#include "test/hostgpu/blas/Descriptors.h"

#include <cstring>
#include <initializer_list>
#include <utility>

using namespace ampc::hostgpu;

namespace {

template <class T>
Status assign(T &to, const void *value, size_t bytes) {
  if (!value || bytes != sizeof(T))
    return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, value, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

/// Attributes that are known but may only have this value.
template <class T>
Status only(T expected, const void *value, size_t bytes) {
  T given{};
  if (Status status = assign(given, value, bytes))
    return status;
  return given == expected ? CUBLAS_STATUS_SUCCESS
                           : CUBLAS_STATUS_NOT_SUPPORTED;
}

enum Epilogue : uint32_t { Default = 1, Relu = 2, Bias = 4 };

bool isFloat(uint32_t type) {
  return type == 0 || type == 1 || type == 2 || type == 14;
}

Matrix toMatrix(const MatrixLayout &layout, bool transposed) {
  Matrix matrix;
  matrix.type = Type(layout.type);
  matrix.rows = int64_t(layout.rows);
  matrix.columns = int64_t(layout.columns);
  matrix.rowStride = layout.order ? layout.leading : 1;
  matrix.columnStride = layout.order ? 1 : layout.leading;
  matrix.batchStride = layout.batchStride;
  if (transposed) {
    std::swap(matrix.rows, matrix.columns);
    std::swap(matrix.rowStride, matrix.columnStride);
  }
  return matrix;
}

/// The leading dimension spans a column, or a row in row order.
bool hasRoom(const MatrixLayout &layout) {
  uint64_t extent = layout.order ? layout.columns : layout.rows;
  return layout.rows && layout.columns && layout.leading >= int64_t(extent) &&
         layout.batches >= 1;
}

} // namespace

Status MatmulDesc::set(int attribute, const void *value, size_t bytes) {
  switch (attribute) {
  case 0:
    return assign(computeType, value, bytes);
  case 1:
    return assign(scaleType, value, bytes);
  case 2:
    return assign(pointerMode, value, bytes);
  case 3:
    return assign(transA, value, bytes);
  case 4:
    return assign(transB, value, bytes);
  case 5:
    return only(int32_t(0), value, bytes);
  case 7:
    return assign(epilogue, value, bytes);
  case 8:
    return assign(biasPointer, value, bytes);
  case 10:
    return assign(biasBatchStride, value, bytes);
  case 15: // multiprocessors to use: all
    return only(int32_t(0), value, bytes);
  case 26:
    return assign(biasType, value, bytes);
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

Status MatrixLayout::set(int attribute, const void *value, size_t bytes) {
  switch (attribute) {
  case 0:
    return assign(type, value, bytes);
  case 1:
    return assign(order, value, bytes);
  case 2:
    return assign(rows, value, bytes);
  case 3:
    return assign(columns, value, bytes);
  case 4:
    return assign(leading, value, bytes);
  case 5:
    return assign(batches, value, bytes);
  case 6:
    return assign(batchStride, value, bytes);
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

Status MatmulPreference::set(int attribute, const void *value, size_t bytes) {
  uint32_t word = 0;
  switch (attribute) {
  case 0: // search mode: the best fit
    return only(uint32_t(0), value, bytes);
  case 1:
    return assign(workspaceBytes, value, bytes);
  case 3: // which reductions are allowed; a sum in order always is
  case 5: // least alignments: any will do
  case 6:
  case 7:
  case 8:
    return assign(word, value, bytes);
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

uint64_t Algorithm::workspaceBytes(const Product &product) const {
  if (splits <= 1)
    return 0;
  return splits * uint64_t(product.d.rows) * uint64_t(product.d.columns) *
         (product.inDouble ? 8 : 4);
}

Status ampc::hostgpu::makeProduct(const MatmulDesc &desc, const MatrixLayout &a,
                                  const MatrixLayout &b, const MatrixLayout &c,
                                  const MatrixLayout &d, Product &product) {
  bool inDouble = desc.computeType == 70 || desc.computeType == 71;
  bool inSingle = desc.computeType == 68 || desc.computeType == 69;
  if (!(inDouble || inSingle) || desc.scaleType != (inDouble ? 1 : 0) ||
      desc.pointerMode != 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (const MatrixLayout *layout : {&a, &b, &c, &d}) {
    bool isDouble = layout->type == 1;
    if (!isFloat(layout->type) || isDouble != inDouble || layout->order < 0 ||
        layout->order > 1)
      return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!hasRoom(*layout))
      return CUBLAS_STATUS_INVALID_VALUE;
  }
  // Both operands have one type; C and D have another, that one or f32.
  if (a.type != b.type || c.type != d.type || (d.type != a.type && d.type != 0))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (desc.transA < 0 || desc.transA > 2 || desc.transB < 0 || desc.transB > 2)
    return CUBLAS_STATUS_INVALID_VALUE;
  bool bias = desc.epilogue & Bias, relu = desc.epilogue & Relu;
  if (desc.epilogue != Default &&
      (!desc.epilogue || (desc.epilogue & ~uint32_t(Bias | Relu))))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  int32_t biasType = desc.biasType < 0 ? int32_t(d.type) : desc.biasType;
  if (bias && biasType != int32_t(d.type) && biasType != int32_t(a.type))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  product.a = toMatrix(a, desc.transA != 0);
  product.b = toMatrix(b, desc.transB != 0);
  product.c = toMatrix(c, false);
  product.d = toMatrix(d, false);
  product.batches = d.batches;
  product.inDouble = inDouble;
  product.hasBias = bias;
  product.relu = relu;
  product.biasType = Type(biasType);
  product.biasBatchStride = desc.biasBatchStride;
  bool fits = product.a.rows == product.d.rows &&
              product.b.columns == product.d.columns &&
              product.a.columns == product.b.rows &&
              product.c.rows == product.d.rows &&
              product.c.columns == product.d.columns;
  for (const MatrixLayout *layout : {&a, &b, &c})
    fits = fits && layout->batches == d.batches;
  return fits ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
