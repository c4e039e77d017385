// Shows values of the training step among its results, so that whoever runs it
// can say which op first gave a number that is not finite, and how far values
// reach.
#include "ir/dialect/Locations.h"
#include "ir/dialect/ops/Formula.h"
#include "passes/training/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_PROBEVALUES
#include "passes/training/Passes.h.inc"

namespace {

/// Whether `op` gives nothing but elements of its operands, or what the model
/// wrote.
bool onlyMoves(Operation *op) {
  return isa<ConstantOp, ReshapeOp, TransposeOp, SliceOp, BroadcastOp, ConcatOp,
             DetachOp>(op);
}

bool holdsInfinity(ConstantOp constant) {
  auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  if (!elements)
    return false;
  if (elements.isSplat())
    return elements.getSplatValue<APFloat>().isInfinity();
  return llvm::any_of(elements.getValues<APFloat>(),
                      [](const APFloat &v) { return v.isInfinity(); });
}

/// Whether `op` makes finite numbers of what an infinite constant masks.
bool bounds(Operation *op) {
  auto rule = dyn_cast<PrecisionRule>(op);
  return isa<ExpOp, MaximumOp, MinimumOp, ClipOp>(op) ||
         (rule && rule.classify() != PrecisionClass::follow);
}

/// The call that made `op`; equal for ops of one call.
std::string callOf(Operation *op) { return namePathOf(op->getLoc()); }

/// The probes of one entry.
class Prober {
public:
  Prober(func::FuncOp func, bool all, bool ranges)
      : func(func), ret(cast<func::ReturnOp>(func.front().getTerminator())),
        builder(ret), all(all), ranges(ranges) {}

  void build() {
    findForward();
    nameGradients();
    Block &block = func.front();
    for (BlockArgument argument : block.getArguments())
      visit(argument, nullptr);
    // What is added below is not visited.
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (Operation *op : ops)
      for (Value result : op->getResults())
        visit(result, op);
    append();
  }

private:
  /// Everything that losses, metrics and outputs are made of is forward.
  void findForward() {
    BackwardSliceOptions options;
    options.inclusive = true;
    for (OpOperand &operand : ret->getOpOperands()) {
      auto io =
          func.getResultAttrOfType<IoAttr>(operand.getOperandNumber(), kIoAttr);
      if (io.getValue() != Io::gradient)
        (void)getBackwardSlice(operand.get(), &forward, options);
    }
  }

  /// A gradient that is returned is known by its parameter.
  void nameGradients() {
    for (OpOperand &operand : ret->getOpOperands())
      if (auto wrt = func.getResultAttrOfType<FlatSymbolRefAttr>(
              operand.getOperandNumber(), kWrtAttr))
        gradients[operand.get()] = wrt.getValue();
  }

  void visit(Value value, Operation *op) {
    bool isShown = isWanted(value, op);
    SmallVector<int64_t> sources;
    if (op)
      for (Value operand : op->getOperands())
        llvm::append_range(sources, origins[operand]);
    llvm::sort(sources);
    sources.erase(llvm::unique(sources), sources.end());
    if (op && isInfinite(op))
      infinite.insert(value);
    if (isShown) {
      auto number = static_cast<int64_t>(probes.size());
      probes.emplace_back(value, attributeOf(value, op, sources));
      sources.assign({number});
    }
    origins[value] = std::move(sources);
  }

  /// Whether an infinite constant is part of what `op` gives.
  bool isInfinite(Operation *op) const {
    if (auto constant = dyn_cast<ConstantOp>(op))
      return holdsInfinity(constant);
    return !bounds(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
      return infinite.contains(operand);
    });
  }

  bool isWanted(Value value, Operation *op) {
    RankedTensorType type = tensorType(value);
    if (!isa<FloatType>(type.getElementType()) || type.getNumElements() == 0 ||
        value.use_empty())
      return false;
    if (!op || isa<ReadOp>(op))
      return true;
    if (onlyMoves(op))
      return gradients.contains(value);
    if (all)
      return true;
    return leaves(value, callOf(op));
  }

