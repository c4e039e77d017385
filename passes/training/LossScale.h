// The scaled loss and the test of gradients (N24, N25).
#ifndef AMPC_PASSES_TRAINING_LOSSSCALE_H
#define AMPC_PASSES_TRAINING_LOSSSCALE_H

#include "passes/training/TrainSettings.h"
#include "passes/training/VariableTable.h"

namespace ampc {

/// The scale in force as `step` begins, an f32 scalar that stands before all
/// else: a number, or the variable, which is declared with the rest of the
/// scaler's state when missing.
mlir::Value lossScaleOf(mlir::func::FuncOp step,
                        const LossScaleSettings &settings,
                        VariableTable &variables);

/// The gradient of `loss` that the backward pass of `step` begins with: the
/// scale, 1 where the module scales no loss.
mlir::Value lossSeed(mlir::func::FuncOp step, mlir::Value loss);

/// The largest magnitude among the elements of `gradients`, an f32 scalar: NaN
/// or infinite where one is. At least one gradient.
mlir::Value largestMagnitude(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::ArrayRef<mlir::Value> gradients);

/// Whether `magnitude`, a scalar of at least 0, is a finite number of its type,
/// and at most f32's largest where `fitsF32`; an i1 scalar.
mlir::Value isFinite(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value magnitude, bool fitsF32 = true);

/// The state of the scaler and what follows a step (N24): after `interval` good
/// steps the scale grows, unless it would not be finite; an overflow, the
/// `hysteresis`-th in a row and each after it, lowers it to no less than
/// `floor`.
struct ScalerState {
  mlir::Value scale;     ///< f32 scalar
  mlir::Value good;      ///< i32 scalar: good steps since the scale changed
  mlir::Value overflows; ///< i32 scalar: overflows in a row; null without
                         ///< hysteresis
};
ScalerState nextScaler(mlir::OpBuilder &builder, mlir::Location loc,
                       const LossScaleSettings &settings,
                       const ScalerState &now, mlir::Value finite);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_LOSSSCALE_H
