// Argmax, logsumexp and variance: building, verification, derivatives,
// decomposition, facts.
#include "ir/dialect/ops/Formula.h"

#include <limits>

using namespace mlir;
using namespace ampc::amp;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RankedTensorType reducedType(Value input, ArrayRef<int64_t> axes,
                             Type element) {
  return RankedTensorType::get(withoutAxes(tensorType(input).getShape(), axes),
                               element);
}

/// Axes are in range and increase, and the result has the input's element type
/// and the extents without them.
LogicalResult verifyOverAxes(Operation *op, ArrayRef<int64_t> axes) {
  RankedTensorType input = tensorType(op->getOperand(0)),
                   result = tensorType(op->getResult(0));
  if (axes.empty())
    return op->emitOpError() << "needs at least one axis";
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (axis <= previous || axis >= input.getRank())
      return op->emitOpError()
             << "axes must increase and stay below the input's rank "
             << input.getRank() << ", got " << axis << " after " << previous;
    previous = axis;
  }
  RankedTensorType expected =
      reducedType(op->getOperand(0), axes, input.getElementType());
  if (result != expected)
    return op->emitOpError()
           << "result must be " << expected << ", got " << result;
  return success();
}

FusionKind kindOf(int64_t rank, ArrayRef<int64_t> axes) {
  return orderOf(rank, axes) == AccumulationOrder::row
             ? FusionKind::row_reduce
             : FusionKind::column_reduce;
}

} // namespace

//===----------------------------------------------------------------------===//
// amp.argmax
//===----------------------------------------------------------------------===//

void ArgmaxOp::build(OpBuilder &builder, OperationState &state, Value input,
                     int64_t axis) {
  build(builder, state, reducedType(input, {axis}, builder.getI64Type()), input,
        axis);
}

LogicalResult ArgmaxOp::verify() {
  // argmax_c1
  RankedTensorType input = tensorType(getInput());
  int64_t axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= input.getRank())
    return emitOpError() << "axis must be in [0, " << input.getRank()
                         << "), got " << axis;
  if (input.getDimSize(axis) == 0)
    return emitOpError() << "needs at least one element, but axis " << axis
                         << " is empty";
  // argmax_c2
  SmallVector<int64_t> expected = withoutAxes(input.getShape(), {axis});
  if (tensorType(getResult()).getShape() != ArrayRef(expected))
    return emitOpError() << "result must have the extents [" << expected
                         << "], got [" << tensorType(getResult()).getShape()
                         << "]";
  return success();
}

FusionKind ArgmaxOp::fusionKind() {
  return kindOf(tensorType(getInput()).getRank(),
                {static_cast<int64_t>(getAxis())});
}
PrecisionClass ArgmaxOp::classify() { return PrecisionClass::f32_inside; }
Type ArgmaxOp::accumulationType() {
  return accumulationTypeFor(tensorType(getInput()).getElementType());
}
std::optional<IntegerRange> ArgmaxOp::resultRange(ArrayRef<IntegerRange>) {
  return IntegerRange{0, tensorType(getInput()).getDimSize(getAxis()) - 1};
}
OpCost ArgmaxOp::cost(TargetAttr) { return mapCost(*this, 3, 0); }

FailureOr<SmallVector<Value>> ArgmaxOp::decompose(OpBuilder &builder) {
  RankedTensorType input = tensorType(getInput());
  int64_t axis = static_cast<int64_t>(getAxis());
  RowFormula f(builder, getLoc(), input.getShape(), {axis});
  Value x = getInput();
  Value largest = f.spread(f.reduce(ReduceKind::max, x));
  Value hit = f.compare(ComparePredicate::eq, x, largest);
  Value index = f.repeat(f.iota(f.rowLength(), builder.getI64Type()));
  Value beyond = f.constant(index, static_cast<double>(f.rowLength()));
  Value first = f.select(hit, index, beyond);
  if (isa<FloatType>(input.getElementType())) {
    // The maximum of a row with a NaN is NaN, which equals nothing.
    Value isNan = f.compare(ComparePredicate::ne, x, x);
    first = f.select(isNan, index, first);
  }
  return SmallVector<Value>{f.reduce(ReduceKind::min, first)};
}

//===----------------------------------------------------------------------===//
// amp.logsumexp
//===----------------------------------------------------------------------===//

void LogsumexpOp::build(OpBuilder &builder, OperationState &state, Value input,
                        ArrayRef<int64_t> axes) {
  build(builder, state,
        reducedType(input, axes, tensorType(input).getElementType()), input,
        axes);
}

LogicalResult LogsumexpOp::verify() {
  return verifyOverAxes(*this, getAxes()); // logsumexp_c1, logsumexp_c2
}

FusionKind LogsumexpOp::fusionKind() {
  return kindOf(tensorType(getInput()).getRank(), getAxes());
}
PrecisionClass LogsumexpOp::classify() { return PrecisionClass::f32_inside; }
Type LogsumexpOp::accumulationType() {
  return accumulationTypeFor(tensorType(getInput()).getElementType());
}
OpCost LogsumexpOp::cost(TargetAttr) { return mapCost(*this, 3, 1); }

