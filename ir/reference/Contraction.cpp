// The value of matrix products: f64 products summed over ascending k, one
// rounding. Tests of whole steps at full size run through here, so the loops
// are tiled for registers; the order of the additions of one element stays k
// ascending.
#include "ir/reference/MatrixProduct.h"
#include "ir/reference/Models.h"

using namespace mlir;

namespace ampc::reference {

namespace {

constexpr int64_t kTileRows = 2;
constexpr int64_t kTileColumns = 8;

/// `matrix` [rows, columns], or its transpose when it is stored as [columns,
/// rows], row-major.
std::vector<double> rowMajor(const double *matrix, int64_t rows,
                             int64_t columns, bool storedTransposed) {
  std::vector<double> copy(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      copy[i * columns + j] =
          storedTransposed ? matrix[j * rows + i] : matrix[i * columns + j];
  return copy;
}

/// c[rows, width] += a[rows, k] * panel[k, kTileColumns]; c has row stride n,
/// width <= kTileColumns.
template <int64_t rows>
void multiplyTile(const double *a, const double *panel, double *c, int64_t k,
                  int64_t n, int64_t width) {
  double sum[rows][kTileColumns] = {};
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < width; ++j)
      sum[i][j] = c[i * n + j];
  for (int64_t p = 0; p < k; ++p)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < kTileColumns; ++j)
        sum[i][j] += a[i * k + p] * panel[p * kTileColumns + j];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < width; ++j)
      c[i * n + j] = sum[i][j];
}

/// c[m, n] += a[m, k] * b[k, n], all row-major.
void multiply(const double *a, const double *b, double *c, int64_t m, int64_t n,
              int64_t k) {
  std::vector<double> panel(static_cast<size_t>(k * kTileColumns));
  for (int64_t column = 0; column < n; column += kTileColumns) {
    int64_t width = std::min(kTileColumns, n - column);
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < kTileColumns; ++j)
        panel[p * kTileColumns + j] = j < width ? b[p * n + column + j] : 0.0;
    int64_t row = 0;
    for (; row + kTileRows <= m; row += kTileRows)
      multiplyTile<kTileRows>(a + row * k, panel.data(), c + row * n + column,
                              k, n, width);
    for (; row < m; ++row)
      multiplyTile<1>(a + row * k, panel.data(), c + row * n + column, k, n,
                      width);
  }
}

struct MatmulModel : Model<MatmulModel, amp::MatmulOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::MatmulOp>(operation);
    std::vector<double> values =
        matrixProduct(op, in[0]->floats(), in[1]->floats(),
                      op.getInit() ? in[2]->floats() : std::vector<double>());
    int64_t columns = op.extents().n;
    if (op.getBias()) {
      Rounder round(op.getAccumulation());
      for (auto [i, value] : llvm::enumerate(values))
        value = round(round(value) + in.back()->floats()[i % columns]);
    }
    if (op.getRelu())
      for (double &value : values)
        value = value <= 0 ? 0.0 : value; // a NaN stays
    out.push_back(Tensor::ofFloats(resultType(op), std::move(values)));
    return success();
  }
};

/// The product is rounded to the accumulation type, its sum with the bias too,
/// then the sum to the result's (Contraction.td).
struct LinearModel : Model<LinearModel, amp::LinearOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::LinearOp>(operation);
    const Tensor &input = *in[0], &weight = *in[1];
    int64_t outputs = weight.shape()[0], inputs = weight.shape()[1];
    int64_t rows = amp::elementCount(input.shape().drop_back());
    std::vector<double> transposed = rowMajor(
        weight.floats().data(), inputs, outputs, /*storedTransposed=*/true);
    std::vector<double> values(static_cast<size_t>(rows * outputs));
    multiply(input.floats().data(), transposed.data(), values.data(), rows,
             outputs, inputs);
    if (in.size() == 3) {
      Rounder round(op.getAccumulation());
      for (auto [i, value] : llvm::enumerate(values))
        value = round(round(value) + in[2]->floats()[i % outputs]);
    }
    out.push_back(Tensor::ofFloats(resultType(op), std::move(values)));
    return success();
  }
};

} // namespace

std::vector<double> matrixProduct(amp::MatmulOp op,
                                  const std::vector<double> &lhs,
                                  const std::vector<double> &rhs,
                                  std::vector<double> values) {
  auto [batch, m, n, k] = op.extents();
  values.resize(static_cast<size_t>(batch * m * n));
  for (int64_t i = 0; i < batch; ++i) {
    std::vector<double> a =
        rowMajor(lhs.data() + i * m * k, m, k, op.getTransposeA());
    std::vector<double> b =
        rowMajor(rhs.data() + i * k * n, k, n, op.getTransposeB());
    multiply(a.data(), b.data(), values.data() + i * m * n, m, n, k);
  }
  return values;
}

void attachContractionModels(MLIRContext &context) {
  amp::MatmulOp::attachInterface<MatmulModel>(context);
  amp::LinearOp::attachInterface<LinearModel>(context);
}

} // namespace ampc::reference
