// The interpreter of blocks and functions; see Interpreter.h.
#include "ir/reference/Interpreter.h"

#include "ir/dialect/Dialect.h"
#include "ir/reference/Reference.h"

using namespace mlir;

namespace ampc::reference {

namespace {

/// The values of one block, each held while a use of it is still to come.
class Environment {
public:
  void define(Value value, SharedTensor tensor) {
    int64_t uses = std::distance(value.use_begin(), value.use_end());
    if (uses > 0)
      held[value] = {std::move(tensor), uses};
  }
  /// The tensor of `value`, null where it is none of the block's. Counts as one
  /// use.
  SharedTensor use(Value value) {
    auto found = held.find(value);
    if (found == held.end())
      return nullptr;
    SharedTensor tensor = found->second.tensor;
    if (--found->second.usesLeft == 0)
      held.erase(found);
    return tensor;
  }

private:
  struct Entry {
    SharedTensor tensor;
    int64_t usesLeft;
  };
  llvm::DenseMap<Value, Entry> held;
};

LogicalResult evaluateRead(amp::ReadOp op, Environment &environment,
                           Variables *variables) {
  SharedTensor tensor =
      variables ? variables->share(op.getVariable()) : nullptr;
  if (!tensor)
    return op.emitOpError()
           << "reads @" << op.getVariable() << ", which has no value here";
  if (tensor->type() != op.getType())
    return op.emitOpError() << "reads " << op.getType() << ", but @"
                            << op.getVariable() << " holds " << tensor->type();
  environment.define(op.getResult(), tensor);
  return success();
}

LogicalResult evaluateWrite(amp::WriteOp op, SharedTensor value,
                            Variables *variables) {
  if (!variables || failed(variables->set(op.getVariable(), std::move(value))))
    return op.emitOpError() << "cannot write " << op.getInput().getType()
                            << " to @" << op.getVariable();
  return success();
}

} // namespace

FailureOr<SmallVector<SharedTensor>>
evaluateBlock(Block &block, ArrayRef<SharedTensor> arguments,
              Variables *variables) {
  Environment environment;
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    environment.define(argument, tensor);
  for (Operation &op : block) {
    SmallVector<SharedTensor> operands;
    for (Value value : op.getOperands()) {
      operands.push_back(environment.use(value));
      if (!operands.back())
        return op.emitOpError() << "uses a value from outside its block";
    }
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      if (op.getNumSuccessors() != 0)
        return op.emitOpError()
               << "branches, which the reference evaluator does not follow";
      return operands;
    }
    if (auto read = dyn_cast<amp::ReadOp>(op)) {
      if (failed(evaluateRead(read, environment, variables)))
        return failure();
      continue;
    }
    if (auto write = dyn_cast<amp::WriteOp>(op)) {
      if (failed(evaluateWrite(write, std::move(operands[0]), variables)))
        return failure();
      continue;
    }
    SmallVector<const Tensor *> pointers;
    for (const SharedTensor &operand : operands)
      pointers.push_back(operand.get());
    FailureOr<SmallVector<Tensor>> results = evaluateOp(&op, pointers);
    if (failed(results))
      return failure();
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
      environment.define(value,
                         std::make_shared<const Tensor>(std::move(tensor)));
  }
  return block.getParentOp()->emitOpError()
         << "has a block without a terminator";
}

FailureOr<SmallVector<Tensor>>
run(func::FuncOp function, ArrayRef<Tensor> arguments, Variables &variables) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitOpError()
           << "needs a body of one block to be evaluated";
  Block &block = function.getBody().front();
  if (arguments.size() != block.getNumArguments())
    return function.emitOpError() << "takes " << block.getNumArguments()
                                  << " arguments, got " << arguments.size();
  SmallVector<SharedTensor> shared;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (argument.type() != block.getArgument(i).getType())
      return function.emitOpError()
             << "argument " << i << " is " << block.getArgument(i).getType()
             << ", got " << argument.type();
    shared.push_back(std::make_shared<const Tensor>(argument));
  }
  FailureOr<SmallVector<SharedTensor>> values =
      evaluateBlock(block, shared, &variables);
  if (failed(values))
    return failure();
  SmallVector<Tensor> results;
  for (const SharedTensor &value : *values)
    results.push_back(*value);
  return results;
}

} // namespace ampc::reference
