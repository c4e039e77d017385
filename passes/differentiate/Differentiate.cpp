// Reverse-mode differentiation of an entry through the `Differentiable`
// interface.
#include "ir/dialect/ops/Concatenate.h"
#include "passes/differentiate/Passes.h"
#include "passes/training/LossScale.h"
#include "passes/training/TrainSettings.h"

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
    for (BlockArgument argument : block.getArguments())
      if (failed(joinParts(argument)))
        return failure();
    return success();
  }

private:
  void accumulate(Value value, Value gradient, Location loc) {
    Value &sum = gradients[value];
    sum =
        sum ? AddOp::create(builder, loc, sum, gradient).getResult() : gradient;
  }

  /// Gives `value` the gradients of its slices. Slices that lie apart along one
  /// axis (the parts of a chunk) give one concatenation, with zeros where no
  /// gradient came from; any others one padded tensor each.
  LogicalResult joinParts(Value value) {
    auto found = parts.find(value);
    if (found == parts.end())
      return success();
    SmallVector<Part> list = std::move(found->second);
    parts.erase(found);
    if (std::optional<int64_t> axis = commonAxis(value, list)) {
      accumulate(value, concatenate(value, list, *axis),
                 list.front().slice.getLoc());
      return success();
    }
    for (Part &part : list) {
      SmallVector<Value> gradient;
      if (failed(part.slice.backward(builder, part.gradient, gradient)))
        return failure();
      accumulate(value, gradient[0], part.slice.getLoc());
    }
    return success();
  }

  /// A slice of a value and its gradient.
  struct Part {
    SliceOp slice;
    Value gradient;
  };

  static int64_t startOf(const Part &part, int64_t axis) {
    return SliceOp(part.slice).getStarts()[axis];
  }
  static int64_t extentOf(const Part &part, int64_t axis) {
    return tensorType(part.gradient).getDimSize(axis);
  }

  /// The axis along which `list` lies apart, whole in every other, and sorts it
  /// along that; none where slices overlap, skip elements or are one alone.
  static std::optional<int64_t> commonAxis(Value value,
                                           SmallVectorImpl<Part> &list) {
    RankedTensorType type = tensorType(value);
    std::optional<int64_t> axis;
    for (Part &part : list) {
      if (llvm::any_of(part.slice.getSteps(), [](int64_t s) { return s != 1; }))
        return std::nullopt;
      for (int64_t a = 0; a < type.getRank(); ++a) {
        if (extentOf(part, a) == type.getDimSize(a))
          continue;
        if (axis && *axis != a)
          return std::nullopt;
        axis = a;
      }
    }
    if (!axis || list.size() < 2)
      return std::nullopt;
    SmallVector<Part> sorted(list.begin(), list.end());
    llvm::sort(sorted, [&](const Part &a, const Part &b) {
      return startOf(a, *axis) < startOf(b, *axis);
    });
    int64_t end = 0;
    for (const Part &part : sorted) {
      if (startOf(part, *axis) < end)
        return std::nullopt;
      end = startOf(part, *axis) + extentOf(part, *axis);
    }
    list = std::move(sorted);
    return axis;
  }

  Value concatenate(Value value, ArrayRef<Part> list, int64_t axis) {
    RankedTensorType type = tensorType(value);
    Location loc = SliceOp(list.front().slice).getLoc();
    SmallVector<Value> pieces;
    int64_t end = 0;
    auto fillTo = [&](int64_t start) {
      if (start == end)
        return;
      SmallVector<int64_t> shape(type.getShape());
      shape[axis] = start - end;
      pieces.push_back(
          splat(builder, loc,
                RankedTensorType::get(shape, type.getElementType()), 0.0));
    };
    for (const Part &part : list) {
      fillTo(startOf(part, axis));
      pieces.push_back(part.gradient);
      end = startOf(part, axis) + extentOf(part, axis);
    }
    fillTo(type.getDimSize(axis));
    return amp::concatenate(builder, loc, pieces, axis);
  }

  LogicalResult visit(Operation *op) {
    for (Value result : op->getResults())
      if (failed(joinParts(result)))
        return failure();
    if (llvm::none_of(op->getOperands(),
                      [&](Value v) { return active.contains(v); }))
      return success();
    SmallVector<Value> resultGradients;
    for (Value result : op->getResults())
      resultGradients.push_back(gradients.lookup(result));
    if (llvm::none_of(resultGradients, [](Value v) { return bool(v); }))
      return success();
    if (auto slice = dyn_cast<SliceOp>(op)) {
      // Its siblings are not known yet.
      parts[slice.getInput()].push_back({slice, resultGradients[0]});
      return success();
    }
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
  llvm::DenseMap<Value, SmallVector<Part>> parts; // in reverse program order
};

