// Reading a scatter group.
#include "codegen/kernel/ScatterSpace.h"

#include "codegen/kernel/PrimitiveEmitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

FailureOr<ScatterSpace> ScatterSpace::create(GroupOp group,
                                             ArrayRef<KernelArgument> arguments,
                                             ValueRange pointers) {
  Operation *op = &group.getBody().front().front();
  SmallVector<Value> operands(group.getNumOperands());
  ScatterSpace space;
  for (auto [argument, pointer] : llvm::zip(arguments, pointers)) {
    for (unsigned i : argument.operands)
      operands[i] = pointer;
    if (argument.isWritten())
      space.result = pointer;
    if (argument.isWritten() && !argument.operands.empty())
      return group.emitOpError()
             << "reads operand " << argument.operands.front()
             << " after it wrote its result, and both stand at "
             << argument.place;
  }
  auto pointerOf = [&](unsigned i) {
    return operands[cast<BlockArgument>(op->getOperand(i)).getArgNumber()];
  };
  RankedTensorType type = tensorType(op->getResult(0));
  if (computeTypeFor(type.getElementType()) != type.getElementType() ||
      type.getElementType().isInteger(1))
    return op->emitOpError() << "of " << type.getElementType()
                             << " inside a group is not available yet";
  auto rows = dyn_cast<ScatterRowsOp>(op);
  int64_t axis = rows ? rows.getAxis() : cast<ScatterAddOp>(op).getAxis();
  ArrayRef<int64_t> shape = type.getShape();
  space.index = pointerOf(0);
  space.updates = pointerOf(1);
  space.indexPerElement = !rows;
  space.before = elementCount(shape.take_front(axis));
  space.after = elementCount(shape.drop_front(axis + 1));
  space.extent = shape[axis];
  space.positions = tensorType(op->getOperand(1)).getNumElements() /
                    (space.before * space.after);
  if (rows)
    space.padding = rows.getPaddingIdx();
  return space;
}
