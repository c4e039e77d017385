// The value of ops that steer gradients and entries.
#include "ir/reference/Models.h"

using namespace mlir;

namespace ampc::reference {

namespace {

struct DetachModel : Model<DetachModel, amp::DetachOp> {
  LogicalResult evaluate(Operation *, Operands in, Results &out) const {
    out.push_back(*in[0]);
    return success();
  }
};

struct IfTrainingModel : Model<IfTrainingModel, amp::IfTrainingOp> {
  LogicalResult evaluate(Operation *op, Operands, Results &) const {
    return op->emitOpError()
           << "has no value before the entries choose between its operands";
  }
};

} // namespace

void attachGraphModels(MLIRContext &context) {
  amp::DetachOp::attachInterface<DetachModel>(context);
  amp::IfTrainingOp::attachInterface<IfTrainingModel>(context);
}

} // namespace ampc::reference
