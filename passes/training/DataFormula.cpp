// Takes losses and metrics apart at their reductions over data; see
// DataFormula.h.
#include "passes/training/DataFormula.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

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

bool isSum(MeanReduction op) {
  if (tensorType(op->getResult(0)).getRank() != 0)
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op.getOperation()))
    return reduce.getKind() == ReduceKind::sum;
  auto reduction = op->getAttrOfType<LossReductionAttr>("reduction");
  return reduction && reduction.getValue() == LossReduction::sum;
}

MeanReduction reductionOf(Value value) {
  auto reduction = value.getDefiningOp<MeanReduction>();
  return reduction && (reduction.isMean() || isSum(reduction))
             ? reduction
             : MeanReduction();
}

DataFormula::DataFormula(func::FuncOp step, OpBuilder &end, Total total)
    : data(dataValues(step)), stepBuilder(step.front().getTerminator()),
      end(end), total(total) {}

/// Iterative: a formula may be as deep as the graph is long.
Value DataFormula::valueOf(Value root) {
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
    Operation *copy = end.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
      values[from] = to;
  }
  return values[root];
}

Value DataFormula::inexactPart(Value root) const {
  SmallVector<Value> open{root};
  llvm::DenseSet<Value> seen{root};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!data.contains(value) || reductionOf(value))
      continue;
    if (!isFormula(value))
      return value;
    for (Value operand : value.getDefiningOp()->getOperands())
      if (seen.insert(operand).second)
        open.push_back(operand);
  }
  return {};
}

/// Whether `value` is computed at the end: it depends on no data, or it is
/// scalar arithmetic on values that are.
bool DataFormula::isFormula(Value value) const {
  if (!data.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || isa<RandomSite>(op) || reductionOf(value))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !data.contains(operand) || tensorType(operand).getRank() == 0;
  });
}

/// A value that the batches contribute to: a sum, a mean as the quotient of
/// sum and count, anything else as the mean over the batches.
Value DataFormula::leaf(Value value) {
  MeanReduction reduction = reductionOf(value);
  if (reduction && isSum(reduction))
    return total(value);
  if (reduction) {
    Value sum = total(reduction.buildSum(stepBuilder));
    Value count = total(reduction.buildCount(stepBuilder));
    return reduction.buildQuotient(end, sum, count);
  }
  Location loc = value.getLoc();
  Value sum = total(value);
  Value count = total(splat(stepBuilder, loc, tensorType(value), 1.0));
  return DivOp::create(end, loc, sum, count);
}

/// Gives both functions their types and the names of what passes between them.
static void setTypes(func::FuncOp step, func::FuncOp finish,
                     ArrayRef<Value> partials, ArrayRef<Value> results) {
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

void splitEvaluation(func::FuncOp step, func::FuncOp finish) {
  Block *body = finish.addEntryBlock();
  OpBuilder end = OpBuilder::atBlockEnd(body);
  SmallVector<Value> partials, values;
  auto total = [&](Value partial) -> Value {
    partials.push_back(partial);
    return body->addArgument(partial.getType(), partial.getLoc());
  };
  DataFormula formula(step, end, total);
  auto ret = cast<func::ReturnOp>(step.front().getTerminator());
  for (Value result : ret.getOperands())
    values.push_back(formula.valueOf(result));
  func::ReturnOp::create(end, step.getLoc(), values);
  setTypes(step, finish, partials, values);
  ret.getOperandsMutable().assign(partials);
}

} // namespace ampc
