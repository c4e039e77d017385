// Arithmetic, one value an element: derivatives (N15), ranges of integers.
#include "ir/dialect/Dialect.h"

#include "llvm/Support/MathExtras.h"

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

//===----------------------------------------------------------------------===//
// Ranges of integers
//===----------------------------------------------------------------------===//

std::optional<IntegerRange>
AddOp::resultRange(ArrayRef<IntegerRange> operands) {
  auto [a, b] = std::pair(operands[0], operands[1]);
  IntegerRange sum;
  if (llvm::AddOverflow(a.low, b.low, sum.low) ||
      llvm::AddOverflow(a.high, b.high, sum.high))
    return std::nullopt;
  return sum;
}

std::optional<IntegerRange>
SubOp::resultRange(ArrayRef<IntegerRange> operands) {
  auto [a, b] = std::pair(operands[0], operands[1]);
  IntegerRange difference;
  if (llvm::SubOverflow(a.low, b.high, difference.low) ||
      llvm::SubOverflow(a.high, b.low, difference.high))
    return std::nullopt;
  return difference;
}

std::optional<IntegerRange>
MulOp::resultRange(ArrayRef<IntegerRange> operands) {
  SmallVector<IntegerRange> corners;
  for (int64_t a : {operands[0].low, operands[0].high})
    for (int64_t b : {operands[1].low, operands[1].high}) {
      int64_t product;
      if (llvm::MulOverflow(a, b, product))
        return std::nullopt;
      corners.push_back({product, product});
    }
  return hullOf(corners);
}

std::optional<IntegerRange>
MaximumOp::resultRange(ArrayRef<IntegerRange> operands) {
  auto [a, b] = std::pair(operands[0], operands[1]);
  return IntegerRange{std::max(a.low, b.low), std::max(a.high, b.high)};
}

std::optional<IntegerRange>
MinimumOp::resultRange(ArrayRef<IntegerRange> operands) {
  auto [a, b] = std::pair(operands[0], operands[1]);
  return IntegerRange{std::min(a.low, b.low), std::min(a.high, b.high)};
}

std::optional<IntegerRange>
FloorDivOp::resultRange(ArrayRef<IntegerRange> operands) {
  auto [a, b] = std::pair(operands[0], operands[1]);
  if (b.low < 1)
    return std::nullopt;
  // Nearer to zero by the larger divisor.
  return IntegerRange{
      llvm::divideFloorSigned(a.low, a.low < 0 ? b.low : b.high),
      llvm::divideFloorSigned(a.high, a.high < 0 ? b.high : b.low)};
}

std::optional<IntegerRange>
RemainderOp::resultRange(ArrayRef<IntegerRange> operands) {
  auto [a, b] = std::pair(operands[0], operands[1]);
  if (b.low < 1)
    return std::nullopt;
  if (a.low >= 0 && a.high < b.low)
    return a;
  return IntegerRange{0, b.high - 1};
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Elementwise.cpp.inc"
