// Comparisons, truth values and choices: derivatives (N15).
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

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

std::optional<IntegerRange>
SelectOp::resultRange(ArrayRef<IntegerRange> operands) {
  return hullOf(operands.drop_front()); // the condition aside
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Logic.cpp.inc"
