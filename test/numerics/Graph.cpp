// Gradient and decomposition of a function; see Graph.h.
#include "test/numerics/Graph.h"

#include "ir/dialect/TypeFacts.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

#include <cmath>

using namespace mlir;

namespace ampc::test {

/// Walks the ops of `body` backwards and joins gradients at each value.
static LogicalResult propagate(Block &body, OpBuilder &builder,
                               llvm::DenseMap<Value, Value> &gradients) {
  SmallVector<Operation *> operations;
  for (Operation &op : body)
    operations.push_back(&op);
  for (Operation *op : llvm::reverse(operations)) {
    SmallVector<Value> results;
    for (Value result : op->getResults())
      results.push_back(gradients.lookup(result));
    if (llvm::none_of(results, [](Value value) { return value; }))
      continue;
    auto differentiable = dyn_cast<amp::Differentiable>(op);
    if (!differentiable)
      continue;
    SmallVector<Value> operands;
    if (failed(differentiable.backward(builder, results, operands)))
      return failure();
    if (operands.size() != op->getNumOperands())
      return op->emitOpError()
             << "gave " << operands.size() << " gradients for "
             << op->getNumOperands() << " operands";
    for (auto [operand, gradient] : llvm::zip(op->getOperands(), operands)) {
      if (!gradient)
        continue;
      if (gradient.getType() != operand.getType())
        return op->emitOpError() << "gave a gradient of " << gradient.getType()
                                 << " for an operand of " << operand.getType();
      Value &sum = gradients[operand];
      sum =
          sum ? Value(amp::AddOp::create(builder, op->getLoc(), sum, gradient))
              : gradient;
    }
  }
  return success();
}

FailureOr<SmallVector<unsigned>> addGradient(Program &program) {
  func::FuncOp forward = program.function("f");
  auto clone = cast<func::FuncOp>(forward->clone());
  clone.setName("gradient");
  Block &body = clone.getBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<Value> outputs(terminator->getOperands());
  terminator->erase();
  unsigned argumentCount = body.getNumArguments();
  llvm::DenseMap<Value, Value> gradients;
  for (Value output : outputs)
    gradients[output] = body.addArgument(output.getType(), clone.getLoc());

  OpBuilder builder(&program.context());
  builder.setInsertionPointToEnd(&body);
  if (failed(propagate(body, builder, gradients))) {
    clone->destroy();
    return failure();
  }
  SmallVector<unsigned> which;
  SmallVector<Value> results;
  for (unsigned i = 0; i < argumentCount; ++i)
    if (Value gradient = gradients.lookup(body.getArgument(i))) {
      which.push_back(i);
      results.push_back(gradient);
    }
  func::ReturnOp::create(builder, clone.getLoc(), results);
  clone.setType(FunctionType::get(&program.context(), body.getArgumentTypes(),
                                  ValueRange(results).getTypes()));
  program.module().push_back(clone);
  if (failed(verify(program.module())))
    return failure();
  return which;
}

LogicalResult decomposeAll(func::FuncOp function) {
  SmallVector<amp::Decomposable> composites;
  auto collect = [&](amp::Decomposable op) { composites.push_back(op); };
  function.walk(collect);
  while (!composites.empty()) {
    amp::Decomposable op = composites.pop_back_val();
    Operation *before = op->getPrevNode();
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> values = op.decompose(builder);
    if (failed(values))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *values))
      if (result.getType() != value.getType())
        return op->emitOpError() << "decomposes to " << value.getType()
                                 << ", not " << result.getType();
    op->replaceAllUsesWith(*values);
    // What was built may be composite itself.
    Operation *built =
        before ? before->getNextNode() : &op->getBlock()->front();
    for (; built != op; built = built->getNextNode())
      if (auto composite = dyn_cast<amp::Decomposable>(built))
        collect(composite);
    op->erase();
  }
  return success();
}

LogicalResult addDecomposed(Program &program) {
  auto clone = cast<func::FuncOp>(program.function("f")->clone());
  clone.setName("decomposed");
  program.module().push_back(clone);
  if (failed(decomposeAll(clone)))
    return failure();
  return verify(program.module());
}

uint64_t Numbers::word() {
  state += 0x9E3779B97F4A7C15;
  uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

double Numbers::between(double low, double high) {
  double steps = std::floor(unit() * (high - low) * 1024);
  return low + steps / 1024;
}

int64_t Numbers::integer(int64_t low, int64_t high) {
  return low +
         static_cast<int64_t>(word() % static_cast<uint64_t>(high - low + 1));
}

std::string typeText(ArrayRef<int64_t> shape, llvm::StringRef element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element.str() + ">";
}

} // namespace ampc::test
