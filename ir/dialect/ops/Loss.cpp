// Losses: building, verification, derivatives, decomposition.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

void MseOp::build(OpBuilder &builder, OperationState &state,
                  LossReduction reduction, Value x, Value y) {
  RankedTensorType type = tensorType(x);
  Type element = computeTypeFor(type.getElementType());
  RankedTensorType result = reduction == LossReduction::none
                                ? withElementType(type, element)
                                : RankedTensorType::get({}, element);
  build(builder, state, result, reduction, x, y);
}

int64_t MseOp::termCount() { return tensorType(getX()).getNumElements(); }

LogicalResult MseOp::verify() {
  // mse_c2
  RankedTensorType input = tensorType(getX()), result = tensorType(getResult());
  Type element = computeTypeFor(input.getElementType());
  bool isScalar = getReduction() != LossReduction::none;
  if (result.getElementType() != element)
    return emitOpError() << "result must be " << element << ", got "
                         << result.getElementType();
  if (isScalar ? result.getRank() != 0 : result.getShape() != input.getShape())
    return emitOpError() << "result of reduction "
                         << stringifyLossReduction(getReduction())
                         << (isScalar ? " must be a scalar, got ["
                                      : " must have x's shape, got [")
                         << result.getShape() << "]";
  return success();
}

std::optional<int64_t> MseOp::meanTerms() {
  if (getReduction() == LossReduction::mean)
    return termCount();
  return std::nullopt;
}
Value MseOp::buildSum(OpBuilder &builder) {
  return MseOp::create(builder, getLoc(), LossReduction::sum, getX(), getY());
}

FusionKind MseOp::fusionKind() {
  return getReduction() == LossReduction::none ? FusionKind::map
                                               : FusionKind::row_reduce;
}
PrecisionClass MseOp::classify() { return PrecisionClass::f32_inside; }
Type MseOp::accumulationType() {
  return computeTypeFor(tensorType(getX()).getElementType());
}
OpCost MseOp::cost(TargetAttr) { return mapCost(*this, 3, 0); }

/// x - y in the type of the loss, [x's shape].
static Value difference(MseOp op, OpBuilder &builder) {
  Value x = op.getX(), y = op.getY();
  RankedTensorType wide = withElementType(
      x.getType(), computeTypeFor(tensorType(x).getElementType()));
  if (x.getType() != wide) {
    x = CastOp::create(builder, op.getLoc(), wide, x, CastOrigin::policy);
    y = CastOp::create(builder, op.getLoc(), wide, y, CastOrigin::policy);
  }
  return SubOp::create(builder, op.getLoc(), x, y);
}

FailureOr<SmallVector<Value>> MseOp::decompose(OpBuilder &builder) {
  Value d = difference(*this, builder);
  Value square = MulOp::create(builder, getLoc(), d, d);
  if (getReduction() == LossReduction::none)
    return SmallVector<Value>{square};
  if (tensorType(square).getRank() ==
      0) // one term: its sum and mean are itself
    return SmallVector<Value>{square};
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, tensorType(square).getRank()));
  ReduceKind kind = getReduction() == LossReduction::mean ? ReduceKind::mean
                                                          : ReduceKind::sum;
  return SmallVector<Value>{
      ReduceOp::create(builder, getLoc(), kind, square, axes)};
}

LogicalResult MseOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value d = difference(*this, builder);
  Value g = gradients[0];
  RankedTensorType wide = tensorType(d);
  // The scalar factor first: 2 g / n in the loss's type, then one product an
  // element.
  g = AddOp::create(builder, loc, g, g);
  if (getReduction() == LossReduction::mean)
    g = DivOp::create(
        builder, loc, g,
        splat(builder, loc, tensorType(g), static_cast<double>(termCount())));
  if (g.getType() != wide)
    g = BroadcastOp::create(builder, loc, wide, g, ArrayRef<int64_t>{});
  Value dx = MulOp::create(builder, loc, g, d);
  if (dx.getType() != getX().getType())
    dx = CastOp::create(builder, loc, getX().getType(), dx, CastOrigin::policy);
  out.assign({dx, NegOp::create(builder, loc, dx)});
  return success();
}
SmallVector<Value> MseOp::savedOperands() { return {getX(), getY()}; }
