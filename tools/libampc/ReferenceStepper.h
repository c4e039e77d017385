// The reference evaluator behind the interface that trains (opt level 0).
#ifndef AMPC_TOOLS_LIBAMPC_REFERENCESTEPPER_H
#define AMPC_TOOLS_LIBAMPC_REFERENCESTEPPER_H

#include "ir/reference/Interpreter.h"
#include "runtime/api/Plan.h"
#include "runtime/train/Evaluation.h"
#include "runtime/train/StepRules.h"
#include "runtime/train/Windows.h"
#include "tools/libampc/ModelImpl.h"

#include <deque>
#include <functional>

namespace ampc {

class ReferenceStepper;

/// An evaluator of a model that it owns.
struct ResizedReference {
  std::unique_ptr<Model> model;
  std::unique_ptr<ReferenceStepper> stepper;
};

/// Evaluates the entries of a module in stage step, op by op, in f64 arithmetic
/// with one rounding to each result's type. Ports, seed and model hash are
/// those of the plan compiled from the same model. The model must outlive it.
class ReferenceStepper final : public rt::Stepper {
public:
  static rt::Expected<std::unique_ptr<ReferenceStepper>>
  create(const Model &model, mlir::OwningOpRef<mlir::ModuleOp> step,
         rt::Plan plan, uint64_t seed);

  /// Makes the evaluator of the same model whose inputs are as long as a
  /// batch's.
  using Resize =
      std::function<rt::Expected<ResizedReference>(const rt::Batch &)>;
  /// Sets what evaluates a data set's last incomplete batch.
  void onResize(Resize make) { resize = std::move(make); }

  std::string model_name() const override { return plan.model_name(); }
  bool has_entry(rt::EntryKind entry) const override {
    return plan.has_entry(entry);
  }
  std::vector<rt::Port> inputs(rt::EntryKind entry) const override {
    return plan.inputs(entry);
  }
  std::vector<rt::Port> outputs(rt::EntryKind entry) const override {
    return plan.outputs(entry);
  }
  std::vector<std::string> extra_names() const override {
    return stepOutputs.extra_names;
  }

  rt::Expected<void> step(const rt::Batch &batch) override;
  uint64_t accumulate() const override {
    return plan.accumulates() ? plan.train_defaults().accumulate : 1;
  }
  void stop_at(const std::atomic<bool> *flag) override { stop = flag; }
  rt::Expected<std::optional<rt::StepResult>> poll() override;
  rt::Expected<void> sync() override { return {}; }
  rt::Expected<std::vector<rt::NamedTensor>>
  run(rt::EntryKind entry, const rt::Batch &batch) override;
  rt::Expected<rt::EvalResult> eval(rt::DataSource &data,
                                    uint64_t batches) override;

  rt::Expected<void> save(const std::string &path, bool overwrite,
                          const std::string &data) override;
  rt::Expected<void> load(const std::string &path) override;
  rt::Expected<void> load_weights(const std::string &path,
                                  bool partial) override;

  std::vector<std::string> variables() const override;
  rt::Expected<rt::Tensor> read(const std::string &name) const override;
  rt::Expected<void> write(const std::string &name,
                           const rt::TensorView &value) override;
  rt::Expected<std::vector<rt::NamedTensor>> probes() const override;

  int64_t iteration() const override;
  rt::MemoryReport memory() const override { return {}; }

private:
  ReferenceStepper(const Model &model, mlir::OwningOpRef<mlir::ModuleOp> module,
                   rt::Plan plan, uint64_t seed)
      : model(model), module(std::move(module)), plan(std::move(plan)),
        seed(seed) {}

  using Values = llvm::SmallVector<reference::Tensor>;
  /// Evaluates an entry on the tensors of `batch`, or on those of one of the
  /// micro-batches in it.
  rt::Expected<Values> evaluateEntry(rt::EntryKind entry,
                                     const rt::Batch &batch,
                                     rt::MicroBatch micro = {});
  /// Evaluates the entries of one step; what the last of them gives.
  rt::Expected<Values> evaluateWindow(const rt::Batch &batch);
  /// The entry that has the step's probes.
  rt::EntryKind probed() const {
    return plan.accumulates() ? rt::EntryKind::MicroStep
                              : rt::EntryKind::TrainStep;
  }
  /// Notes the first finding of the window.
  void lookAtProbes();
  /// Lets the next micro-batch begin a window.
  void abandonWindow();

  /// Runs an entry of numbers.
  rt::Expected<void> numbers(rt::EntryKind entry, const rt::Batch &batch,
                             std::span<double> values);
  /// Runs eval_step on evaluation batch `index`.
  rt::Expected<void> evalStep(const rt::Batch &batch, uint64_t index,
                              std::span<double> values);
  /// What runs eval_step on batches as short as `batch`.
  rt::Expected<rt::EvalRun::Step> remainderStep(const rt::Batch &batch);
  /// Takes the values of `other`'s variables of the same names.
  rt::Expected<void> adopt(const ReferenceStepper &other);

  /// Variables as bytes, and back.
  struct Image;
  Image image(bool weightsOnly) const;
  rt::Expected<void> restore(const Image &image);
  /// The variable that random ops read, where the model has it.
  uint64_t seedInForce() const;

  double scalar(llvm::StringRef variable, double missing) const;
  /// Sets an i64 scalar variable, where the model has it.
  void setCounter(llvm::StringRef name, int64_t value);

  const Model &model;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  rt::Plan plan;
  uint64_t seed;
  reference::Variables state;
  rt::ProbeReader probeReader{{}};         ///< of a step
  Values lastProbed;                       ///< what the probed entry last gave
  std::optional<rt::Finding> finding;      ///< the first of the window
  rt::StepOutputs stepOutputs;             ///< of a step
  const std::atomic<bool> *stop = nullptr; ///< between micro-batches
  std::optional<rt::Error> fault;          ///< of a window: no later one runs
  std::deque<rt::StepResult> results;
  Resize resize;              ///< empty: nothing takes the last samples
  ResizedReference remainder; ///< made when it is needed
};

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_REFERENCESTEPPER_H
