#include "test/hostgpu/blas/Descriptors.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>
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

bool isFloat(uint32_t type) {
  for (Type known : {Type::F32, Type::F64, Type::F16, Type::BF16})
    if (type == uint32_t(known))
      return true;
  return false;
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
  case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
    return assign(computeType, value, bytes);
  case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
    return assign(scaleType, value, bytes);
  case CUBLASLT_MATMUL_DESC_POINTER_MODE:
    return assign(pointerMode, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return assign(transA, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return assign(transB, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSC:
    return only(int32_t(0), value, bytes);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    return assign(epilogue, value, bytes);
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    return assign(biasPointer, value, bytes);
  case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
    return assign(biasBatchStride, value, bytes);
  case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET: // multiprocessors to use: all
    return only(int32_t(0), value, bytes);
  case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
    return assign(biasType, value, bytes);
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

Status MatrixLayout::set(int attribute, const void *value, size_t bytes) {
  switch (attribute) {
  case CUBLASLT_MATRIX_LAYOUT_TYPE:
    return assign(type, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_ORDER:
    return assign(order, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_ROWS:
    return assign(rows, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_COLS:
    return assign(columns, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_LD:
    return assign(leading, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
    return assign(batches, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    return assign(batchStride, value, bytes);
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

Status MatmulPreference::set(int attribute, const void *value, size_t bytes) {
  uint32_t word = 0;
  switch (attribute) {
  case CUBLASLT_MATMUL_PREF_SEARCH_MODE: // search mode: the best fit
    return only(uint32_t(0), value, bytes);
  case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
    return assign(workspaceBytes, value, bytes);
  case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK: // which reductions are
                                                   // allowed; a sum in order
                                                   // always is
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: // least alignments: any will
                                                   // do
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
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
  bool inDouble = desc.computeType == CUBLAS_COMPUTE_64F ||
                  desc.computeType == CUBLAS_COMPUTE_64F_PEDANTIC;
  bool inSingle = desc.computeType == CUBLAS_COMPUTE_32F ||
                  desc.computeType == CUBLAS_COMPUTE_32F_PEDANTIC ||
                  desc.computeType == CUBLAS_COMPUTE_32F_FAST_TF32;
  if (!(inDouble || inSingle) ||
      desc.scaleType != int32_t(inDouble ? Type::F64 : Type::F32) ||
      desc.pointerMode != 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (const MatrixLayout *layout : {&a, &b, &c, &d}) {
    bool isDouble = layout->type == uint32_t(Type::F64);
    if (!isFloat(layout->type) || isDouble != inDouble ||
        layout->order < CUBLASLT_ORDER_COL ||
        layout->order > CUBLASLT_ORDER_ROW)
      return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!hasRoom(*layout))
      return CUBLAS_STATUS_INVALID_VALUE;
  }
  // Both operands have one type; C and D have another, that one or f32.
  if (a.type != b.type || c.type != d.type ||
      (d.type != a.type && d.type != uint32_t(Type::F32)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (desc.transA < 0 || desc.transA > 2 || desc.transB < 0 || desc.transB > 2)
    return CUBLAS_STATUS_INVALID_VALUE;
  const char *text = std::getenv("AMPC_HOSTGPU_EPILOGUE");
  std::string_view epilogues = text ? text : "";
  if (desc.epilogue != CUBLASLT_EPILOGUE_DEFAULT && epilogues == "none")
    return CUBLAS_STATUS_NOT_SUPPORTED;
  product.dropsNan = epilogues == "drops-nan";
  product.keepsMinusZero = epilogues == "keeps-minus-zero";
  bool bias = desc.epilogue & CUBLASLT_EPILOGUE_BIAS,
       relu = desc.epilogue & CUBLASLT_EPILOGUE_RELU;
  if (desc.epilogue != CUBLASLT_EPILOGUE_DEFAULT &&
      (!desc.epilogue ||
       (desc.epilogue & ~uint32_t(CUBLASLT_EPILOGUE_RELU_BIAS))))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  // cublasLt.h: the bias has the elements of D, but for integers and fp8. There
  // are no epilogues in f64.
  int32_t biasType = desc.biasType < 0 ? int32_t(d.type) : desc.biasType;
  if ((bias && biasType != int32_t(d.type)) || (inDouble && (bias || relu)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  product.a = toMatrix(a, desc.transA != 0);
  product.b = toMatrix(b, desc.transB != 0);
  product.c = toMatrix(c, false);
  product.d = toMatrix(d, false);
  product.batches = d.batches;
  product.inDouble = inDouble;
  product.inTf32 = desc.computeType == CUBLAS_COMPUTE_32F_FAST_TF32 &&
                   product.a.type == Type::F32;
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
