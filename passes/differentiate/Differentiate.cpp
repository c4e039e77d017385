// Reverse-mode differentiation of an entry through the `Differentiable`
// interface.
#include "passes/differentiate/Passes.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/differentiate/Passes.h.inc"

namespace {

/// Something to differentiate for: a variable, or an argument of the entry.
struct Target {
  Attribute wrt; // the variable's symbol or the argument's name
  RankedTensorType type;
  SmallVector<Value> values; // every read of the variable, or the argument
};

bool isFloat(Value value) {
  return isa<FloatType>(tensorType(value).getElementType());
}

/// Gradients of one seeded result with respect to values of the same block.
class ReverseSweep {
public:
  ReverseSweep(OpBuilder &builder, Block &block)
      : builder(builder), block(block) {}

  /// Marks what depends on `targets`; gradients flow through nothing else.
  void markActive(ArrayRef<Target> targets) {
    for (const Target &target : targets)
      active.insert(target.values.begin(), target.values.end());
    for (Operation &op : block) {
      bool reached = llvm::any_of(op.getOperands(),
                                  [&](Value v) { return active.contains(v); });
      for (Value result : op.getResults())
        if (reached && isFloat(result))
          active.insert(result);
    }
  }

  bool isActive(Value value) const { return active.contains(value); }

  void seed(Value value, Value gradient) {
    accumulate(value, gradient, value.getLoc());
  }

  /// The gradient of `value`, null when none reached it.
  Value gradientOf(Value value) const { return gradients.lookup(value); }

  /// Runs the derivatives of `forward`, last op first.
  LogicalResult run(ArrayRef<Operation *> forward) {
    for (Operation *op : llvm::reverse(forward))
      if (failed(visit(op)))
        return failure();
    return success();
  }

private:
  void accumulate(Value value, Value gradient, Location loc) {
    Value &sum = gradients[value];
    sum =
        sum ? AddOp::create(builder, loc, sum, gradient).getResult() : gradient;
  }

  LogicalResult visit(Operation *op) {
    if (llvm::none_of(op->getOperands(),
                      [&](Value v) { return active.contains(v); }))
      return success();
    SmallVector<Value> resultGradients;
    for (Value result : op->getResults())
      resultGradients.push_back(gradients.lookup(result));
    if (llvm::none_of(resultGradients, [](Value v) { return bool(v); }))
      return success();
    auto differentiable = dyn_cast<Differentiable>(op);
    if (!differentiable)
      return op->emitOpError()
             << "has no derivative, but a gradient reaches it";
    SmallVector<Value> operandGradients;
    if (failed(differentiable.backward(builder, resultGradients,
                                       operandGradients)))
      return failure();
    for (auto [operand, gradient] :
         llvm::zip(op->getOperands(), operandGradients))
      if (gradient && active.contains(operand))
        accumulate(operand, gradient, op->getLoc());
    return success();
  }

  OpBuilder &builder;
  Block &block;
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, Value> gradients;
};

class DifferentiatePass : public impl::DifferentiateBase<DifferentiatePass> {
  using Base::Base;

  void runOnOperation() override {
    if (stageOf(getOperation()) != Stage::typed) {
      getOperation().emitError() << "amp-differentiate expects stage typed";
      return signalPassFailure();
    }
    std::optional<Entry> kind = symbolizeEntry(entry);
    func::FuncOp func =
        kind ? findEntry(getOperation(), *kind) : func::FuncOp();
    if (!func && entry == "train_step")
      return; // a model without a loss has no step
    if (!func) {
      getOperation().emitError()
          << "no entry '" << entry << "' to differentiate";
      return signalPassFailure();
    }
    if (failed(output.empty() ? differentiateLosses(func)
                              : differentiateOutput(func)))
      signalPassFailure();
  }

  /// Every parameter, in the order of declaration; with `inputs` every float
  /// argument before them.
  SmallVector<Target> collectTargets(func::FuncOp func, bool inputs) {
    SmallVector<Target> targets;
    if (inputs)
      for (BlockArgument argument : func.getArguments())
        if (isFloat(argument))
          targets.push_back(
              {func.getArgAttr(argument.getArgNumber(), kNameAttr),
               tensorType(argument),
               {argument}});
    llvm::StringMap<SmallVector<Value>> reads;
    func.walk([&](ReadOp read) {
      reads[read.getVariable()].push_back(read.getResult());
    });
    for (auto variable : getOperation().getOps<VariableOp>())
      if (variable.getRole() == VariableRole::parameter &&
          isa<FloatType>(variable.tensorType().getElementType()))
        targets.push_back({FlatSymbolRefAttr::get(variable.getSymNameAttr()),
                           variable.tensorType(),
                           reads.lookup(variable.getSymName())});
    return targets;
  }

