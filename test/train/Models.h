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
  /// More settings where bounds are derived. A worst case grows with every
  /// layer and width; once it exceeds a variance, a sum of exponentials or the
  /// norm of all gradients, it is infinite.
  std::vector<std::pair<std::string, std::string>> shallow = {};
  const char *loss = "loss"; ///< result whose gradients are compared

  /// `isShallow`: with the settings of `shallow`, too.
  Model load(bool isShallow = false) const;
  Training train(const rt::Plan &plan,
                 const rt::SessionOptions &session = {}) const {
    return {plan, session, data};
  }
};

std::vector<WholeModel> wholeModels();

/// Prints the name, for the names of tests.
inline std::string nameOf(const testing::TestParamInfo<WholeModel> &info) {
  return info.param.name;
}
inline void PrintTo(const WholeModel &model, std::ostream *os) {
  *os << model.path;
}

} // namespace ampc::test

#endif // AMPC_TEST_TRAIN_MODELS_H
