// Splits train_step into the three entries of a window of several micro-batches
// (N14).
#include "passes/training/DeadOps.h"
#include "passes/training/LossShares.h"
#include "passes/training/Passes.h"
#include "passes/training/WindowSums.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_SPLITWINDOW
#include "passes/training/Passes.h.inc"

namespace {

/// Makes the entries of a window out of a step.
class WindowBuilder {
public:
  WindowBuilder(func::FuncOp step, VariableTable &variables)
      : micro(step), variables(variables) {}

  LogicalResult build() {
    variables.ensureCounter(kMicroVariable);
    variables.append(
        micro.getLoc(), kMicrosVariable,
        RankedTensorType::get({}, IntegerType::get(micro.getContext(), 64)),
        VariableRole::accumulator, InitKind::zeros);
    setEntry(micro, Entry::micro_step);
    WindowSums sums(micro, variables, kMicroVariable);
    micro.walk([&](RandomSite op) {
      if (!op.getKeyMutable().empty())
        op.getKeyMutable().slice(2, 1).assign(sums.position());
    });
    apply =
        func::FuncOp::create(micro.getLoc(), stringifyEntry(Entry::apply_step),
                             FunctionType::get(micro.getContext(), {}, {}));
    micro->getBlock()->getOperations().insertAfter(Block::iterator(micro),
                                                   apply);
    setEntry(apply, Entry::apply_step);
    OpBuilder end = OpBuilder::atBlockEnd(apply.addEntryBlock());
    if (failed(splitResults(sums.isFirst(), end)))
      return failure();
    buildWindow();
    eraseDeadOps(micro);
    eraseUnusedArguments(micro);
    return success();
  }

private:
  static void setEntry(func::FuncOp func, Entry entry) {
    func.setName(stringifyEntry(entry));
    func->setAttr(kEntryAttr, EntryAttr::get(func.getContext(), entry));
  }

  /// Gives micro_step shares of the losses and parts of the metrics, and
  /// apply_step what they add up to.
  LogicalResult splitResults(Value isFirst, OpBuilder &end) {
    OpBuilder top(&micro.front(), micro.front().begin());
    auto counted = [&](Value partial) { return countOf(top, partial); };
    LossShares shares(micro, isFirst, counted);
    auto summed = [&](Value partial) { return partialOf(end, partial); };
    DataFormula metrics(micro, end, summed);
    auto ret = cast<func::ReturnOp>(micro.front().getTerminator());
    SmallVector<Value> totals;
    for (auto [i, value] :
         llvm::enumerate(llvm::to_vector(ret.getOperands()))) {
      auto io = micro.getResultAttrOfType<IoAttr>(i, kIoAttr).getValue();
      if (io == Io::metric) {
        totals.push_back(metrics.valueOf(value));
        continue;
      }
      if (io != Io::loss)
        return micro.emitError() << "amp-split-window expects a step before "
                                    "differentiation, got a result of kind "
                                 << stringifyIo(io);
      auto name = micro.getResultAttrOfType<StringAttr>(i, kNameAttr);
      FailureOr<Value> share = shares.of(name, value);
      if (failed(share))
        return failure();
      std::string variable = named("loss.", losses++);
      addPart(variable, Io::loss, *share);
      totals.push_back(readSum(end, variables, variable, *share));
    }
    func::ReturnOp::create(end, apply.getLoc(), totals);
    apply.setType(FunctionType::get(micro.getContext(), {},
                                    ValueRange(totals).getTypes()));
    apply.setAllResultAttrs(micro.getAllResultAttrs());
    ret.getOperandsMutable().assign(parts);
    micro.setType(FunctionType::get(micro.getContext(),
                                    micro.getArgumentTypes(),
                                    ValueRange(parts).getTypes()));
    micro.setAllResultAttrs(ArrayAttr::get(micro.getContext(), partAttributes));
    return success();
  }

  static std::string named(StringRef kind, unsigned number) {
    return (kWindowPrefix + kind + Twine(number)).str();
  }

  /// Makes `value` a result of micro_step that adds to variable `name`.
  void addPart(StringRef name, Io io, Value value) {
    Builder builder(micro.getContext());
    parts.push_back(value);
    partAttributes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(kNameAttr, builder.getStringAttr(name)),
         builder.getNamedAttr(kIoAttr, IoAttr::get(micro.getContext(), io))}));
  }

  /// The window's total of `partial`, the same number in every micro-batch.
  Value constantTotal(OpBuilder &builder, Value partial) {
    Location loc = partial.getLoc();
    auto i64 = RankedTensorType::get({}, builder.getI64Type());
    Value micros = ReadOp::create(builder, loc, i64, kMicrosVariable);
    Value wide = castTo(builder, loc, micros, builder.getF64Type());
    FloatAttr number = partial.getDefiningOp<ConstantOp>()
                           .getValue()
                           .getSplatValue<FloatAttr>();
    Value each =
        splat(builder, loc, tensorType(wide), number.getValueAsDouble());
    Value product = MulOp::create(builder, loc, wide, each);
    return castTo(builder, loc, product, tensorType(partial).getElementType());
  }

  /// A denominator's total, which `window` has summed, read at `top`.
  Value countOf(OpBuilder &top, Value partial) {
    if (partial.getDefiningOp<ConstantOp>())
      return constantTotal(top, partial);
    std::string name = named("count.", counts.size());
    counts.push_back(partial);
    return readSum(top, variables, name, partial);
  }

  /// A metric's total, which micro_step sums, read at `end`.
  Value partialOf(OpBuilder &end, Value partial) {
    if (partial.getDefiningOp<ConstantOp>())
      return constantTotal(end, partial);
    std::string name = named("partial.", partials++);
    addPart(name, Io::partial, partial);
    return readSum(end, variables, name, partial);
  }

  /// Makes `window` of what the denominators are computed from.
  void buildWindow() {
    IRMapping mapping;
    auto window = cast<func::FuncOp>(micro->clone(mapping));
    micro->getBlock()->getOperations().insert(Block::iterator(micro), window);
    setEntry(window, Entry::window);
    window.front().getTerminator()->setOperands({});
    window.setType(
        FunctionType::get(micro.getContext(), window.getArgumentTypes(), {}));
    window.setAllResultAttrs(ArrayAttr::get(micro.getContext(), {}));
    WindowSums sums(window, variables, kMicrosVariable);
    for (auto [i, partial] : llvm::enumerate(counts))
      sums.add(named("count.", i), mapping.lookup(partial));
    sums.advance();
    eraseDeadOps(window);
    eraseUnusedArguments(window);
  }

  func::FuncOp micro, apply;
  VariableTable &variables;
  SmallVector<Value> counts; // of one micro-batch, by number
  SmallVector<Value> parts;  // results of micro_step
  SmallVector<Attribute> partAttributes;
  unsigned losses = 0, partials = 0;
};

class SplitWindowPass : public impl::SplitWindowBase<SplitWindowPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, Stage::typed, getArgument())))
      return signalPassFailure();
    auto train = module->getAttrOfType<DictionaryAttr>(kTrainAttr);
    auto accumulate =
        train ? train.getAs<IntegerAttr>("accumulate") : IntegerAttr();
    func::FuncOp step = findEntry(module, Entry::train_step);
    if (!step || !accumulate || accumulate.getInt() <= 1)
      return markAllAnalysesPreserved();
    VariableTable variables(module);
    if (failed(WindowBuilder(step, variables).build()))
      signalPassFailure();
  }
};

} // namespace
} // namespace ampc
