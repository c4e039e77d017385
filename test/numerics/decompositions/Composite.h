// Holds a composite op against its decomposition, within the bound that the
// running error analysis derives.
#ifndef AMPC_TEST_NUMERICS_DECOMPOSITIONS_COMPOSITE_H
#define AMPC_TEST_NUMERICS_DECOMPOSITIONS_COMPOSITE_H

#include "test/numerics/Graph.h"

namespace ampc::test {

/// A composite as function text on named tensors, and how to fill them.
struct Composite {
  std::string text;
  std::vector<Written> operands;
};

/// Numbers in [low, high) that use all digits of f32.
Written drawn(const Shape &shape, const std::string &element, Numbers &numbers,
              double low = -2, double high = 2);

/// `@f(%a, %b, ...) { %r = operation }` on `operands`, of types `results`.
Composite makeComposite(const std::string &operation,
                        const std::vector<Written> &operands,
                        llvm::ArrayRef<std::string> results);

/// A composite and its decomposition, run on its operands; no results after a
/// failure, which fails the test.
struct BothForms {
  Program program;
  llvm::SmallVector<reference::Tensor> arguments, direct, primitive;

  explicit BothForms(const Composite &composite);
};

/// Runs both forms: they agree within the bound that covers the decomposition
/// with and without any of its roundings. `scale` is the sum of the magnitudes
/// that can meet in one element.
void checkComposite(const Composite &composite, double scale);

/// Runs both forms on special values, where they agree to the sign of zero.
void checkExact(const Composite &composite);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_DECOMPOSITIONS_COMPOSITE_H
