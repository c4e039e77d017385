// Gives every value its type under a precision policy (N20, N21): TypePlan
// decides, this file rewrites the forward graph.
#include "passes/precision/Elements.h"
#include "passes/precision/Passes.h"
#include "passes/precision/TypePlan.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_ASSIGNPRECISION
#include "passes/precision/Passes.h.inc"

namespace {

/// Rewrites one forward graph: decided ops take their types, casts stand
/// between values and users that differ, one a value and type.
class Retyper {
public:
  Retyper(func::FuncOp forward, const TypePlan &plan)
      : plan(plan), builder(forward.getContext()), wide(builder.getF32Type()) {}

  void visit(Operation *op) {
    const TypeDecision *decision = plan.of(op);
    if (!decision)
      return takeAsWritten(op);
    op->setAttr(kReasonAttr,
                ReasonAttr::get(op->getContext(), decision->reason));
    reason = decision->reason;
    if (decision->type != wide && takesNarrow(op, decision->type)) {
      for (OpOperand &use : op->getOpOperands())
        if (narrows(use))
          use.set(as(use.get(), decision->type));
        else if (isFloat(use.get()) && elementOf(use.get()) != decision->type)
          use.set(as(use.get(), wide)); // kept wide, and in no third type
      retype(op->getResult(0), decision->type);
      return;
    }
    // In f32: what it reads is exact there, and the result rounds once.
    for (OpOperand &use : op->getOpOperands())
      if (isFloat(use.get()))
        use.set(as(use.get(), wide));
    Value result = op->getResult(0);
    if (decision->type == wide || elementOf(result) != wide)
      return;
    Value rounded = castOf(result, decision->type);
    result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
    retyped.insert(rounded);
  }

private:
  /// Whether the op's narrow form computes the same as its f32 form with
  /// rounded operands: an op that follows takes them so, one that is f32 inside
  /// only what is narrow already. Means and losses give the type they sum in. A
  /// constant the type does not hold stays f32 (N5).
  bool takesNarrow(Operation *op, FloatType type) {
    if (isa<MeanReduction>(op))
      return false;
    PrecisionClass kind = cast<PrecisionRule>(op).classify();
    bool isForced = plan.of(op)->reason == Reason::user_override ||
                    kind == PrecisionClass::lower;
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &use) {
      if (!narrows(use) || elementOf(use.get()) == type)
        return true;
      if (isConstantLike(use.get()))
        return holds(use.get(), type);
      return isForced || kind == PrecisionClass::follow;
    });
  }

  bool narrows(OpOperand &use) {
    return isFloat(use.get()) && !cast<PrecisionRule>(use.getOwner())
                                      .keepsWide(use.getOperandNumber());
  }

  /// Whether the constant `value` is a splat that `type` holds exactly.
  static bool holds(Value value, FloatType type) {
    DenseFPElementsAttr numbers;
    if (!matchPattern(value, m_Constant(&numbers)) || !numbers.isSplat())
      return false;
    APFloat number = numbers.getSplatValue<APFloat>();
    bool isInexact = false;
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &isInexact);
    return !isInexact;
  }

  /// An op that the policy does not decide keeps the types of its text.
  void takeAsWritten(Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      if (!retyped.contains(use.get()))
        continue;
      // Results have the types of the model's text, and so have its casts.
      reason = isa<func::ReturnOp, CastOp>(op) ? Reason::user_typed
                                               : Reason::never_unknown;
      use.set(as(use.get(), wide));
    }
  }

  void retype(Value value, FloatType type) {
    if (!isFloat(value))
      return;
    value.setType(withElementType(value.getType(), type));
    retyped.insert(value);
  }

  /// `value` in `type`: itself, or its one cast to it.
  Value as(Value value, FloatType type) {
    return elementOf(value) == type ? value : castOf(value, type);
  }

  Value castOf(Value value, FloatType type) {
    Value &known = casts[{value, type}];
    if (known)
      return known;
    builder.setInsertionPointAfterValue(value);
    RankedTensorType result = withElementType(value.getType(), type);
    if (DenseFPElementsAttr numbers;
        matchPattern(value, m_Constant(&numbers)) && numbers.isSplat()) {
      APFloat number = numbers.getSplatValue<APFloat>();
      bool ignored = false;
      number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &ignored);
      return known = ConstantOp::create(
                 builder, value.getLoc(),
                 DenseElementsAttr::get(result, ArrayRef(number)));
    }
    auto cast = CastOp::create(builder, value.getLoc(), result, value,
                               CastOrigin::policy);
    cast->setAttr(kReasonAttr, ReasonAttr::get(cast.getContext(), reason));
    return known = cast;
  }

  const TypePlan &plan;
  OpBuilder builder;
  FloatType wide;
  Reason reason = Reason::never_unknown; ///< of the op being visited
  llvm::DenseSet<Value> retyped; ///< values that were f32 in the model's text
  llvm::DenseMap<std::pair<Value, Type>, Value> casts;
};

