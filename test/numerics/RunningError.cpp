// The walk of the running error analysis; the rules stand in ErrorRules.cpp.
#include "test/numerics/RunningError.h"

#include "ir/dialect/Dialect.h"
#include "ir/reference/Reference.h"
#include "mlir/IR/IRMapping.h"
#include "test/numerics/ErrorRules.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace ampc::test {

namespace {

FailureOr<SmallVector<SharedBounded>>
evaluateBlock(Block &block, ArrayRef<SharedBounded> arguments,
              BoundedVariables *variables, Roundings roundings);

FailureOr<SmallVector<Bounded>>
copies(FailureOr<SmallVector<SharedBounded>> shared) {
  if (failed(shared))
    return failure();
  SmallVector<Bounded> results;
  for (const SharedBounded &value : *shared)
    results.push_back(*value);
  return results;
}

/// Evaluates the decomposition of `op`, built in a block of its own.
FailureOr<SmallVector<Bounded>>
evaluateComposite(Operation *op, ArrayRef<SharedBounded> operands,
                  Roundings roundings) {
  Block block;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, block.addArgument(operand.getType(), op->getLoc()));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  // An operand used twice is mapped to its last argument; both hold one value.
  Operation *clone = builder.clone(*op, mapping);
  FailureOr<SmallVector<Value>> values =
      cast<amp::Decomposable>(clone).decompose(builder);
  if (failed(values))
    return failure();
  clone->erase();
  func::ReturnOp::create(builder, op->getLoc(), *values);
  return copies(
      evaluateBlock(block, operands, /*variables=*/nullptr, roundings));
}

FailureOr<SmallVector<SharedBounded>>
evaluateBlock(Block &block, ArrayRef<SharedBounded> arguments,
              BoundedVariables *variables, Roundings roundings) {
  llvm::DenseMap<Value, SharedBounded> values;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = value;
  for (Operation &op : block) {
    SmallVector<SharedBounded> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    if (op.hasTrait<OpTrait::IsTerminator>())
      return operands;
    if (auto read = dyn_cast<amp::ReadOp>(op)) {
      SharedBounded held =
          variables ? variables->lookup(read.getVariable()) : nullptr;
      if (!held || held->value.type() != read.getType())
        return read.emitOpError() << "reads @" << read.getVariable()
                                  << ", which has no value of its type here";
      values[read.getResult()] = held;
      continue;
    }
    if (auto write = dyn_cast<amp::WriteOp>(op)) {
      if (!variables)
        return write.emitOpError() << "writes outside an entry";
      (*variables)[write.getVariable()] = operands[0];
      continue;
    }
    FailureOr<SmallVector<Bounded>> results =
        evaluateBounded(&op, operands, roundings);
    if (failed(results))
      return failure();
    for (auto [value, result] : llvm::zip_equal(op.getResults(), *results))
      values[value] = std::make_shared<const Bounded>(std::move(result));
  }
  return block.getParentOp()->emitOpError()
         << "has a block without a terminator";
}

} // namespace

FailureOr<SmallVector<Bounded>>
evaluateBounded(Operation *op, ArrayRef<SharedBounded> operands,
                Roundings roundings) {
  if (isa<amp::Decomposable>(op) && !isa<amp::AdamOp>(op))
    return evaluateComposite(op, operands, roundings);
  if (auto group = dyn_cast<amp::GroupOp>(op))
    return copies(evaluateBlock(group.getBody().front(), operands,
                                /*variables=*/nullptr, roundings));
  SmallVector<const reference::Tensor *> tensors;
  for (const SharedBounded &operand : operands)
    tensors.push_back(&operand->value);
  FailureOr<SmallVector<reference::Tensor>> values =
      reference::evaluateOp(op, tensors);
  if (failed(values))
    return failure();
  SmallVector<Bounded> results;
  for (reference::Tensor &value : *values)
    results.push_back(Bounded(std::move(value)));
  if (failed(boundErrors(op, operands, roundings, results)))
    return failure();
  // A bound that came out as NaN (inf - inf, 0 * inf) is no bound.
  for (Bounded &result : results)
    for (double &error : result.error)
      if (std::isnan(error))
        error = std::numeric_limits<double>::infinity();
  return results;
}

FailureOr<SmallVector<Bounded>> runBounded(func::FuncOp function,
                                           ArrayRef<Bounded> arguments,
                                           BoundedVariables &variables,
                                           Roundings roundings) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitOpError()
           << "needs a body of one block to be evaluated";
  Block &block = function.getBody().front();
  if (arguments.size() != block.getNumArguments())
    return function.emitOpError() << "takes " << block.getNumArguments()
                                  << " arguments, got " << arguments.size();
  SmallVector<SharedBounded> shared;
  for (const Bounded &argument : arguments)
    shared.push_back(std::make_shared<const Bounded>(argument));
  return copies(evaluateBlock(block, shared, &variables, roundings));
}

} // namespace ampc::test
