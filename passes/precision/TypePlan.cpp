// Decides the types of a forward graph; see TypePlan.h.
#include "passes/precision/TypePlan.h"
#include "passes/precision/Elements.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// Bytes an element that a cast between 32 and 16 bits reads and writes, and
/// that a copy written beside its parameter costs.
static constexpr int64_t kCastBytes = 6, kCopyBytes = 2;

bool isConstantLike(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<ConstantOp, IotaOp>(op))
    return true;
  return isa<BroadcastOp, ReshapeOp>(op) && isConstantLike(op->getOperand(0));
}

/// Whether every float that `op` takes or gives is of type `type`, and there is
/// one.
static bool hasOnlyFloats(Operation *op, Type type) {
  bool hasFloat = false;
  auto fits = [&](Value value) {
    hasFloat |= isFloat(value);
    return !isFloat(value) || elementOf(value) == type;
  };
  return llvm::all_of(op->getOperands(), fits) &&
         llvm::all_of(op->getResults(), fits) && hasFloat;
}

/// Whether what `op` returns to the caller is the loss.
bool givesLoss(Operation *op) {
  auto func = op->getParentOfType<func::FuncOp>();
  return llvm::any_of(op->getUses(), [&](OpOperand &use) {
    if (!isa<func::ReturnOp>(use.getOwner()))
      return false;
    auto io = func.getResultAttrOfType<IoAttr>(use.getOperandNumber(), kIoAttr);
    return io && io.getValue() == Io::loss;
  });
}

TypePlan::TypePlan(func::FuncOp forward, const Policy &policy,
                   PrecisionOverrides &overrides)
    : policy(policy), wide(Float32Type::get(forward.getContext())),
      outside(choice.add(TypeChoice::Kind::wide, 0, 0)) {
  Block &block = forward.front();
  for (Operation &op : block.without_terminator())
    classify(&op, overrides);
  for (Operation &op : block)
    addUses(&op);
  if (!policy.narrow)
    return; // what is pinned is decided, and nothing else moves
  std::vector<TypeChoice::Side> sides = choice.solve();
  for (auto [op, number] : numbers) {
    if (decisions.contains(op))
      continue;
    TypeChoice::Side side = sides[number];
    bool isInside =
        cast<PrecisionRule>(op).classify() == PrecisionClass::f32_inside;
    Reason reason = isInside                         ? Reason::f32_inside
                    : side == TypeChoice::Side::tied ? Reason::follow_tie
                                                     : Reason::follow_cut;
    decisions[op] = {side == TypeChoice::Side::narrow ? policy.narrow : wide,
                     reason};
  }
}

void TypePlan::pin(Operation *op, FloatType type, Reason reason) {
  numbers[op] = choice.add(
      type == policy.narrow ? TypeChoice::Kind::narrow : TypeChoice::Kind::wide,
      0, kCastBytes * tensorType(op->getResult(0)).getNumElements());
  decisions[op] = {type, reason};
}

void TypePlan::classify(Operation *op, PrecisionOverrides &overrides) {
  auto rule = dyn_cast<PrecisionRule>(op);
  if (!rule || rule.classify() == PrecisionClass::never ||
      !hasOnlyFloats(op, wide) || isConstantLike(op->getResult(0)))
    return;
  if (givesLoss(op)) // f32 whatever the policy and the text say (N24)
    return pin(op, wide, Reason::loss);
  if (FloatType asked = overrides.of(op)) {
    // tf32 permits, never requires, what it names.
    pin(op, isa<FloatTF32Type>(asked) ? wide : asked, Reason::user_override);
    return;
  }
  if (!policy.narrow)
    return;
  PrecisionClass kind = rule.classify();
  RankedTensorType type = tensorType(op->getResult(0));
  bool isFloat = isa<FloatType>(type.getElementType());
  if (kind == PrecisionClass::lower)
    return pin(op, policy.narrow, Reason::lower);
  if (kind == PrecisionClass::follow &&
      (losesConstant(op, policy.narrow) || readsOutOfRange(op)))
    return pin(op, wide, Reason::constant_range);
  // A scalar saves nothing, and losses are made of them.
  if (isFloat && type.getNumElements() == 1)
    return pin(op, wide,
               kind == PrecisionClass::f32_inside ? Reason::f32_inside
                                                  : Reason::follow_tie);
  auto fusible = dyn_cast<Fusible>(op);
  bool isStored = isFloat && !isa<BroadcastOp>(op) &&
                  !(fusible && fusible.fusionKind() == FusionKind::view);
  int64_t elements = isFloat ? type.getNumElements() : 0;
  numbers[op] =
      choice.add(kind == PrecisionClass::f32_inside ? TypeChoice::Kind::inside
                                                    : TypeChoice::Kind::free,
                 isStored ? elements : 0, kCastBytes * elements);
}

void TypePlan::addUses(Operation *op) {
  auto known = numbers.find(op);
  unsigned user = known == numbers.end() ? outside : known->second;
  auto rule = dyn_cast<PrecisionRule>(op);
  for (OpOperand &use : op->getOpOperands()) {
    Value value = use.get();
    if (elementOf(value) != wide || isConstantLike(value) ||
        (rule && user != outside && rule.keepsWide(use.getOperandNumber())))
      continue;
    Operation *producer = value.getDefiningOp();
    auto made = producer ? numbers.find(producer) : numbers.end();
    bool isTyped = made != numbers.end() && value == producer->getResult(0);
    if (!isTyped && user == outside)
      continue;
    if (isTyped) {
      choice.addUse(made->second, user);
      continue;
    }
    // A value that stays f32: an input, a parameter, a statistic. Its cast is
    // paid once, whoever asks for it. That of a parameter is the copy that the
    // optimizer writes (N22).
    auto [entry, isNew] = given.try_emplace(value, 0);
    if (isNew)
      entry->second =
          choice.add(TypeChoice::Kind::wide, 0,
                     (value.getDefiningOp<ReadOp>() ? kCopyBytes : kCastBytes) *
                         tensorType(value).getNumElements());
    choice.addUse(entry->second, user);
  }
}

bool TypePlan::readsOutOfRange(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    const TypeDecision *decision = producer ? of(producer) : nullptr;
    return decision && decision->reason == Reason::constant_range;
  });
}

bool TypePlan::losesConstant(Operation *op, FloatType type) const {
  for (Value operand : op->getOperands()) {
    Value root = operand;
    while (isConstantLike(root) && root.getDefiningOp()->getNumOperands() > 0)
      root = root.getDefiningOp()->getOperand(0);
    DenseFPElementsAttr numbers;
    if (!matchPattern(root, m_Constant(&numbers)))
      continue;
    auto loses = [&](APFloat value) {
      bool ignored = false, isZero = value.isZero(),
           isFinite = value.isFinite();
      value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &ignored);
      return (value.isZero() && !isZero) || (!value.isFinite() && isFinite);
    };
    bool lost = numbers.isSplat()
                    ? loses(numbers.getSplatValue<APFloat>())
                    : llvm::any_of(numbers.getValues<APFloat>(), loses);
    if (lost)
      return true;
  }
  return false;
}

} // namespace ampc