FailureOr<SmallVector<Value>> LogsumexpOp::decompose(OpBuilder &builder) {
  RankedTensorType input = tensorType(getInput());
  RowFormula f(builder, getLoc(), input.getShape(), getAxes());
  if (f.rowLength() == 0)
    return SmallVector<Value>{f.constant(getResult(), -kInfinity)};
  Value x = f.widen(getInput());
  Value largest = f.reduce(ReduceKind::max, x);
  // A shift of -inf would give NaN in a row of -inf alone, +inf in one with
  // +inf.
  Value zero = f.constant(largest, 0.0);
  Value shift = largest;
  for (double infinity : {kInfinity, -kInfinity})
    shift = f.select(f.compare(ComparePredicate::eq, largest, infinity), zero,
                     shift);
  Value sum = f.reduce(ReduceKind::sum, f.exp(f.sub(x, f.spread(shift))));
  Value result = f.add(shift, f.log(sum));
  return SmallVector<Value>{f.cast(result, input.getElementType())};
}

LogicalResult LogsumexpOp::backward(OpBuilder &builder, ValueRange gradients,
                                    SmallVectorImpl<Value> &out) {
  RankedTensorType input = tensorType(getInput());
  RowFormula f(builder, getLoc(), input.getShape(), getAxes());
  Value x = f.widen(getInput());
  Value result = f.spread(f.widen(getResult()));
  Value g = f.spread(f.widen(gradients[0]));
  Value share = f.mul(g, f.exp(f.sub(x, result)));
  // -inf - -inf is NaN: such a row has no gradient (N9).
  Value empty = f.compare(ComparePredicate::eq, result, -kInfinity);
  Value dx = f.select(empty, f.constant(share, 0.0), share);
  out.push_back(f.cast(dx, input.getElementType()));
  return success();
}
SmallVector<Value> LogsumexpOp::savedOperands() {
  return {getInput(), getResult()};
}

//===----------------------------------------------------------------------===//
// amp.variance
//===----------------------------------------------------------------------===//

void VarianceOp::build(OpBuilder &builder, OperationState &state, Value input,
                       ArrayRef<int64_t> axes, int64_t correction) {
  build(builder, state,
        reducedType(input, axes, tensorType(input).getElementType()), input,
        axes, correction);
}

LogicalResult VarianceOp::verify() {
  if (failed(verifyOverAxes(*this, getAxes()))) // variance_c1, variance_c2
    return failure();
  // variance_c3
  int64_t correction = static_cast<int64_t>(getCorrection());
  if (correction < 0)
    return emitOpError() << "correction must be at least 0, got " << correction;
  return success();
}

FusionKind VarianceOp::fusionKind() {
  return kindOf(tensorType(getInput()).getRank(), getAxes());
}
PrecisionClass VarianceOp::classify() { return PrecisionClass::f32_inside; }
Type VarianceOp::accumulationType() {
  return accumulationTypeFor(tensorType(getInput()).getElementType());
}
OpCost VarianceOp::cost(TargetAttr) { return mapCost(*this, 5, 0); }

/// What the sum of squares is divided by.
static double degreesOfFreedom(VarianceOp op, const RowFormula &f) {
  int64_t correction = static_cast<int64_t>(op.getCorrection());
  return static_cast<double>(std::max<int64_t>(f.rowLength() - correction, 0));
}

FailureOr<SmallVector<Value>> VarianceOp::decompose(OpBuilder &builder) {
  RankedTensorType input = tensorType(getInput());
  RowFormula f(builder, getLoc(), input.getShape(), getAxes());
  if (f.rowLength() == 0)
    return SmallVector<Value>{f.constant(
        getResult().getType(), std::numeric_limits<double>::quiet_NaN())};
  Value c = f.centered(f.widen(getInput()));
  Value sum = f.reduce(ReduceKind::sum, f.mul(c, c));
  Value result = f.div(sum, f.constant(sum, degreesOfFreedom(*this, f)));
  return SmallVector<Value>{f.cast(result, input.getElementType())};
}

LogicalResult VarianceOp::backward(OpBuilder &builder, ValueRange gradients,
                                   SmallVectorImpl<Value> &out) {
  RankedTensorType input = tensorType(getInput());
  RowFormula f(builder, getLoc(), input.getShape(), getAxes());
  if (f.rowLength() == 0) {
    out.push_back(f.constant(input, 0.0));
    return success();
  }
  Value c = f.centered(f.widen(getInput()));
  Value g = f.widen(gradients[0]);
  g = f.div(f.add(g, g), f.constant(g, degreesOfFreedom(*this, f)));
  out.push_back(f.cast(f.mul(f.spread(g), c), input.getElementType()));
  return success();
}
SmallVector<Value> VarianceOp::savedOperands() { return {getInput()}; }