  /// Whether another call than `call` reads `value`, or the same elements
  /// moved.
  bool leaves(Value value, const std::string &call) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return user == ret.getOperation() || callOf(user) != call ||
             (onlyMoves(user) && leaves(user->getResult(0), call));
    });
  }

  ProbeAttr attributeOf(Value value, Operation *op, ArrayRef<int64_t> sources) {
    std::string name = op ? op->getName().stripDialect().str() : "input";
    std::string path;
    bool backward = op && !forward.contains(op);
    if (!op)
      path = func.getArgAttrOfType<StringAttr>(
                     cast<BlockArgument>(value).getArgNumber(), kNameAttr)
                 .str();
    else if (auto read = dyn_cast<ReadOp>(op))
      path = read.getVariable().str();
    else
      path = callOf(op);
    if (auto parameter = gradients.find(value); parameter != gradients.end()) {
      name = "gradient";
      path = parameter->second.str();
      backward = true;
    }
    return ProbeAttr::get(
        func.getContext(), name, path, TypeAttr::get(value.getType()), backward,
        infinite.contains(value), builder.getDenseI64ArrayAttr(sources));
  }

  /// `[smallest, largest]` of `value`.
  Value rangeOf(Value value) {
    Location loc = value.getLoc();
    Formula f(builder, loc);
    Type element = tensorType(value).getElementType();
    if (!element.isF64())
      element = builder.getF32Type();
    Value low = castTo(builder, loc, f.reduceByRows(ReduceKind::min, value),
                       element),
          high = castTo(builder, loc, f.reduceByRows(ReduceKind::max, value),
                        element);
    Value isLow =
        f.compare(ComparePredicate::eq, f.iota(2, builder.getI64Type()), 0.0);
    return f.select(isLow, f.broadcastScalar(low, {2}),
                    f.broadcastScalar(high, {2}));
  }

  void append() {
    SmallVector<Value> values;
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    for (auto [number, probe] : llvm::enumerate(probes)) {
      Value shown = ranges ? rangeOf(probe.first) : probe.first;
      values.push_back(shown);
      types.push_back(shown.getType());
      attributes.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr(
               kNameAttr, builder.getStringAttr("ampc.probe." + Twine(number))),
           builder.getNamedAttr(kIoAttr,
                                IoAttr::get(func.getContext(), Io::probe)),
           builder.getNamedAttr(kProbeAttr, probe.second)}));
    }
    SmallVector<unsigned> positions(values.size(), func.getNumResults());
    (void)func.insertResults(positions, types, attributes);
    ret.getOperandsMutable().append(values);
  }

  func::FuncOp func;
  func::ReturnOp ret;
  OpBuilder builder;
  bool all, ranges;
  SetVector<Operation *> forward;
  llvm::DenseMap<Value, StringRef> gradients; // to the parameter
  /// The probes that a value is made of; of a probed value itself.
  llvm::DenseMap<Value, SmallVector<int64_t>> origins;
  llvm::DenseSet<Value> infinite; // part of them is an infinite constant
  SmallVector<std::pair<Value, ProbeAttr>> probes;
};

class ProbeValuesPass : public impl::ProbeValuesBase<ProbeValuesPass> {
  using Base::Base;

  void runOnOperation() override {
    if ((values != "all" && values != "boundary") ||
        (show != "range" && show != "value")) {
      getOperation().emitError()
          << "amp-probe-values expects values all or boundary and show range "
             "or value, got '"
          << values << "' and '" << show << "'";
      return signalPassFailure();
    }
    func::FuncOp step = findEntry(getOperation(), Entry::train_step);
    if (!step)
      step = findEntry(getOperation(), Entry::micro_step);
    if (step)
      Prober(step, values == "all", show == "range").build();
  }
};

} // namespace
} // namespace ampc
