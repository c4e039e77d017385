// One entry of a model by the reference evaluator, with the derived bounds of
// every result and variable (RunningError.h), beside a session of the same
// model.
#ifndef AMPC_TEST_TRAIN_BOUNDEDENTRY_H
#define AMPC_TEST_TRAIN_BOUNDEDENTRY_H

#include "test/numerics/Compare.h"
#include "test/numerics/RunningError.h"
#include "test/train/Training.h"
#include "test/unit/reference/Parse.h"

namespace ampc::test {

/// How much bounds said.
struct Proven {
  int64_t elements = 0, unbounded = 0;
};

/// The bounded evaluation of an entry in stage step, or of those of a window.
class BoundedEntry {
public:
  explicit BoundedEntry(const Model &model,
                        const std::string &entry = "train_step",
                        const CompileOptions &options = {},
                        Roundings roundings = Roundings::typed);

  /// Takes the values of the session's variables, free of error.
  void copyState(rt::Session &session);
  /// Runs the entry on `batch`; its results.
  llvm::SmallVector<Bounded> run(const rt::Batch &batch);
  /// Runs the entries of a window whose `micros` micro-batches `batch` holds;
  /// the results of the last, which is the entry that this is for.
  llvm::SmallVector<Bounded> runWindow(const rt::Batch &batch, uint64_t micros);
  /// A variable as the entry left it.
  const Bounded &variable(llvm::StringRef name) const {
    return *variables.find(name)->second;
  }
  /// The sum of the losses among `results`, with the roundings of the sum.
  Bounded totalLoss(llvm::ArrayRef<Bounded> results);
  /// Every variable of the session against the bounded value. With `proven`
  /// an infinite bound is counted there, and else a failure.
  void expectState(rt::Session &session, Proven *proven = nullptr);
  /// What the session's run of the entry gave against `bounded`, in the entry's
  /// order.
  void expectResults(const std::vector<rt::NamedTensor> &results,
                     llvm::ArrayRef<Bounded> bounded);

private:
  llvm::SmallVector<Bounded> evaluate(mlir::func::FuncOp func,
                                      const rt::Batch &batch, uint64_t micro);

  Program program;
  mlir::func::FuncOp function;
  Roundings roundings;
  BoundedVariables variables;
};

/// A scalar against its bound.
testing::AssertionResult withinBound(llvm::StringRef name, float value,
                                     const Bounded &bounded);

} // namespace ampc::test

#endif // AMPC_TEST_TRAIN_BOUNDEDENTRY_H
