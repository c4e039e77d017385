// Builds a micro-batch's share of each loss; see LossShares.h.
#include "passes/training/LossShares.h"

#include "ir/dialect/Locations.h"
#include "ir/dialect/ops/Formula.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// What of `func` depends on parameters or draws: it changes from one
/// micro-batch to the next, or is what a window trains.
static llvm::DenseSet<Value> varyingValues(func::FuncOp func) {
  SymbolTable symbols(func->getParentOfType<ModuleOp>());
  llvm::DenseSet<Value> varying;
  for (Operation &op : func.front()) {
    auto read = dyn_cast<ReadOp>(op);
    auto variable =
        read ? symbols.lookup<VariableOp>(read.getVariable()) : VariableOp();
    bool varies = (variable && variable.getRole() == VariableRole::parameter) ||
                  isa<RandomSite>(op) ||
                  llvm::any_of(op.getOperands(), [&](Value operand) {
                    return varying.contains(operand);
                  });
    if (varies)
      varying.insert(op.result_begin(), op.result_end());
  }
  return varying;
}

LossShares::LossShares(func::FuncOp micro, Value isFirst,
                       DataFormula::Total total)
    : micro(micro), data(dataValues(micro)), varying(varyingValues(micro)),
      builder(micro.front().getTerminator()), isFirst(isFirst), total(total),
      divisors(micro, builder, total) {}

LogicalResult LossShares::refuse(Value term) {
  InFlightDiagnostic diagnostic = emitError(term.getLoc())
                                  << "loss '" << loss
                                  << "' cannot be accumulated: ";
  if (auto argument = dyn_cast<BlockArgument>(term)) {
    diagnostic << micro.getArgAttr(argument.getArgNumber(), kNameAttr);
  } else {
    std::string path = namePathOf(term.getLoc());
    diagnostic << (path.empty() ? term.getDefiningOp()
                                      ->getName()
                                      .getStringRef()
                                      .split('.')
                                      .second
                                : StringRef(path));
  }
  return diagnostic << " is not a sum, a mean or their quotient by inputs and "
                       "targets";
}

FailureOr<Value> LossShares::of(StringRef name, Value value) {
  loss = name;
  // Iterative: a formula may be as deep as the graph is long.
  llvm::SetVector<Operation *> formula;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value part = open.pop_back_val();
    if (!data.contains(part) || shares.contains(part) || reductionOf(part))
      continue;
    FailureOr<SmallVector<Part, 2>> parts = partsOf(part);
    if (failed(parts))
      return failure();
    Operation *op = part.getDefiningOp();
    if (!formula.insert(op))
      continue;
    for (auto [operand, kind] : llvm::zip(op->getOperands(), *parts))
      if (kind == Part::share)
        open.push_back(operand);
  }
  SmallVector<Operation *> ordered = formula.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered) {
    FailureOr<Value> share = buildShare(op);
    if (failed(share))
      return failure();
    shares[op->getResult(0)] = *share;
  }
  return shareOf(value);
}

/// What the operands of a value are that is linear in the sums it is made of.
FailureOr<SmallVector<LossShares::Part, 2>> LossShares::partsOf(Value value) {
  using Parts = SmallVector<Part, 2>;
  Operation *op = value.getDefiningOp();
  if (!op || tensorType(value).getRank() != 0)
    return refuse(value);
  if (isa<AddOp, SubOp>(op))
    return Parts{Part::share, Part::share};
  if (isa<NegOp, DetachOp>(op))
    return Parts{Part::share};
  auto isFloat = [](Value v) {
    return isa<FloatType>(tensorType(v).getElementType());
  };
  if (isa<CastOp>(op) && isFloat(value))
    return Parts{Part::share};
  if (isa<MulOp>(op)) {
    bool left = data.contains(op->getOperand(0)),
         right = data.contains(op->getOperand(1));
    if (left && right)
      return refuse(value);
    return left ? Parts{Part::share, Part::factor}
                : Parts{Part::factor, Part::share};
  }
  if (isa<DivOp>(op) && isFloat(value)) {
    Value divisor = op->getOperand(1);
    if (!data.contains(divisor))
      return Parts{Part::share, Part::factor};
    if (failed(checkDivisor(divisor)))
      return failure();
    return Parts{Part::share, Part::divisor};
  }
  return refuse(value);
}

/// A scalar of sums and means of inputs and targets.
LogicalResult LossShares::checkDivisor(Value value) {
  if (varying.contains(value))
    return refuse(value);
  if (Value part = divisors.inexactPart(value))
    return refuse(part);
  return success();
}

FailureOr<Value> LossShares::shareOf(Value value) {
  if (Value known = shares.lookup(value))
    return known;
  FailureOr<Value> share = leaf(value);
  if (succeeded(share))
    shares[value] = *share;
  return share;
}

FailureOr<Value> LossShares::buildShare(Operation *op) {
  FailureOr<SmallVector<Part, 2>> parts = partsOf(op->getResult(0));
  IRMapping mapping;
  for (auto [operand, kind] : llvm::zip(op->getOperands(), *parts)) {
    if (kind == Part::factor)
      continue;
    FailureOr<Value> own = kind == Part::share
                               ? shareOf(operand)
                               : FailureOr<Value>(divisors.valueOf(operand));
    if (failed(own))
      return failure();
    mapping.map(operand, *own);
  }
  return builder.clone(*op, mapping)->getResult(0);
}

/// A term without data counts once, a sum as it is, a mean by the window's
/// count.
FailureOr<Value> LossShares::leaf(Value value) {
  Formula f(builder, value.getLoc());
  if (!data.contains(value))
    return f.select(isFirst, value, f.constant(value, 0.0));
  MeanReduction reduction = reductionOf(value);
  if (isSum(reduction))
    return value;
  Operation *last = builder.getInsertionPoint()->getPrevNode();
  Value count = reduction.buildCount(builder);
  for (Operation *op = last->getNextNode(); op != &*builder.getInsertionPoint();
       op = op->getNextNode())
    if (llvm::any_of(op->getOperands(),
                     [&](Value v) { return varying.contains(v); }))
      return refuse(value);
  Value sum = reduction.buildSum(builder);
  return reduction.buildQuotient(builder, sum, total(count));
}

} // namespace ampc
