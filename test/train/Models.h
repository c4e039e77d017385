// The whole models that tests of training run: the examples and test/models, at
// sizes of a test and on made-up data.
#ifndef AMPC_TEST_TRAIN_MODELS_H
#define AMPC_TEST_TRAIN_MODELS_H

#include "test/train/Training.h"

namespace ampc::test {

/// A model of the tree and how a test trains it.
struct WholeModel {
  const char *name; ///< of the tests
  const char *path; ///< in the source tree
  std::vector<std::pair<std::string, std::string>> sets;
  std::vector<rt::DataLine> data; ///< empty: the model's own data block
  /// Whether the derived bounds of a step stay finite over all of it.
  bool bounded = true;
  const char *loss = "loss"; ///< result whose gradients are compared

  Model load() const;
  Training train(const rt::Plan &plan,
                 const rt::SessionOptions &session = {}) const {
    return {plan, session, data};
  }
};

std::vector<WholeModel> wholeModels();
/// Those whose bounds stay finite.
std::vector<WholeModel> boundedModels();

/// Prints the name, for the names of tests.
inline std::string nameOf(const testing::TestParamInfo<WholeModel> &info) {
  return info.param.name;
}
inline void PrintTo(const WholeModel &model, std::ostream *os) {
  *os << model.path;
}

} // namespace ampc::test

#endif // AMPC_TEST_TRAIN_MODELS_H
