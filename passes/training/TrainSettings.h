// What the module attribute `amp.train` says of the optimizer, read once.
#ifndef AMPC_PASSES_TRAINING_TRAINSETTINGS_H
#define AMPC_PASSES_TRAINING_TRAINSETTINGS_H

#include "ir/dialect/Dialect.h"

#include "llvm/ADT/StringSet.h"
#include <optional>

namespace ampc {

/// How the learning rate moves with the updates; see LearningRate.h.
struct ScheduleSettings {
  enum Kind { Constant, Step, Linear, Cosine };
  Kind kind = Constant;
  int64_t warmup = 0; ///< updates of linear growth from 0
  int64_t every = 0;  ///< Step: updates between changes; 0: `milestones` count
  llvm::SmallVector<int64_t> milestones; ///< Step: updates of the changes
  double gamma = 1;                      ///< Step: factor of a change
  double final = 0;  ///< Linear, Cosine: share of the rate at `steps`
  int64_t steps = 0; ///< windows of the run

  /// Whether the rate is the base rate at every update.
  bool isConstant() const { return kind == Constant && warmup == 0; }
};

/// How the loss is scaled before the backward pass (N24).
struct LossScaleSettings {
  bool dynamic = false; ///< else `init` throughout
  double init = 65536;
  double growth = 2;    ///< factor after `interval` good steps in a row
  double backoff = 0.5; ///< factor after an overflow
  int64_t interval = 2000;
  double floor = 0x1p-14; ///< the least scale
  int64_t hysteresis = 1; ///< overflows in a row before the scale is lowered
};

/// What a step with a gradient that is not finite does (N25).
enum class NonFinite {
  skip,  ///< changes nothing and is counted
  error, ///< changes nothing and ends the run
  ignore ///< is applied
};

/// How one parameter is updated: the optimizer's settings with those of the
/// groups that name it on top.
struct ParameterSettings {
  double rateShare = 1;                 ///< its rate over the base rate
  mlir::DictionaryAttr hyperparameters; ///< without `op` and `lr`
};

/// The optimizer and all that goes with it.
struct TrainSettings {
  TrainSettings(mlir::RegisteredOperationName op, double learningRate)
      : op(op), learningRate(learningRate) {}

  mlir::RegisteredOperationName op;
  double learningRate;
  ScheduleSettings schedule;
  std::optional<double> clipNorm;
  std::optional<LossScaleSettings> lossScale;
  NonFinite nonFinite = NonFinite::skip;
  int64_t accumulate = 1;
  std::optional<int64_t> baseBatch; ///< the batch that the rate is meant for
  ParameterSettings base;           ///< of a parameter in no group
  llvm::StringMap<ParameterSettings> groups; ///< by parameter

  /// How parameter `name` is updated.
  const ParameterSettings &of(llvm::StringRef name) const {
    auto found = groups.find(name);
    return found == groups.end() ? base : found->second;
  }
};

/// An error at the train block of `module`, or at the model where it has none.
mlir::InFlightDiagnostic trainError(mlir::ModuleOp module);

/// Reads `amp.train` of `module`; what is missing or wrong is an error there.
mlir::FailureOr<TrainSettings> readTrainSettings(mlir::ModuleOp module);

/// How `amp.train` of `module` scales the loss; none where it does not.
std::optional<LossScaleSettings> readLossScale(mlir::ModuleOp module);

/// The parameters that groups freeze; empty where `amp.train` says nothing.
llvm::StringSet<> frozenParameters(mlir::ModuleOp module);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_TRAINSETTINGS_H