class AssignPrecisionPass
    : public impl::AssignPrecisionBase<AssignPrecisionPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, Stage::model, getArgument())))
      return signalPassFailure();
    auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
    std::optional<Policy> policy = policyFor(precision, target, &getContext());
    if (!policy) {
      module.emitError() << "unknown precision '" << precision
                         << "'; expected auto, f32, tf32, bf16 or f16"
                         << (StringRef(precision).starts_with("f8")
                                 ? "; no target multiplies 8-bit floats"
                                 : "");
      return signalPassFailure();
    }
    if (!policy->note.empty())
      emitWarning(module.getLoc()) << policy->note;
    if (policy->scalesLoss || scaleLoss)
      scaleLossOf(module);
    PrecisionOverrides overrides(module);
    settleTf32(module, *policy, target, overrides);
    for (auto forward : module.getOps<func::FuncOp>())
      if (entryOf(forward) == Entry::forward && !forward.isExternal())
        assign(forward, *policy, overrides);
    for (StringRef pattern : overrides.unused())
      emitWarning(module.getLoc())
          << "precision '" << pattern
          << "' changes nothing: what it matches is the loss, or ops that have "
             "no f32 or a type that the model gave them";
    module->setAttr(kStageAttr, StageAttr::get(&getContext(), Stage::typed));
  }

  /// Leaves `tf32` as the train block's precision where products may round
  /// their operands to it, and nowhere else. A product does not say by itself
  /// that it may, so one call in f32 keeps all in f32 (N20: tf32 permits).
  static void settleTf32(ModuleOp module, const Policy &policy,
                         TargetAttr target,
                         const PrecisionOverrides &overrides) {
    Builder builder(module.getContext());
    bool isUsed = policy.format == "tf32" && target &&
                  target.isFast(builder.getTF32Type());
    if (isUsed && overrides.asksFor(builder.getF32Type())) {
      emitWarning(module.getLoc())
          << "a call asks for f32: contractions run in f32, as tf32 permits";
      isUsed = false;
    }
    auto train = module->getAttrOfType<DictionaryAttr>(kTrainAttr);
    auto text = train ? train.getAs<StringAttr>("precision") : StringAttr();
    if (isUsed == (text && text.getValue() == "tf32"))
      return;
    NamedAttrList settings(train);
    settings.set("precision",
                 builder.getStringAttr(isUsed ? "tf32" : policy.format));
    module->setAttr(kTrainAttr, settings.getDictionary(module.getContext()));
  }

  /// A format that needs a scaled loss gets one unless the model says how
  /// (N24).
  static void scaleLossOf(ModuleOp module) {
    Builder builder(module.getContext());
    NamedAttrList train(module->getAttrOfType<DictionaryAttr>(kTrainAttr));
    if (!train.get("loss_scale"))
      train.set("loss_scale", builder.getDictionaryAttr({}));
    module->setAttr(kTrainAttr, train.getDictionary(module.getContext()));
  }

  void assign(func::FuncOp forward, const Policy &policy,
              PrecisionOverrides &overrides) {
    TypePlan plan(forward, policy, overrides);
    Retyper retyper(forward, plan);
    SmallVector<Operation *> ops;
    for (Operation &op : forward.front())
      ops.push_back(&op);
    for (Operation *op : ops)
      retyper.visit(op);
    if (!getContext().getRemarkEngine())
      return;
    for (Operation *op : ops)
      if (const TypeDecision *decision = plan.of(op))
        report(op, *decision);
  }

  static void report(Operation *op, const TypeDecision &decision) {
    auto options = remark::RemarkOpts::name("type").category("precision");
    StringRef name = op->getName().stripDialect();
    std::string type;
    llvm::raw_string_ostream(type) << Type(decision.type);
    if (decision.type.isF32())
      remark::missed(op->getLoc(), options)
          << remark::add("{0} stays in {1}", name, type)
          << remark::reason("{0}", stringifyReason(decision.reason));
    else
      remark::passed(op->getLoc(), options) << remark::add(
          "{0} is in {1}: {2}", name, type, stringifyReason(decision.reason));
  }
};

} // namespace
} // namespace ampc
