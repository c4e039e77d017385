// Sees to it that every index and label is in range before an entry writes
// anything (N11, N32): inputs are checked before it runs, constants here, what
// it computes as it runs.
#include "ir/dialect/ops/Formula.h"
#include "passes/training/GuardWrites.h"
#include "passes/training/InputView.h"
#include "passes/training/IntegerRanges.h"
#include "passes/training/Passes.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_CHECKINDICES
#include "passes/training/Passes.h.inc"

namespace {

/// `cross_entropy` of `amp.cross_entropy`.
StringRef shortName(Operation *op) {
  return op->getName().getStringRef().split('.').second;
}

bool allows(const IndexBound &bound, int64_t element) {
  return (element >= bound.low && element < bound.high) ||
         element == bound.ignore;
}

/// What `op` asks of the elements that `view` shows.
IndexRangeAttr rangeOf(Operation *op, const IndexBound &bound,
                       const InputView &view) {
  Builder builder(op->getContext());
  IntegerAttr ignore =
      bound.ignore ? builder.getI64IntegerAttr(*bound.ignore) : IntegerAttr();
  FileLineColLoc place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return IndexRangeAttr::get(
      op->getContext(), bound.low, bound.high, ignore, view.offset,
      builder.getDenseI64ArrayAttr(view.extents),
      builder.getDenseI64ArrayAttr(view.strides), bound.noun, shortName(op),
      place ? LocationAttr(place) : LocationAttr(op->getLoc()));
}

/// Calls `visit` with the position of each element that `view` shows, until it
/// returns false.
void forEachShown(const InputView &view, function_ref<bool(int64_t)> visit) {
  SmallVector<int64_t> at(view.extents.size());
  for (int64_t left = elementCount(view.extents), position = view.offset;
       left > 0 && visit(position); --left)
    for (size_t axis = at.size(); axis-- > 0;) {
      position += view.strides[axis];
      if (++at[axis] < view.extents[axis])
        break;
      position -= view.extents[axis] * view.strides[axis];
      at[axis] = 0;
    }
}

/// Refuses a constant or an iota, `root`, of which `view` shows an element out
/// of range.
LogicalResult checkKnown(Operation *op, const IndexBound &bound,
                         Operation *root, const InputView &view) {
  auto constant = dyn_cast<ConstantOp>(root);
  std::optional<int64_t> broken;
  forEachShown(view, [&](int64_t position) {
    int64_t element =
        constant
            ? constant.getValue().getValues<APInt>()[position].getSExtValue()
            : position;
    if (!allows(bound, element))
      broken = element;
    return !broken;
  });
  if (!broken)
    return success();
  InFlightDiagnostic diagnostic =
      emitError(op->getLoc()) << bound.noun << " " << *broken << " is outside ["
                              << bound.low << ", " << bound.high << ")";
  if (bound.ignore)
    diagnostic << " and is not the ignored " << *bound.ignore;
  diagnostic << " (" << shortName(op) << ")";
  return diagnostic;
}

/// The checks of one entry.
class EntryChecks {
public:
  explicit EntryChecks(func::FuncOp func)
      : func(func), inputs(func.getNumArguments()) {}

  LogicalResult build() {
    SmallVector<IndexBounds> ops;
    func.walk([&](IndexBounds op) { ops.push_back(op); });
    for (IndexBounds op : ops)
      for (const IndexBound &bound : op.indexBounds())
        if (failed(check(op, bound)))
          return failure();
    for (auto [i, list] : llvm::enumerate(inputs))
      if (!list.empty())
        func.setArgAttr(i, kIndexRangeAttr,
                        ArrayAttr::get(func.getContext(), list));
    if (!computed.empty())
      reportFault();
    return success();
  }

private:
  LogicalResult check(Operation *op, const IndexBound &bound) {
    Value index = op->getOperand(bound.operand);
    if (tensorType(index).getNumElements() == 0)
      return success();
    SmallVector<Operation *> chain;
    Value root = shownBy(index, chain);
    FailureOr<InputView> view = viewThrough(chain, tensorType(root));
    if (auto argument = dyn_cast<BlockArgument>(root);
        argument && succeeded(view)) {
      inputs[argument.getArgNumber()].push_back(
          rangeOf(op, bound, joined(*view)));
      return success();
    }
    Operation *maker = root.getDefiningOp();
    if (isa_and_nonnull<ConstantOp, IotaOp>(maker) && succeeded(view))
      return checkKnown(op, bound, maker, *view);
    if (!known)
      known.emplace(func);
    IntegerRange range = known->of(index);
    if (range.low < bound.low || range.high >= bound.high)
      checkComputed(op, bound, index);
    return success();
  }

