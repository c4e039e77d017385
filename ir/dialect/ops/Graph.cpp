// Where gradients stop: derivative and decomposition.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

LogicalResult DetachOp::backward(OpBuilder &, ValueRange,
                                 SmallVectorImpl<Value> &out) {
  out.push_back(Value());
  return success();
}

FailureOr<SmallVector<Value>> DetachOp::decompose(OpBuilder &) {
  return SmallVector<Value>{getInput()};
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Graph.cpp.inc"
