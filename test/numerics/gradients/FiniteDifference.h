// Holds the gradient of a function @f against central finite differences of
// its reference evaluation in f64.
#ifndef AMPC_TEST_NUMERICS_GRADIENTS_FINITEDIFFERENCE_H
#define AMPC_TEST_NUMERICS_GRADIENTS_FINITEDIFFERENCE_H

#include "test/numerics/Graph.h"

namespace ampc::test {

/// Parses `@f(%a, %b, ...) { body; return %r }` on `operands`, and compares its
/// gradient by `Differentiable::backward` with finite differences, element for
/// element, for one upstream gradient drawn from `numbers`. `expected` counts
/// the operands that must get a gradient. Away from kinks only: the forward
/// must be smooth within 2^-9 of the operands.
void checkGradient(llvm::StringRef body, llvm::ArrayRef<Written> operands,
                   llvm::StringRef resultType, size_t expected,
                   Numbers &numbers);

/// One list of numbers a gradient.
using Lists = std::vector<std::vector<double>>;

/// The gradients of the same for the upstream gradient `upstream`, one list an
/// operand that gets one.
Lists gradientsOf(llvm::StringRef body, llvm::ArrayRef<Written> operands,
                  llvm::StringRef resultType,
                  const std::vector<double> &upstream);

/// Those of `amp.OP %a TAIL` on f32 elements `x`.
Lists unaryGradient(const std::string &op, const std::vector<double> &x,
                    const std::vector<double> &upstream,
                    const std::string &tail = "");

/// As `same`, list for list.
testing::AssertionResult sameLists(const Lists &actual, const Lists &expected);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_GRADIENTS_FINITEDIFFERENCE_H
