// Scalar maps: costs, derivatives, decomposition.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

OpCost ExpOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }
OpCost SqrtOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }

//===----------------------------------------------------------------------===//
// Derivatives (N15). `gradients` holds one value a result, null where none
// flows.
//===----------------------------------------------------------------------===//

LogicalResult AddOp::backward(OpBuilder &, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  out.assign({gradients[0], gradients[0]});
  return success();
}
SmallVector<Value> AddOp::savedOperands() { return {}; }

LogicalResult SubOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  out.assign({gradients[0], NegOp::create(builder, getLoc(), gradients[0])});
  return success();
}
SmallVector<Value> SubOp::savedOperands() { return {}; }

/// `product` of a gradient and a local derivative that may be infinite; an
/// exact zero where the gradient is zero, so that the untaken side of a select
/// gives no 0 * inf (N15).
static Value zeroWhereZero(OpBuilder &builder, Location loc, Value gradient,
                           Value product) {
  Value zero = splat(builder, loc, tensorType(gradient), 0.0);
  Value none =
      CompareOp::create(builder, loc, ComparePredicate::eq, gradient, zero);
  return SelectOp::create(builder, loc, none, zero, product);
}

LogicalResult MulOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value g = gradients[0];
  for (Value other : {getRhs(), getLhs()})
    out.push_back(
        zeroWhereZero(builder, loc, g, MulOp::create(builder, loc, g, other)));
  return success();
}
SmallVector<Value> MulOp::savedOperands() { return {getLhs(), getRhs()}; }

LogicalResult DivOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value g = gradients[0];
  Value left = DivOp::create(builder, loc, g, getRhs());
  Value product = MulOp::create(builder, loc, g, getResult());
  Value right = NegOp::create(builder, loc,
                              DivOp::create(builder, loc, product, getRhs()));
  out.assign({zeroWhereZero(builder, loc, g, left),
              zeroWhereZero(builder, loc, g, right)});
  return success();
}
SmallVector<Value> DivOp::savedOperands() { return {getRhs(), getResult()}; }

/// The gradient of maximum and minimum: all of it to the operand that `wins`,
/// half to each on a tie.
static void splitByComparison(OpBuilder &builder, Location loc,
                              ComparePredicate wins, Value lhs, Value rhs,
                              Value gradient, SmallVectorImpl<Value> &out) {
  RankedTensorType type = tensorType(gradient);
  Value zero = splat(builder, loc, type, 0.0);
  Value half =
      MulOp::create(builder, loc, gradient, splat(builder, loc, type, 0.5));
  Value tie = CompareOp::create(builder, loc, ComparePredicate::eq, lhs, rhs);
  for (auto [winner, loser] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    Value won = CompareOp::create(builder, loc, wins, winner, loser);
    Value all = SelectOp::create(builder, loc, won, gradient, zero);
    out.push_back(SelectOp::create(builder, loc, tie, half, all));
  }
}

LogicalResult MaximumOp::backward(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  splitByComparison(builder, getLoc(), ComparePredicate::gt, getLhs(), getRhs(),
                    gradients[0], out);
  return success();
}
SmallVector<Value> MaximumOp::savedOperands() { return {getLhs(), getRhs()}; }

LogicalResult MinimumOp::backward(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  splitByComparison(builder, getLoc(), ComparePredicate::lt, getLhs(), getRhs(),
                    gradients[0], out);
  return success();
}
SmallVector<Value> MinimumOp::savedOperands() { return {getLhs(), getRhs()}; }

LogicalResult NegOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  out.push_back(NegOp::create(builder, getLoc(), gradients[0]));
  return success();
}
SmallVector<Value> NegOp::savedOperands() { return {}; }

LogicalResult ExpOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Value product = MulOp::create(builder, getLoc(), gradients[0], getResult());
  out.push_back(zeroWhereZero(builder, getLoc(), gradients[0], product));
  return success();
}
SmallVector<Value> ExpOp::savedOperands() { return {getResult()}; }

LogicalResult SqrtOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  // g / (result + result): doubling is exact, and g / 0 is inf at 0.
  Value twice = AddOp::create(builder, getLoc(), getResult(), getResult());
  Value quotient = DivOp::create(builder, getLoc(), gradients[0], twice);
  out.push_back(zeroWhereZero(builder, getLoc(), gradients[0], quotient));
  return success();
}
SmallVector<Value> SqrtOp::savedOperands() { return {getResult()}; }

LogicalResult ReluOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  // "Not <= 0" rather than "> 0", so that the gradient of a NaN passes as in
  // PyTorch.
  Value zero = splat(builder, getLoc(), tensorType(getResult()), 0.0);
  Value off = CompareOp::create(builder, getLoc(), ComparePredicate::le,
                                getResult(), zero);
  out.push_back(SelectOp::create(builder, getLoc(), off, zero, gradients[0]));
  return success();
}
SmallVector<Value> ReluOp::savedOperands() { return {getResult()}; }

FailureOr<SmallVector<Value>> ReluOp::decompose(OpBuilder &builder) {
  Value zero = splat(builder, getLoc(), tensorType(getResult()), 0.0);
  return SmallVector<Value>{
      MaximumOp::create(builder, getLoc(), getInput(), zero)};
}

LogicalResult SelectOp::backward(OpBuilder &builder, ValueRange gradients,
                                 SmallVectorImpl<Value> &out) {
  Value zero = splat(builder, getLoc(), tensorType(getResult()), 0.0);
  out.assign(
      {Value(),
       SelectOp::create(builder, getLoc(), getCondition(), gradients[0], zero),
       SelectOp::create(builder, getLoc(), getCondition(), zero,
                        gradients[0])});
  return success();
}
SmallVector<Value> SelectOp::savedOperands() { return {getCondition()}; }