class DifferentiatePass : public impl::DifferentiateBase<DifferentiatePass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(expectStage(getOperation(), Stage::typed, getArgument())))
      return signalPassFailure();
    std::optional<Entry> kind = symbolizeEntry(entry);
    func::FuncOp func =
        kind ? findEntry(getOperation(), *kind) : func::FuncOp();
    if (!func && entry == "train_step")
      func = findEntry(getOperation(), Entry::micro_step);
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

  /// Every parameter, in the order of declaration, but those of `frozen`; with
  /// `inputs` every float argument before them.
  SmallVector<Target> collectTargets(func::FuncOp func, bool inputs,
                                     const llvm::StringSet<> &frozen) {
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
          isa<FloatType>(variable.tensorType().getElementType()) &&
          !frozen.contains(variable.getSymName()))
        targets.push_back({FlatSymbolRefAttr::get(variable.getSymNameAttr()),
                           variable.tensorType(),
                           reads.lookup(variable.getSymName())});
    return targets;
  }

  LogicalResult differentiateLosses(func::FuncOp func) {
    auto ret = cast<func::ReturnOp>(func.front().getTerminator());
    OpBuilder builder(ret);
    SmallVector<Target> targets = collectTargets(
        func, /*inputs=*/false, frozenParameters(getOperation()));
    SmallVector<Operation *> forward = forwardOps(func);
    ReverseSweep sweep(builder, func.front());
    sweep.markActive(targets);
    bool hasLoss = false, reaches = false;
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      Value loss = ret.getOperand(i);
      if (func.getResultAttrOfType<IoAttr>(i, kIoAttr).getValue() != Io::loss)
        continue;
      hasLoss = true;
      reaches |= sweep.isActive(loss);
      if (sweep.isActive(loss))
        sweep.seed(loss, lossSeed(func, loss));
    }
    if (!hasLoss)
      return func.emitError() << "has no loss to differentiate";
    SmallVector<std::pair<const Target *, Value>> gradients;
    if (reaches) {
      if (failed(sweep.run(forward)))
        return failure();
      for (const Target &target : targets)
        if (Value gradient = totalGradient(builder, sweep, target))
          gradients.emplace_back(&target, gradient);
    }
    // A path that no gradient takes, as through a detach, is none.
    if (gradients.empty())
      return emitError(ret.getOperand(0).getLoc())
             << "the loss reaches no parameter that is trained";
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
             << "the model has no result '" << output << "' to differentiate";
    Value result = ret.getOperand(*index);
    if (!isFloat(result))
      return func.emitError()
             << "result '" << output << "' has no gradient: it is "
             << result.getType();
    OpBuilder builder(ret);
    SmallVector<Target> targets = collectTargets(func, /*inputs=*/true, {});
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
    keepOutputs(func, *index);
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

  /// Removes losses and metrics other than result `differentiated`: nobody
  /// asked for them, and they would ask for targets.
  static void keepOutputs(func::FuncOp func, unsigned differentiated) {
    auto ret = cast<func::ReturnOp>(func.front().getTerminator());
    llvm::BitVector unwanted(func.getNumResults());
    SmallVector<Value> kept;
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      Io io = func.getResultAttrOfType<IoAttr>(i, kIoAttr).getValue();
      if (io == Io::output || i == differentiated)
        kept.push_back(value);
      else
        unwanted.set(i);
    }
    ret.getOperandsMutable().assign(kept);
    (void)func.eraseResults(unwanted);
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
