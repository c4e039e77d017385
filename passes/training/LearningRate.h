// The learning rate of a step, in IR: the base rate, a run-time scalar, times
// the schedule's factor at this update (N31).
#ifndef AMPC_PASSES_TRAINING_LEARNINGRATE_H
#define AMPC_PASSES_TRAINING_LEARNINGRATE_H

#include "passes/training/TrainSettings.h"

namespace ampc {

/// The factor of the schedule at update `update` (i64 scalar, from 0), an f64
/// scalar. With w = warmup, T = steps and u the update:
///
/// - u < w: u / w, for every kind;
/// - constant: 1;
/// - step: gamma ^ k, k = floor(u / every) or the number of milestones <= u
///   (torch.optim.lr_scheduler.StepLR, MultiStepLR);
/// - linear: 1 + (final - 1) * x (LinearLR);
/// - cosine: final + (1 - final) / 2 * (1 + cos(pi x)) (CosineAnnealingLR),
///   with x = min((u - w) / (T - w), 1) in both.
mlir::Value scheduleFactor(mlir::OpBuilder &builder, mlir::Location loc,
                           const ScheduleSettings &schedule,
                           mlir::Value update);

/// The base rate that a run begins with: the settings', scaled by what a window
/// of `module`'s step has over the batch that they are for.
double startingRate(mlir::ModuleOp module, const TrainSettings &settings);

/// `factor` (f64 scalar, null: 1) and `share` times `base` (f32 scalar),
/// rounded to f32 once.
mlir::Value scaledRate(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value base, mlir::Value factor, double share);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_LEARNINGRATE_H
