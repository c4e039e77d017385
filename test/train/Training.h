// One model at a test's size, compiled and open, with the batches it trains on.
#ifndef AMPC_TEST_TRAIN_TRAINING_H
#define AMPC_TEST_TRAIN_TRAINING_H

#include "tools/libampc/Ampc.h"
#include "gtest/gtest.h"

namespace ampc::test {

/// The value of `expected`; an error fails the test with its text and ends the
/// program, as nothing after it could mean anything.
template <class T>
T must(rt::Expected<T> expected) {
  if (!expected) {
    ADD_FAILURE() << expected.error().text();
    std::exit(1);
  }
  return std::move(*expected);
}
inline void must(rt::Expected<void> expected) {
  if (!expected) {
    ADD_FAILURE() << expected.error().text();
    std::exit(1);
  }
}

/// The smallest memory budget that `load`, given the value of
/// `train.memory_budget`, can be compiled within: what the refusal of one byte
/// says.
uint64_t
smallestBudget(const std::function<Model(const std::string &budget)> &load,
               const CompileOptions &options = {});

/// Windows that the tests of a run train.
inline constexpr uint64_t kSteps = 20;

/// examples/mlp.amp at a small size, or as it is written where
/// AMPC_PROOF_FULL is in the environment (tools/dev proofs).
Model mlp(const std::string &batch, const std::string &width,
          const std::string &hidden);

/// A model being trained on its own data block, or on `lines` where there are
/// any.
class Training {
public:
  Training(const Model &model, const CompileOptions &compile = {},
           const rt::SessionOptions &session = {},
           std::vector<rt::DataLine> lines = {});
  /// The same of a model that is compiled.
  Training(const rt::Plan &plan, const rt::SessionOptions &session,
           std::vector<rt::DataLine> lines);

  rt::Stepper &stepper() { return *opened.stepper; }
  /// The session behind it; not for the reference evaluator.
  rt::Session &session() { return static_cast<rt::Session &>(stepper()); }
  /// The batches that it trains on.
  rt::DataSource &source() { return *data; }
  /// Batch `index`, valid until the next call.
  const rt::Batch &batch(uint64_t index) { return *must(data->batch(index)); }
  /// Trains on batch `index`; the result.
  rt::StepResult step(uint64_t index);
  /// Losses of `steps` windows from batch `first` on.
  std::vector<float> losses(uint64_t steps, uint64_t first = 0);
  /// The bytes of every variable, in order.
  std::vector<std::vector<std::byte>> state();

private:
  void openData(std::vector<rt::DataLine> lines);

  OpenedModel opened;
  std::unique_ptr<rt::DataSource> data;
};

/// What a run of training comes to.
struct Outcome {
  std::vector<float> losses;
  std::vector<std::vector<std::byte>> state; ///< of every variable, in order
  /// What it evaluates to afterwards.
  std::vector<std::pair<std::string, double>> evaluated;
  uint64_t peak = 0; ///< bytes that the session held
};

/// Trains `steps` windows, then evaluates two batches.
Outcome outcomeOf(Training &training, uint64_t steps);

/// Checks everything but the memory.
void expectSameBits(const Outcome &run, const Outcome &expected);

} // namespace ampc::test

#endif // AMPC_TEST_TRAIN_TRAINING_H
