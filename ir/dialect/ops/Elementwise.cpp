// Arithmetic, one value an element: derivatives (N15).
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

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

LogicalResult AbsOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Value slope = SignOp::create(builder, getLoc(), getInput());
  Value product = MulOp::create(builder, getLoc(), gradients[0], slope);
  out.push_back(zeroWhereZero(builder, getLoc(), gradients[0], product));
  return success();
}
SmallVector<Value> AbsOp::savedOperands() { return {getInput()}; }

// Constant between their steps: nothing flows.
LogicalResult SignOp::backward(OpBuilder &, ValueRange,
                               SmallVectorImpl<Value> &out) {
  out.push_back(Value());
  return success();
}
SmallVector<Value> SignOp::savedOperands() { return {}; }

LogicalResult FloorOp::backward(OpBuilder &, ValueRange,
                                SmallVectorImpl<Value> &out) {
  out.push_back(Value());
  return success();
}
SmallVector<Value> FloorOp::savedOperands() { return {}; }

LogicalResult FloorDivOp::backward(OpBuilder &, ValueRange,
                                   SmallVectorImpl<Value> &out) {
  out.assign({Value(), Value()});
  return success();
}
SmallVector<Value> FloorDivOp::savedOperands() { return {}; }

LogicalResult RemainderOp::backward(OpBuilder &builder, ValueRange gradients,
                                    SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value g = gradients[0];
  Value quotient = FloorDivOp::create(builder, loc, getLhs(), getRhs());
  Value right =
      NegOp::create(builder, loc, MulOp::create(builder, loc, g, quotient));
  out.assign({g, zeroWhereZero(builder, loc, g, right)});
  return success();
}
SmallVector<Value> RemainderOp::savedOperands() { return {getLhs(), getRhs()}; }

#define GET_OP_CLASSES
#include "ir/dialect/ops/Elementwise.cpp.inc"
