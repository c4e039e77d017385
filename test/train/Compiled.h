// Outputs and gradients of a model's text by compiled code: at both opt levels,
// at one thread and three, with one set of bits.
#ifndef AMPC_TEST_TRAIN_COMPILED_H
#define AMPC_TEST_TRAIN_COMPILED_H

#include "test/train/Training.h"

namespace ampc::test {

/// A tensor of numbers as a test writes it.
struct Fed {
  std::string name;
  rt::DType dtype;
  std::vector<int64_t> shape;
  std::vector<double> values;
};

/// An f32 input.
inline Fed floats(std::string name, std::vector<int64_t> shape,
                  std::vector<double> values) {
  return {std::move(name), rt::DType::F32, std::move(shape), std::move(values)};
}

/// What a model gives, by name: outputs, and gradients as `grad.INPUT`.
class Results {
public:
  explicit Results(std::vector<rt::NamedTensor> tensors)
      : tensors(std::move(tensors)) {}
  const rt::Tensor &tensor(std::string_view name) const;
  /// The elements of an f32 or i64 result.
  std::vector<double> values(std::string_view name) const;
  std::vector<int64_t> shape(std::string_view name) const;

private:
  std::vector<rt::NamedTensor> tensors;
};

/// Runs the statements `body` (inputs, outputs) on `fed` in each way and
/// compares the bits. With `differentiated`, an output, also its gradients, for
/// upstream gradients `upstream` (one an element). `precision` is the policy.
Results runCompiled(const std::string &body, const std::vector<Fed> &fed,
                    const std::string &differentiated = "",
                    const std::vector<double> &upstream = {1},
                    const std::string &precision = "");

/// Each number within `bound` of the expected one; NaN and infinities equal.
testing::AssertionResult near(const std::vector<double> &actual,
                              const std::vector<double> &expected,
                              double bound = 0);

} // namespace ampc::test

#endif // AMPC_TEST_TRAIN_COMPILED_H
