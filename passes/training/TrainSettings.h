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

/// Reads `amp.train` of `module`; what is missing or wrong is an error there.
mlir::FailureOr<TrainSettings> readTrainSettings(mlir::ModuleOp module);

/// The parameters that groups freeze; empty where `amp.train` says nothing.
llvm::StringSet<> frozenParameters(mlir::ModuleOp module);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_TRAINSETTINGS_H
