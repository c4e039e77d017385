// Builds the test of gradients and the scaler's state machine; see LossScale.h.
#include "passes/training/LossScale.h"

#include "ir/dialect/ops/Formula.h"

#include <limits>

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

Value lossScaleOf(func::FuncOp step, const LossScaleSettings &settings,
                  VariableTable &variables) {
  OpBuilder builder(&step.front(), step.front().begin());
  Location loc = step.getLoc();
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  if (!settings.dynamic)
    return splat(builder, loc, scalar, settings.init);
  if (!variables.lookup(kScaleVariable)) {
    variables.appendScaler(kScaleVariable, settings.init);
    variables.appendScaler(kGoodStepsVariable, std::nullopt);
    if (settings.hysteresis > 1)
      variables.appendScaler(kOverflowsVariable, std::nullopt);
  }
  for (auto read : step.front().getOps<ReadOp>())
    if (read.getVariable() == kScaleVariable)
      return read;
  return ReadOp::create(builder, loc, scalar, kScaleVariable);
}

Value lossSeed(func::FuncOp step, Value loss) {
  auto module = step->getParentOfType<ModuleOp>();
  OpBuilder builder(step.front().getTerminator());
  std::optional<LossScaleSettings> settings = readLossScale(module);
  if (!settings)
    return splat(builder, loss.getLoc(), tensorType(loss), 1.0);
  VariableTable variables(module);
  return castTo(builder, loss.getLoc(), lossScaleOf(step, *settings, variables),
                tensorType(loss).getElementType());
}

Value largestMagnitude(OpBuilder &builder, Location loc,
                       ArrayRef<Value> gradients) {
  Formula f(builder, loc);
  Value largest;
  for (Value gradient : gradients) {
    if (tensorType(gradient).getNumElements() == 0)
      continue;
    Value magnitude = f.reduceByRows(ReduceKind::max, f.abs(gradient));
    largest = largest ? f.maximum(largest, magnitude) : magnitude;
  }
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  return largest ? largest : f.constant(scalar, 0.0);
}

Value isFinite(OpBuilder &builder, Location loc, Value magnitude,
               bool fitsF32) {
  constexpr double kLargestF32 = std::numeric_limits<float>::max(),
                   kLargestF64 = std::numeric_limits<double>::max();
  // False for NaN.
  return Formula(builder, loc)
      .compare(ComparePredicate::le, magnitude,
               fitsF32 ? kLargestF32 : kLargestF64);
}

ScalerState nextScaler(OpBuilder &builder, Location loc,
                       const LossScaleSettings &settings,
                       const ScalerState &now, Value finite) {
  Formula f(builder, loc);
  Value none = f.constant(now.good, 0), one = f.constant(now.good, 1);
  Value good = f.add(now.good, one);
  Value isDue = f.compare(ComparePredicate::ge, good,
                          static_cast<double>(settings.interval));
  Value grown = f.mul(now.scale, f.constant(now.scale, settings.growth));
  Value grows = f.logicalAnd(isDue, isFinite(builder, loc, grown));
  Value raised = f.select(grows, grown, now.scale);

  // A scale from elsewhere may stand below the floor: an overflow never raises
  // it.
  Value lowered = f.minimum(
      now.scale,
      f.maximum(f.mul(now.scale, f.constant(now.scale, settings.backoff)),
                f.constant(now.scale, settings.floor)));
  ScalerState next;
  if (now.overflows) {
    Value overflows = f.add(now.overflows, one);
    Value isLast = f.compare(ComparePredicate::ge, overflows,
                             static_cast<double>(settings.hysteresis));
    lowered = f.select(isLast, lowered, now.scale);
    // Counting stops at the limit: it never wraps.
    Value counted = f.select(
        isLast, f.constant(overflows, static_cast<double>(settings.hysteresis)),
        overflows);
    next.overflows = f.select(finite, none, counted);
  }
  next.scale = f.select(finite, raised, lowered);
  next.good = f.select(finite, f.select(isDue, none, good), none);
  return next;
}

} // namespace ampc
