// Steps of a reduction in the accumulation type.
#include "codegen/kernel/ReduceSteps.h"

#include "codegen/kernel/GatherEmitter.h"
#include "codegen/kernel/PrimitiveEmitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

Value ampc::reduceIdentity(OpBuilder &builder, ReduceOp op, Type like) {
  Type type = op.getAccumulation();
  Location loc = op.getLoc();
  ReduceKind kind = op.getKind();
  bool isMax = kind == ReduceKind::max, isMin = kind == ReduceKind::min;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat value(floatType.getFloatSemantics(),
                  kind == ReduceKind::prod ? 1 : 0);
    if (isMax || isMin)
      value =
          APFloat::getInf(floatType.getFloatSemantics(), /*Negative=*/isMax);
    return constantLike(builder, loc, FloatAttr::get(type, value), like);
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  APInt value(bits, kind == ReduceKind::prod ? 1 : 0);
  if (isMax || isMin)
    value =
        isMax ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits);
  return constantLike(builder, loc, IntegerAttr::get(type, value), like);
}

Value ampc::toAccumulation(OpBuilder &builder, ReduceOp op, Value value) {
  Type from = getElementTypeOrSelf(value), to = op.getAccumulation();
  if (from == to)
    return value;
  Type type = typeLike(to, value.getType());
  if (isa<FloatType>(to))
    return arith::ExtFOp::create(builder, op.getLoc(), type, value);
  return arith::ExtSIOp::create(builder, op.getLoc(), type, value);
}

Value ampc::joinPartials(OpBuilder &builder, ReduceOp op, Value lhs,
                         Value rhs) {
  Location loc = op.getLoc();
  bool isFloat = isa<FloatType>(op.getAccumulation());
  switch (op.getKind()) {
  case ReduceKind::sum:
  case ReduceKind::mean:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, lhs, rhs);
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::prod:
    if (isFloat)
      return arith::MulFOp::create(builder, loc, lhs, rhs);
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::max:
    if (isFloat)
      return arith::MaximumFOp::create(builder, loc, lhs, rhs);
    return arith::MaxSIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::min:
    if (isFloat)
      return arith::MinimumFOp::create(builder, loc, lhs, rhs);
    return arith::MinSIOp::create(builder, loc, lhs, rhs);
  case ReduceKind::first:
    break; // is read, not joined
  }
  llvm_unreachable("every kind of reduction that joins is listed");
}

Value ampc::finishReduction(OpBuilder &builder, ReduceOp op, Value value,
                            int64_t count) {
  Location loc = op.getLoc();
  if (op.getKind() == ReduceKind::mean) {
    Value n = constantLike(
        builder, loc,
        builder.getFloatAttr(op.getAccumulation(), static_cast<double>(count)),
        value.getType());
    value = arith::DivFOp::create(builder, loc, value, n);
  } else if (op.getKind() == ReduceKind::max ||
             op.getKind() == ReduceKind::min) {
    value = oneNaN(builder, loc, value);
  }
  Type element = tensorType(op.getResult()).getElementType();
  if (isa<FloatType>(op.getAccumulation()))
    return roundTo(builder, loc, value, element);
  if (element == op.getAccumulation())
    return value;
  return arith::TruncIOp::create(builder, loc,
                                 typeLike(element, value.getType()), value);
}

ReductionOrder
ampc::orderReductions(GroupOp group,
                      llvm::function_ref<bool(unsigned)> isFull) {
  Operation *yield = group.getBody().front().getTerminator();
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> work(yield->getOperands());
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (op && needed.insert(op).second)
      work.append(op->operand_begin(), op->operand_end());
  }
  // The body is in SSA order, so one walk sees every operand before its use.
  llvm::DenseMap<Value, unsigned>
      level; // passes complete before the value exists
  ReductionOrder order;
  for (Operation &op : group.getBody().front().without_terminator()) {
    unsigned deepest = 0;
    for (Value operand : op.getOperands())
      deepest = std::max(deepest, level.lookup(operand));
    auto reduce = dyn_cast<ReduceOp>(op);
    // The first element is there before the pass begins.
    bool waits = reduce && reduce.getKind() != ReduceKind::first;
    level[op.getResult(0)] = deepest + (waits ? 1 : 0);
    if (!reduce || !needed.contains(&op))
      continue;
    if (order.passes.size() <= deepest)
      order.passes.resize(deepest + 1);
    order.passes[deepest].push_back(reduce);
  }
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    (isFull(i) ? order.fullResults : order.keptResults).push_back(i);
    order.storesApart |=
        isFull(i) && level.lookup(value) >= order.passes.size();
  }
  return order;
}

/// Whether `op` costs more than a load.
static bool isCostly(Operation *op) {
  if (isa<RandomOp>(op) || isGather(op))
    return true;
  auto model = dyn_cast<CostModel>(op);
  return model && model.cost(TargetAttr()).transcendentals > 0;
}

SmallVector<Value> ampc::valuesToKeep(GroupOp group,
                                      const ReductionOrder &order) {
  Operation *yield = group.getBody().front().getTerminator();
  SmallVector<SmallVector<Value>> roots; // of each pass
  for (const auto &reductions : order.passes) {
    roots.emplace_back();
    for (ReduceOp reduce : reductions)
      if (reduce.getKind() != ReduceKind::first)
        roots.back().push_back(reduce.getInput());
  }
  if (order.storesApart || roots.empty())
    roots.emplace_back();
  for (unsigned i : order.fullResults)
    roots.back().push_back(yield->getOperand(i));

  llvm::DenseSet<Value> earlier; // costly values of earlier passes
  llvm::SetVector<Value> kept;
  for (ArrayRef<Value> pass : roots) {
    llvm::DenseSet<Value> seen;
    SmallVector<Value> work(pass), costly;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!op || isa<ReduceOp>(op) || !seen.insert(value).second)
        continue;
      if (tensorType(value).getShape() == group.getSpace() && isCostly(op)) {
        if (earlier.contains(value)) {
          kept.insert(value);
          continue;
        }
        costly.push_back(value);
      }
      work.append(op->operand_begin(), op->operand_end());
    }
    earlier.insert(costly.begin(), costly.end());
  }
  return kept.takeVector();
}

LogicalResult ampc::setFirstElements(OpBuilder &builder, BodyEmitter &body,
                                     ArrayRef<ReduceOp> &reductions,
                                     SmallVectorImpl<ReduceOp> &joined,
                                     llvm::function_ref<void()> moveToFirst) {
  bool moved = false;
  for (ReduceOp reduce : reductions) {
    if (reduce.getKind() != ReduceKind::first) {
      joined.push_back(reduce);
      continue;
    }
    if (!moved)
      moveToFirst();
    moved = true;
    FailureOr<Value> value = body.compute(builder, reduce.getInput(),
                                          body.iterationSpace().fullMap());
    if (failed(value))
      return failure();
    body.setComplete(reduce, *value);
  }
  reductions = joined;
  return success();
}

LogicalResult ampc::emitPasses(const ReductionOrder &order, EmitPass emitPass) {
  for (const auto &reductions : order.passes) {
    bool stores = &reductions == &order.passes.back() && !order.storesApart;
    if (failed(emitPass(reductions, stores
                                        ? ArrayRef<unsigned>(order.fullResults)
                                        : ArrayRef<unsigned>())))
      return failure();
  }
  if ((order.storesApart || order.passes.empty()) && !order.fullResults.empty())
    return emitPass({}, order.fullResults);
  return success();
}
