// The value of amp.group: that of its body, op by op. Fusion changes no bit
// (N3).
#include "ir/reference/Interpreter.h"
#include "ir/reference/Models.h"

using namespace mlir;

namespace ampc::reference {

namespace {

struct GroupModel : Model<GroupModel, amp::GroupOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    SmallVector<SharedTensor> arguments;
    for (const Tensor *operand :
         in) // the caller keeps the operands alive: share without owning
      arguments.push_back(SharedTensor(std::shared_ptr<void>(), operand));
    FailureOr<SmallVector<SharedTensor>> values =
        evaluateBlock(cast<amp::GroupOp>(op).getBody().front(), arguments,
                      /*variables=*/nullptr);
    if (failed(values))
      return failure();
    for (const SharedTensor &value : *values)
      out.push_back(*value);
    return success();
  }
};

} // namespace

void attachGroupModels(MLIRContext &context) {
  amp::GroupOp::attachInterface<GroupModel>(context);
}

} // namespace ampc::reference
