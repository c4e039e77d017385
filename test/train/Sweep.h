// Models of one family of functions each, over many shapes.
#ifndef AMPC_TEST_TRAIN_SWEEP_H
#define AMPC_TEST_TRAIN_SWEEP_H

#include "test/numerics/Graph.h"

namespace ampc::test {

/// An input that a test fills: f32 numbers in [-2, 2), or i32 below `limit`.
struct SweepInput {
  std::string name;
  Shape shape;
  int64_t limit = 0;
};

/// A model whose output `total` reaches every differentiable output.
struct SweepModel {
  std::string name; ///< of the tests
  std::string text;
  std::vector<SweepInput> inputs;
};

std::vector<SweepModel> sweepModels();

inline void PrintTo(const SweepModel &model, std::ostream *os) {
  *os << model.name;
}

} // namespace ampc::test

#endif // AMPC_TEST_TRAIN_SWEEP_H