  /// Checks `index` where `op` stands. One check serves all that ask the same.
  void checkComputed(Operation *op, const IndexBound &bound, Value index) {
    if (!asked
             .insert({index, bound.low, bound.high, bound.ignore.value_or(0),
                      int64_t(bound.ignore.has_value())})
             .second)
      return;
    OpBuilder builder(op);
    auto scalar = RankedTensorType::get({}, builder.getI64Type());
    IntegerAttr ignore =
        bound.ignore ? builder.getI64IntegerAttr(*bound.ignore) : IntegerAttr();
    auto first =
        FirstOutsideOp::create(builder, op->getLoc(), scalar, scalar, index,
                               builder.getI64IntegerAttr(bound.low),
                               builder.getI64IntegerAttr(bound.high), ignore);
    computed.emplace_back(first,
                          rangeOf(op, bound, wholeOf(tensorType(index))));
  }

  /// Adds the result that says which check failed first, and keeps the entry
  /// from writing where one does.
  void reportFault() {
    auto ret = cast<func::ReturnOp>(func.front().getTerminator());
    auto writes = func.front().getOps<WriteOp>();
    OpBuilder builder(writes.empty() ? ret.getOperation()
                                     : (*writes.begin()).getOperation());
    Formula f(builder, func.getLoc());
    Value number = f.constant(computed.back().first.getPosition(), -1);
    Value position, element;
    for (size_t i = computed.size(); i-- > 0;) {
      FirstOutsideOp check = computed[i].first;
      Value hit = f.compare(ComparePredicate::ge, check.getPosition(), 0.0);
      number =
          f.select(hit, f.constant(number, static_cast<double>(i)), number);
      position = position ? f.select(hit, check.getPosition(), position)
                          : check.getPosition();
      element = element ? f.select(hit, check.getElement(), element)
                        : check.getElement();
    }
    Value field = f.iota(3, builder.getI64Type());
    Value record = f.broadcastScalar(element, {3});
    for (auto [at, value] : {std::pair(1.0, position), std::pair(0.0, number)})
      record = f.select(f.compare(ComparePredicate::eq, field, at),
                        f.broadcastScalar(value, {3}), record);
    if (!writes.empty())
      writeOnlyIf(func, f.compare(ComparePredicate::lt, number, 0.0));

    SmallVector<Attribute> ranges;
    for (const auto &check : computed)
      ranges.push_back(check.second);
    auto attributes = builder.getDictionaryAttr(
        {builder.getNamedAttr(kNameAttr, builder.getStringAttr("ampc.fault")),
         builder.getNamedAttr(kIoAttr,
                              IoAttr::get(func.getContext(), Io::fault)),
         builder.getNamedAttr(kIndexRangeAttr, builder.getArrayAttr(ranges))});
    (void)func.insertResult(func.getNumResults(), record.getType(), attributes);
    ret.getOperandsMutable().append(record);
  }

  func::FuncOp func;
  SmallVector<SmallVector<Attribute>> inputs; // by argument
  SmallVector<std::pair<FirstOutsideOp, IndexRangeAttr>> computed;
  /// What they ask: index, low, high, the ignored value or 0, whether there is
  /// one.
  llvm::DenseSet<std::tuple<Value, int64_t, int64_t, int64_t, int64_t>> asked;
  std::optional<IntegerRanges> known; // made when it is asked for
};

class CheckIndicesPass : public impl::CheckIndicesBase<CheckIndicesPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(EntryChecks(func).build()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace ampc
