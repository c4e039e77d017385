// The value of ops that choose elements by index.
#include "ir/reference/Models.h"

#include <limits>

using namespace mlir;

namespace ampc::reference {

namespace {

/// A tensor around one axis: element [outer, i, inner] is at
/// (outer * extent + i) * inner extent + inner.
struct AxisView {
  int64_t outer, extent, inner;
  AxisView(ArrayRef<int64_t> shape, uint64_t axis)
      : outer(amp::elementCount(shape.take_front(axis))), extent(shape[axis]),
        inner(amp::elementCount(shape.drop_front(axis + 1))) {}
  bool holds(int64_t i) const { return i >= 0 && i < extent; }
  int64_t at(int64_t o, int64_t i, int64_t k) const {
    return (o * extent + i) * inner + k;
  }
};

/// What an index outside the axis reads: NaN, 0 for integers.
void takeNothing(Tensor &result, int64_t to) {
  if (result.isFloat())
    result.floats()[to] = std::numeric_limits<double>::quiet_NaN();
}

struct TakeModel : Model<TakeModel, amp::TakeOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    const std::vector<int64_t> &index = in[1]->integers();
    Tensor result(resultType(operation));
    AxisView view(in[0]->shape(), cast<amp::TakeOp>(operation).getAxis());
    int64_t to = 0;
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i : index)
        for (int64_t k = 0; k < view.inner; ++k, ++to)
          if (view.holds(i))
            result.take(to, *in[0], view.at(o, i, k));
          else
            takeNothing(result, to);
    out.push_back(std::move(result));
    return success();
  }
};

struct GatherModel : Model<GatherModel, amp::GatherOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    uint64_t axis = cast<amp::GatherOp>(operation).getAxis();
    const std::vector<int64_t> &index = in[1]->integers();
    Tensor result(resultType(operation));
    AxisView view(in[0]->shape(), axis), own(in[1]->shape(), axis);
    for (int64_t o = 0; o < own.outer; ++o)
      for (int64_t j = 0; j < own.extent; ++j)
        for (int64_t k = 0; k < own.inner; ++k) {
          int64_t to = own.at(o, j, k), i = index[to];
          if (view.holds(i))
            result.take(to, *in[0], view.at(o, i, k));
          else
            takeNothing(result, to);
        }
    out.push_back(std::move(result));
    return success();
  }
};

/// Sums that are rounded once, to the result type.
class Sums {
public:
  explicit Sums(RankedTensorType type) : result(type) {}
  void add(int64_t to, const Tensor &updates, int64_t from) {
    if (result.isFloat())
      result.floats()[to] += updates.floats()[from];
    else // unsigned: sums wrap
      result.integers()[to] =
          static_cast<int64_t>(static_cast<uint64_t>(result.integers()[to]) +
                               static_cast<uint64_t>(updates.integers()[from]));
  }
  Tensor rounded() && {
    if (result.isFloat())
      return Tensor::ofFloats(result.type(), std::move(result.floats()));
    return Tensor::ofIntegers(result.type(), std::move(result.integers()));
  }

private:
  Tensor result;
};

struct ScatterRowsModel : Model<ScatterRowsModel, amp::ScatterRowsOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::ScatterRowsOp>(operation);
    const std::vector<int64_t> &index = in[0]->integers();
    Sums sums(resultType(op));
    AxisView view(resultType(op).getShape(), op.getAxis());
    int64_t from = 0;
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i : index) {
        bool kept = view.holds(i) && i != op.getPaddingIdx();
        for (int64_t k = 0; k < view.inner; ++k, ++from)
          if (kept)
            sums.add(view.at(o, i, k), *in[1], from);
      }
    out.push_back(std::move(sums).rounded());
    return success();
  }
};

struct ScatterAddModel : Model<ScatterAddModel, amp::ScatterAddOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::ScatterAddOp>(operation);
    const std::vector<int64_t> &index = in[0]->integers();
    Sums sums(resultType(op));
    AxisView view(resultType(op).getShape(), op.getAxis());
    AxisView own(in[0]->shape(), op.getAxis());
    for (int64_t o = 0; o < own.outer; ++o)
      for (int64_t j = 0; j < own.extent; ++j)
        for (int64_t k = 0; k < own.inner; ++k) {
          int64_t from = own.at(o, j, k), i = index[from];
          if (view.holds(i))
            sums.add(view.at(o, i, k), *in[1], from);
        }
    out.push_back(std::move(sums).rounded());
    return success();
  }
};

struct OneHotModel : Model<OneHotModel, amp::OneHotOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    Tensor result(resultType(op));
    int64_t classes = result.shape().back();
    for (auto [row, i] : llvm::enumerate(in[0]->integers())) {
      if (i < 0 || i >= classes)
        continue;
      int64_t to = static_cast<int64_t>(row) * classes + i;
      if (result.isFloat())
        result.floats()[to] = 1;
      else
        result.integers()[to] = 1;
    }
    out.push_back(std::move(result));
    return success();
  }
};

struct FirstOutsideModel : Model<FirstOutsideModel, amp::FirstOutsideOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::FirstOutsideOp>(operation);
    auto low = static_cast<int64_t>(op.getLow()),
         high = static_cast<int64_t>(op.getHigh());
    std::optional<int64_t> ignore = op.getIgnore();
    int64_t position = -1, element = 0;
    for (auto [at, i] : llvm::enumerate(in[0]->integers())) {
      if ((i >= low && i < high) || i == ignore)
        continue;
      position = static_cast<int64_t>(at);
      element = i;
      break;
    }
    out.push_back(Tensor::ofIntegers(resultType(op, 0), {position}));
    out.push_back(Tensor::ofIntegers(resultType(op, 1), {element}));
    return success();
  }
};

} // namespace

void attachIndexingModels(MLIRContext &context) {
  amp::TakeOp::attachInterface<TakeModel>(context);
  amp::GatherOp::attachInterface<GatherModel>(context);
  amp::ScatterRowsOp::attachInterface<ScatterRowsModel>(context);
  amp::ScatterAddOp::attachInterface<ScatterAddModel>(context);
  amp::OneHotOp::attachInterface<OneHotModel>(context);
  amp::FirstOutsideOp::attachInterface<FirstOutsideModel>(context);
}

} // namespace ampc::reference
