// Reductions: building, verification, derivatives, facts.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

void ReduceOp::build(OpBuilder &builder, OperationState &state, ReduceKind kind,
                     Value input, ArrayRef<int64_t> axes, Type resultElement) {
  RankedTensorType type = tensorType(input);
  Type element = type.getElementType();
  auto result = RankedTensorType::get(withoutAxes(type.getShape(), axes),
                                      resultElement ? resultElement : element);
  build(builder, state, result, kind, input, axes,
        orderOf(type.getRank(), axes), accumulationTypeFor(element));
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = tensorType(getInput()),
                   result = tensorType(getResult());
  ArrayRef<int64_t> axes = getAxes();
  // reduce_c1
  if (axes.empty())
    return emitOpError() << "needs at least one axis";
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (axis <= previous || axis >= input.getRank())
      return emitOpError()
             << "axes must increase and stay below the input's rank "
             << input.getRank() << ", got " << axis << " after " << previous;
    previous = axis;
  }
  // reduce_c2
  SmallVector<int64_t> expected = withoutAxes(input.getShape(), axes);
  if (result.getShape() != ArrayRef(expected))
    return emitOpError() << "result must have the extents [" << expected
                         << "], got [" << result.getShape() << "]";
  // reduce_c3
  AccumulationOrder order = orderOf(input.getRank(), axes);
  if (getOrder() != order)
    return emitOpError() << "order over these axes must be "
                         << stringifyAccumulationOrder(order) << ", got "
                         << stringifyAccumulationOrder(getOrder());
  // reduce_c4
  Type accumulation = accumulationTypeFor(input.getElementType());
  if (getAccumulation() != accumulation)
    return emitOpError() << "accumulation of " << input.getElementType()
                         << " must be " << accumulation << ", got "
                         << getAccumulation();
  // reduce_c5
  bool needsElement =
      getKind() == ReduceKind::max || getKind() == ReduceKind::min;
  for (int64_t axis : axes)
    if (needsElement && input.getDimSize(axis) == 0)
      return emitOpError() << stringifyReduceKind(getKind())
                           << " needs at least one element, but axis " << axis
                           << " is empty";
  // reduce_c6
  if (getKind() == ReduceKind::mean && !isa<FloatType>(input.getElementType()))
    return emitOpError() << "mean takes floats, got " << input.getElementType();
  // reduce_c7
  if (isa<FloatType>(input.getElementType()) !=
      isa<FloatType>(result.getElementType()))
    return emitOpError()
           << "input and result must both be floats or both be integers, got "
           << input.getElementType() << " and " << result.getElementType();
  return success();
}

int64_t ReduceOp::reducedCount() {
  int64_t count = 1;
  for (int64_t axis : getAxes())
    count *= tensorType(getInput()).getDimSize(axis);
  return count;
}

std::optional<int64_t> ReduceOp::meanTerms() {
  if (getKind() == ReduceKind::mean && tensorType(getResult()).getRank() == 0)
    return reducedCount();
  return std::nullopt;
}
Value ReduceOp::buildSum(OpBuilder &builder) {
  return ReduceOp::create(builder, getLoc(), ReduceKind::sum, getInput(),
                          getAxes(), tensorType(getResult()).getElementType());
}

FusionKind ReduceOp::fusionKind() {
  return getOrder() == AccumulationOrder::row ? FusionKind::row_reduce
                                              : FusionKind::column_reduce;
}
PrecisionClass ReduceOp::classify() { return PrecisionClass::f32_inside; }
Type ReduceOp::accumulationType() { return getAccumulation(); }

/// Repeats a value of the reduced shape over the reduced axes.
static Value overInput(ReduceOp op, OpBuilder &builder, Value reduced) {
  RankedTensorType input = tensorType(op.getInput());
  SmallVector<int64_t> kept;
  for (int64_t axis = 0; axis < input.getRank(); ++axis)
    if (!llvm::is_contained(op.getAxes(), axis))
      kept.push_back(axis);
  return BroadcastOp::create(
      builder, op.getLoc(),
      withElementType(input, tensorType(reduced).getElementType()), reduced,
      kept);
}

LogicalResult ReduceOp::backward(OpBuilder &builder, ValueRange gradients,
                                 SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  RankedTensorType input = tensorType(getInput());
  if (!isa<FloatType>(input.getElementType())) {
    out.push_back(Value());
    return success();
  }
  Value gradient = castTo(builder, loc, gradients[0], input.getElementType());
  switch (getKind()) {
  case ReduceKind::sum:
    out.push_back(overInput(*this, builder, gradient));
    return success();
  case ReduceKind::mean: {
    // Divided in the type the mean was divided in: a count may not fit a
    // narrower one (N5, N6).
    Type wide = computeTypeFor(input.getElementType());
    Value share = castTo(builder, loc, gradients[0], wide);
    share = DivOp::create(builder, loc, share,
                          splat(builder, loc, tensorType(share),
                                static_cast<double>(reducedCount())));
    share = castTo(builder, loc, share, input.getElementType());
    out.push_back(overInput(*this, builder, share));
    return success();
  }
  case ReduceKind::max:
  case ReduceKind::min: {
    // Ties share the gradient; they are counted in f32 (N5).
    Value extreme = getResult();
    if (extreme.getType() != gradient.getType())
      extreme = CastOp::create(builder, loc, gradient.getType(), extreme,
                               CastOrigin::policy);
    Value tie =
        CompareOp::create(builder, loc, ComparePredicate::eq, getInput(),
                          overInput(*this, builder, extreme));
    Type f32 = computeTypeFor(input.getElementType());
    RankedTensorType wide = withElementType(input, f32);
    Value one =
        SelectOp::create(builder, loc, tie, splat(builder, loc, wide, 1.0),
                         splat(builder, loc, wide, 0.0));
    Value count =
        ReduceOp::create(builder, loc, ReduceKind::sum, one, getAxes());
    if (count.getType() != gradient.getType())
      gradient = CastOp::create(builder, loc, count.getType(), gradient,
                                CastOrigin::policy);
    Value share = DivOp::create(builder, loc, gradient, count);
    if (f32 != input.getElementType())
      share = CastOp::create(
          builder, loc,
          withElementType(share.getType(), input.getElementType()), share,
          CastOrigin::policy);
    out.push_back(SelectOp::create(builder, loc, tie,
                                   overInput(*this, builder, share),
                                   splat(builder, loc, input, 0.0)));
    return success();
  }
  case ReduceKind::prod:
    return emitOpError() << "the gradient of prod is not available yet";
  }
  llvm_unreachable("covered switch");
}

SmallVector<Value> ReduceOp::savedOperands() {
  if (getKind() == ReduceKind::max || getKind() == ReduceKind::min)
    return {getInput(), getResult()};
  return {};
}
