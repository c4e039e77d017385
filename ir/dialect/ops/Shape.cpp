// Constants, views and broadcasts: verification, folding, derivatives, ranges.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

std::optional<IntegerRange> ConstantOp::resultRange(ArrayRef<IntegerRange>) {
  auto values = getValue().tryGetValues<APInt>();
  if (!values || values->empty())
    return std::nullopt;
  auto one = [](const APInt &value) {
    return IntegerRange{value.getSExtValue(), value.getSExtValue()};
  };
  if (getValue().isSplat())
    return one(*values->begin());
  return hullOf(llvm::map_to_vector(*values, one));
}

LogicalResult ReshapeOp::verify() {
  // reshape_c1
  int64_t before = tensorType(getInput()).getNumElements();
  int64_t after = tensorType(getResult()).getNumElements();
  if (before != after)
    return emitOpError() << "must keep the number of elements, got " << before
                         << " and " << after;
  return success();
}

FusionKind ReshapeOp::fusionKind() { return FusionKind::view; }

LogicalResult ReshapeOp::backward(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  out.push_back(
      ReshapeOp::create(builder, getLoc(), getInput().getType(), gradients[0]));
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = tensorType(getInput()),
                   result = tensorType(getResult());
  ArrayRef<int64_t> axes = getAxes();
  // broadcast_c1
  if (static_cast<int64_t>(axes.size()) != input.getRank())
    return emitOpError() << "needs one axis an input axis, got " << axes.size()
                         << " for rank " << input.getRank();
  int64_t previous = -1;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis <= previous || axis >= result.getRank())
      return emitOpError()
             << "axes must increase and stay below the result's rank "
             << result.getRank() << ", got " << axis << " after " << previous;
    previous = axis;
    // broadcast_c2
    int64_t from = input.getDimSize(i), to = result.getDimSize(axis);
    if (from != 1 && from != to)
      return emitOpError() << "input axis " << i << " must have extent 1 or "
                           << to << " (result axis " << axis << "), got "
                           << from;
  }
  return success();
}

LogicalResult BroadcastOp::backward(OpBuilder &builder, ValueRange gradients,
                                    SmallVectorImpl<Value> &out) {
  RankedTensorType input = tensorType(getInput()),
                   result = tensorType(getResult());
  SmallVector<int64_t> repeated;
  for (int64_t axis = 0; axis < result.getRank(); ++axis) {
    const int64_t *found = llvm::find(getAxes(), axis);
    bool isNew = found == getAxes().end();
    if (isNew || (input.getDimSize(found - getAxes().begin()) == 1 &&
                  result.getDimSize(axis) != 1))
      repeated.push_back(axis);
  }
  Value gradient = gradients[0];
  if (!repeated.empty())
    gradient = ReduceOp::create(builder, getLoc(), ReduceKind::sum, gradient,
                                repeated);
  if (gradient.getType() != input)
    gradient = ReshapeOp::create(builder, getLoc(), input, gradient);
  out.push_back(gradient);
  return success();
}

void IotaOp::build(OpBuilder &builder, OperationState &state, int64_t extent,
                   Type element) {
  build(builder, state, RankedTensorType::get({extent}, element));
}

LogicalResult IotaOp::verify() {
  // iota_c1
  RankedTensorType type = tensorType(getResult());
  if (type.getRank() != 1)
    return emitOpError() << "result must have one axis, got rank "
                         << type.getRank();
  if (type.getElementType().isInteger(32) &&
      type.getDimSize(0) > (int64_t(1) << 31))
    return emitOpError() << "i32 holds at most 2^31 elements, got "
                         << type.getDimSize(0);
  return success();
}

std::optional<IntegerRange> IotaOp::resultRange(ArrayRef<IntegerRange>) {
  int64_t extent = tensorType(getResult()).getDimSize(0);
  return IntegerRange{0, std::max<int64_t>(extent - 1, 0)};
}

// Positions pass through no 16-bit float (N5).
PrecisionClass IotaOp::classify() { return PrecisionClass::never; }

#define GET_OP_CLASSES
#include "ir/dialect/ops/Shape.cpp.inc"
