// Splits eval_step's losses and metrics at their reductions over data; see
// EvalFormula.h.
#include "passes/training/EvalFormula.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

namespace {

/// What of a function depends on the batch: its arguments, draws, and what is
/// computed from them.
llvm::DenseSet<Value> dataValues(func::FuncOp func) {
  llvm::DenseSet<Value> data(func.getArguments().begin(),
                             func.getArguments().end());
  for (Operation &op : func.front()) {
    bool drawn = isa<RandomSite>(op);
    bool reached = llvm::any_of(op.getOperands(),
                                [&](Value v) { return data.contains(v); });
    if (drawn || reached)
      data.insert(op.result_begin(), op.result_end());
  }
  return data;
}

/// Whether `op` is a plain sum of all its terms.
bool isSum(MeanReduction op) {
  if (tensorType(op->getResult(0)).getRank() != 0)
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op.getOperation()))
    return reduce.getKind() == ReduceKind::sum;
  auto reduction = op->getAttrOfType<LossReductionAttr>("reduction");
  return reduction && reduction.getValue() == LossReduction::sum;
}

class Splitter {
public:
  Splitter(func::FuncOp step, func::FuncOp finish)
      : step(step), finish(finish), data(dataValues(step)),
        stepBuilder(step.front().getTerminator()),
        finishBuilder(finish.getContext()) {
    finishBuilder.setInsertionPointToEnd(finish.addEntryBlock());
  }

  void run() {
    auto ret = cast<func::ReturnOp>(step.front().getTerminator());
    SmallVector<Value> values;
    for (Value result : ret.getOperands())
      values.push_back(valueOf(result));
    func::ReturnOp::create(finishBuilder, step.getLoc(), values);
    setTypes(values);
    ret.getOperandsMutable().assign(partials);
  }

private:
  /// What `value` of the step is at the end of the data, in `finish`.
  /// Iterative: a formula may be as deep as the graph is long.
  Value valueOf(Value root) {
    SmallVector<Value> stack{root};
    while (!stack.empty()) {
      Value value = stack.back();
      if (values.contains(value)) {
        stack.pop_back();
        continue;
      }
      if (!isFormula(value)) {
        values[value] = leaf(value);
        stack.pop_back();
        continue;
      }
      Operation *op = value.getDefiningOp();
      size_t pending = stack.size();
      for (Value operand : llvm::reverse(op->getOperands()))
        if (!values.contains(operand))
          stack.push_back(operand);
      if (stack.size() != pending)
        continue;
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, values[operand]);
      Operation *copy = finishBuilder.clone(*op, mapping);
      for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
        values[from] = to;
    }
    return values[root];
  }

  /// Whether `value` is computed at the end: it depends on no data, or it is
  /// scalar arithmetic on values that are.
  bool isFormula(Value value) {
    if (!data.contains(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || isa<RandomSite>(op))
      return false;
    if (auto reduction = dyn_cast<MeanReduction>(op);
        reduction && (reduction.isMean() || isSum(reduction)))
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !data.contains(operand) || tensorType(operand).getRank() == 0;
    });
  }

  /// A value that the batches contribute to: a sum, a mean as the quotient of
  /// sum and count, anything else as the mean over the batches.
  Value leaf(Value value) {
    auto reduction = value.getDefiningOp<MeanReduction>();
    Location loc = value.getLoc();
    if (reduction && isSum(reduction))
      return total(value);
    if (reduction && reduction.isMean()) {
      Value sum = total(reduction.buildSum(stepBuilder));
      Value count = total(reduction.buildCount(stepBuilder));
      return reduction.buildQuotient(finishBuilder, sum, count);
    }
    Value sum = total(value);
    Value count = total(splat(stepBuilder, loc, tensorType(value), 1.0));
    return DivOp::create(finishBuilder, loc, sum, count);
  }

  /// The argument of `finish` that holds the total of `partial` over the data.
  Value total(Value partial) {
    partials.push_back(partial);
    return finish.front().addArgument(partial.getType(), partial.getLoc());
  }

  /// Gives both functions their types and the names of what passes between
  /// them.
  void setTypes(ArrayRef<Value> results) {
    Builder builder(step.getContext());
    auto described = [&](unsigned i, Io io) -> Attribute {
      return builder.getDictionaryAttr(
          {builder.getNamedAttr(kNameAttr,
                                builder.getStringAttr("partial." + Twine(i))),
           builder.getNamedAttr(kIoAttr, IoAttr::get(step.getContext(), io))});
    };
    ArrayAttr stepResults = step.getAllResultAttrs();
    SmallVector<Attribute> arguments, outputs;
    for (unsigned i = 0; i < partials.size(); ++i) {
      arguments.push_back(described(i, Io::input));
      outputs.push_back(described(i, Io::partial));
    }
    finish.setType(builder.getFunctionType(finish.front().getArgumentTypes(),
                                           ValueRange(results).getTypes()));
    finish.setAllArgAttrs(builder.getArrayAttr(arguments));
    finish.setAllResultAttrs(stepResults);
    step.setType(builder.getFunctionType(step.getArgumentTypes(),
                                         ValueRange(partials).getTypes()));
    step.setAllResultAttrs(builder.getArrayAttr(outputs));
  }

  func::FuncOp step, finish;
  llvm::DenseSet<Value> data;
  OpBuilder stepBuilder, finishBuilder;
  llvm::DenseMap<Value, Value> values; // of the step -> at the end
  SmallVector<Value> partials;
};

} // namespace

void splitEvaluation(func::FuncOp step, func::FuncOp finish) {
  Splitter(step, finish).run();
}

} // namespace ampc
