// Reductions: building, verification, derivatives, facts.
#include "ir/dialect/ops/Formula.h"

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
  bool needsElement = getKind() == ReduceKind::max ||
                      getKind() == ReduceKind::min ||
                      getKind() == ReduceKind::first;
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

bool ReduceOp::isMean() {
  return getKind() == ReduceKind::mean &&
         tensorType(getResult()).getRank() == 0;
}
Value ReduceOp::buildSum(OpBuilder &builder) {
  return ReduceOp::create(builder, getLoc(), ReduceKind::sum, getInput(),
                          getAxes(), tensorType(getResult()).getElementType());
}
Value ReduceOp::buildCount(OpBuilder &builder) {
  return splat(builder, getLoc(), tensorType(getResult()),
               static_cast<double>(reducedCount()));
}

FusionKind ReduceOp::fusionKind() {
  return getOrder() == AccumulationOrder::row ? FusionKind::row_reduce
                                              : FusionKind::column_reduce;
}
PrecisionClass ReduceOp::classify() { return PrecisionClass::f32_inside; }
Type ReduceOp::accumulationType() { return getAccumulation(); }

/// Gradient of a product: g times the product of the other elements. With one
/// zero in a row only that element gets a gradient, with more none does.
static Value productGradient(RowFormula &f, ReduceOp op, Value gradient) {
  Value x = f.widen(op.getInput());
  Value g = f.widen(gradient);
  Type element = tensorType(x).getElementType();
  Value isZero = f.compare(ComparePredicate::eq, x, 0.0);
  Value zeros =
      f.spread(f.reduce(ReduceKind::sum, f.indicator(isZero, element)));
  Value nonzero = f.select(isZero, f.constant(x, 1.0), x);
  Value product = f.spread(f.mul(g, f.reduce(ReduceKind::prod, nonzero)));
  // The divisor is 1 at a zero, whose own gradient is the product of the rest.
  Value others = f.div(product, nonzero);
  Value none = f.constant(x, 0.0);
  Value alone = f.select(f.compare(ComparePredicate::eq, zeros, 1.0),
                         f.select(isZero, others, none), none);
  return f.select(f.compare(ComparePredicate::eq, zeros, 0.0), others, alone);
}

/// Gradient of a first element: g there, zeros elsewhere.
static Value firstGradient(RowFormula &f, ReduceOp op, Value gradient) {
  ArrayRef<int64_t> shape = tensorType(op.getInput()).getShape();
  SmallVector<int64_t> unit(shape), none(shape.size(), 0),
      high(shape.size(), 0);
  for (int64_t axis : op.getAxes()) {
    unit[axis] = 1;
    high[axis] = shape[axis] - 1;
  }
  return f.pad(f.reshape(gradient, unit), none, high);
}

LogicalResult ReduceOp::backward(OpBuilder &builder, ValueRange gradients,
                                 SmallVectorImpl<Value> &out) {
  RankedTensorType input = tensorType(getInput());
  Type element = input.getElementType();
  if (!isa<FloatType>(element)) {
    out.push_back(Value());
    return success();
  }
  RowFormula f(builder, getLoc(), input.getShape(), getAxes());
  Value g = gradients[0];
  Type wide = computeTypeFor(element);
  switch (getKind()) {
  case ReduceKind::sum:
    out.push_back(f.spread(f.cast(g, element)));
    return success();
  case ReduceKind::mean: {
    // Divided in the type the mean was divided in: a count may not fit a
    // narrower one (N5, N6).
    Value share = f.cast(g, wide);
    share =
        f.div(share, f.constant(share, static_cast<double>(reducedCount())));
    out.push_back(f.spread(f.cast(share, element)));
    return success();
  }
  case ReduceKind::max:
  case ReduceKind::min: {
    // Ties share the gradient; they are counted in f32 (N5).
    Value extreme = f.spread(f.cast(getResult(), element));
    Value tie = f.compare(ComparePredicate::eq, getInput(), extreme);
    Value count = f.reduce(ReduceKind::sum, f.indicator(tie, wide));
    Value share = f.cast(f.div(f.cast(g, wide), count), element);
    out.push_back(f.select(tie, f.spread(share), f.constant(input, 0.0)));
    return success();
  }
  case ReduceKind::prod:
    out.push_back(f.cast(productGradient(f, *this, g), element));
    return success();
  case ReduceKind::first:
    out.push_back(firstGradient(f, *this, f.cast(g, element)));
    return success();
  }
  llvm_unreachable("covered switch");
}

SmallVector<Value> ReduceOp::savedOperands() {
  switch (getKind()) {
  case ReduceKind::max:
  case ReduceKind::min:
    return {getInput(), getResult()};
  case ReduceKind::prod:
    return {getInput()};
  case ReduceKind::sum:
  case ReduceKind::mean:
  case ReduceKind::first:
    return {};
  }
  llvm_unreachable("covered switch");
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Reduction.cpp.inc"