  LogicalResult differentiateLosses(func::FuncOp func) {
    auto ret = cast<func::ReturnOp>(func.front().getTerminator());
    OpBuilder builder(ret);
    SmallVector<Target> targets = collectTargets(func, /*inputs=*/false);
    SmallVector<Operation *> forward = forwardOps(func);
    ReverseSweep sweep(builder, func.front());
    sweep.markActive(targets);
    bool hasLoss = false;
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      Value loss = ret.getOperand(i);
      if (func.getResultAttrOfType<IoAttr>(i, kIoAttr).getValue() != Io::loss)
        continue;
      hasLoss = true;
      if (sweep.isActive(loss))
        sweep.seed(loss, splat(builder, loss.getLoc(), tensorType(loss), 1.0));
    }
    if (!hasLoss)
      return func.emitError() << "has no loss to differentiate";
    if (failed(sweep.run(forward)))
      return failure();
    SmallVector<std::pair<const Target *, Value>> gradients;
    for (const Target &target : targets)
      if (Value gradient = totalGradient(builder, sweep, target))
        gradients.emplace_back(&target, gradient);
    appendGradients(func, gradients);
    return success();
  }

  LogicalResult differentiateOutput(func::FuncOp func) {
    auto ret = cast<func::ReturnOp>(func.front().getTerminator());
    std::optional<unsigned> index;
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (func.getResultAttrOfType<StringAttr>(i, kNameAttr) ==
          StringRef(output))
        index = i;
    if (!index)
      return func.emitError()
             << "has no result '" << output << "' to differentiate";
    Value result = ret.getOperand(*index);
    if (!isFloat(result))
      return func.emitError()
             << "result '" << output << "' has no gradient: it is "
             << result.getType();
    OpBuilder builder(ret);
    SmallVector<Target> targets = collectTargets(func, /*inputs=*/true);
    SmallVector<Operation *> forward = forwardOps(func);
    ReverseSweep sweep(builder, func.front());
    sweep.markActive(targets);
    auto attributes = builder.getDictionaryAttr(
        {builder.getNamedAttr(kNameAttr,
                              builder.getStringAttr("grad." + output)),
         builder.getNamedAttr(kIoAttr, IoAttr::get(&getContext(), Io::input))});
    unsigned argument = func.getNumArguments();
    (void)func.insertArgument(argument, result.getType(), attributes,
                              func.getLoc());
    if (sweep.isActive(result))
      sweep.seed(result, func.getArgument(argument));
    if (failed(sweep.run(forward)))
      return failure();
    SmallVector<std::pair<const Target *, Value>> gradients;
    for (const Target &target : targets) {
      Value gradient = totalGradient(builder, sweep, target);
      if (!gradient)
        gradient = splat(builder, func.getLoc(), target.type, 0.0);
      gradients.emplace_back(&target, gradient);
    }
    appendGradients(func, gradients);
    return success();
  }

  static SmallVector<Operation *> forwardOps(func::FuncOp func) {
    SmallVector<Operation *> ops;
    for (Operation &op : func.front().without_terminator())
      ops.push_back(&op);
    return ops;
  }

  /// The sum over every read of the target; null when no gradient reached one.
  static Value totalGradient(OpBuilder &builder, const ReverseSweep &sweep,
                             const Target &target) {
    Value total;
    for (Value value : target.values) {
      Value gradient = sweep.gradientOf(value);
      if (!gradient)
        continue;
      total = total ? AddOp::create(builder, value.getLoc(), total, gradient)
                          .getResult()
                    : gradient;
    }
    return total;
  }

  /// Adds one result a gradient, all at once.
  void appendGradients(func::FuncOp func,
                       ArrayRef<std::pair<const Target *, Value>> gradients) {
    Builder builder(&getContext());
    SmallVector<Value> values;
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    for (auto [target, gradient] : gradients) {
      auto symbol = dyn_cast<FlatSymbolRefAttr>(target->wrt);
      StringRef name =
          symbol ? symbol.getValue() : cast<StringAttr>(target->wrt).getValue();
      values.push_back(gradient);
      types.push_back(target->type);
      attributes.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr(kNameAttr,
                                builder.getStringAttr("grad." + name)),
           builder.getNamedAttr(kIoAttr,
                                IoAttr::get(&getContext(), Io::gradient)),
           builder.getNamedAttr(kWrtAttr, target->wrt)}));
    }
    SmallVector<unsigned> positions(values.size(), func.getNumResults());
    (void)func.insertResults(positions, types, attributes);
    cast<func::ReturnOp>(func.front().getTerminator())
        .getOperandsMutable()
        .append(values);
  }
};

} // namespace
} // namespace ampc
