// Builds the schedule's factor and the rates; see LearningRate.h.
#include "passes/training/LearningRate.h"

#include <cmath>

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

namespace {

/// Scalar arithmetic at one place.
struct Scalars {
  OpBuilder &builder;
  Location loc;

  RankedTensorType f64() {
    return RankedTensorType::get({}, builder.getF64Type());
  }
  RankedTensorType i64() {
    return RankedTensorType::get({}, builder.getI64Type());
  }
  Value number(double value) { return splat(builder, loc, f64(), value); }
  Value integer(int64_t value) {
    // Not through `splat`, whose double holds 53 bits.
    auto elements = DenseElementsAttr::get(i64(), value);
    return ConstantOp::create(builder, loc, i64(), elements);
  }
  Value toF64(Value value) {
    return CastOp::create(builder, loc, f64(), value, CastOrigin::policy);
  }
  Value add(Value a, Value b) { return AddOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return MulOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return DivOp::create(builder, loc, a, b); }
  Value least(Value a, Value b) {
    return MinimumOp::create(builder, loc, a, b);
  }
  Value atLeast(Value a, Value b) {
    return CompareOp::create(builder, loc, ComparePredicate::ge, a, b);
  }
  Value choose(Value condition, Value a, Value b) {
    return SelectOp::create(builder, loc, condition, a, b);
  }
};

/// How often the rate has changed by update `update`, as f64.
Value changes(Scalars &s, const ScheduleSettings &schedule, Value update) {
  if (schedule.every > 0)
    return s.toF64(FloorDivOp::create(s.builder, s.loc, update,
                                      s.integer(schedule.every)));
  Value count = s.number(0);
  Value zero = count, one = s.number(1);
  for (int64_t milestone : schedule.milestones)
    count = s.add(count,
                  s.choose(s.atLeast(update, s.integer(milestone)), one, zero));
  return count;
}

/// min((update - warmup) / (steps - warmup), 1); 1 where nothing is left.
Value progress(Scalars &s, const ScheduleSettings &schedule, Value update) {
  Value one = s.number(1);
  int64_t length = schedule.steps - schedule.warmup;
  if (length <= 0)
    return one;
  Value since =
      SubOp::create(s.builder, s.loc, update, s.integer(schedule.warmup));
  return s.least(s.div(s.toF64(since), s.number(static_cast<double>(length))),
                 one);
}

/// The factor after the warm-up.
Value mainFactor(Scalars &s, const ScheduleSettings &schedule, Value update) {
  switch (schedule.kind) {
  case ScheduleSettings::Constant:
    return s.number(1);
  case ScheduleSettings::Step:
    return PowOp::create(s.builder, s.loc, s.number(schedule.gamma),
                         changes(s, schedule, update));
  case ScheduleSettings::Linear:
    return s.add(s.number(1), s.mul(s.number(schedule.final - 1),
                                    progress(s, schedule, update)));
  case ScheduleSettings::Cosine: {
    Value angle = s.mul(s.number(M_PI), progress(s, schedule, update));
    Value wave = s.add(s.number(1), CosOp::create(s.builder, s.loc, angle));
    return s.add(s.number(schedule.final),
                 s.mul(s.number((1 - schedule.final) / 2), wave));
  }
  }
  llvm_unreachable("covered switch");
}

} // namespace

Value scheduleFactor(OpBuilder &builder, Location loc,
                     const ScheduleSettings &schedule, Value update) {
  Scalars s{builder, loc};
  Value factor = mainFactor(s, schedule, update);
  if (schedule.warmup == 0)
    return factor;
  Value warmup = s.integer(schedule.warmup);
  Value rising = s.div(s.toF64(update), s.toF64(warmup));
  return s.choose(s.atLeast(update, warmup), factor, rising);
}

/// Samples of one micro-batch: the first extent of the first input of
/// `module`'s step.
static int64_t batchOf(ModuleOp module) {
  func::FuncOp step = findEntry(module, Entry::train_step);
  if (!step)
    step = findEntry(module, Entry::micro_step);
  for (BlockArgument argument : step.getArguments())
    if (tensorType(argument).getRank() > 0)
      return tensorType(argument).getDimSize(0);
  return 1;
}

double startingRate(ModuleOp module, const TrainSettings &settings) {
  if (!settings.baseBatch)
    return settings.learningRate;
  return settings.learningRate *
         static_cast<double>(batchOf(module) * settings.accumulate) /
         static_cast<double>(*settings.baseBatch);
}

Value scaledRate(OpBuilder &builder, Location loc, Value base, Value factor,
                 double share) {
  if (!factor && share == 1)
    return base;
  Scalars s{builder, loc};
  Value rate = s.toF64(base);
  if (factor)
    rate = s.mul(rate, factor);
  if (share != 1)
    rate = s.mul(rate, s.number(share));
  return CastOp::create(builder, loc, base.getType(), rate, CastOrigin::policy);
}

} // namespace ampc
