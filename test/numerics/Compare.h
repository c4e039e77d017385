// Comparison of a computed tensor with a reference by an elementwise bound.
#ifndef AMPC_TEST_NUMERICS_COMPARE_H
#define AMPC_TEST_NUMERICS_COMPARE_H

#include "ir/reference/Tensor.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace ampc::test {

/// What a comparison found.
struct Comparison {
  /// Every element is within its bound, and every bound is finite.
  bool holds = false;
  /// The element with the largest error per bound, -1 for an empty tensor.
  int64_t worst = -1;
  double value = 0, reference = 0, bound = 0;
  /// Largest error per bound; 0 where all are equal.
  double ratio = 0;
  /// Elements beyond their bound.
  int64_t failures = 0;
  /// Elements whose bound is not finite: such a bound proves nothing.
  int64_t unbounded = 0;
  /// One sentence with the worst element's index, value, reference and bound.
  std::string report;
};

/// Compares element for element: |value - reference| <= bound. NaN agrees with
/// NaN only, an infinity with itself only. `value` and `reference` have one
/// type; `bounds` has one entry an element.
Comparison compare(const reference::Tensor &value,
                   const reference::Tensor &reference,
                   const std::vector<double> &bounds);

/// The same as an assertion: EXPECT_TRUE(within("loss", value, reference,
/// bounds)).
testing::AssertionResult within(llvm::StringRef name,
                                const reference::Tensor &value,
                                const reference::Tensor &reference,
                                const std::vector<double> &bounds);

/// Equal bits, as memcmp of the stored bytes.
testing::AssertionResult sameBits(llvm::StringRef name,
                                  const reference::Tensor &value,
                                  const reference::Tensor &reference);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_COMPARE_H
