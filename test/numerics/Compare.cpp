// Comparison by bounds, and its report; see Compare.h.
#include "test/numerics/Compare.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

namespace ampc::test {

using reference::Tensor;

/// "[1, 2]" of element `i` of `shape`.
static std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t i) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0; i /= shape[axis])
    text = std::to_string(i % shape[axis]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

/// The error as a multiple of its bound; infinite where the two cannot agree.
static double ratioOf(double value, double reference, double bound) {
  if (std::isnan(value) && std::isnan(reference))
    return 0;
  if (value == reference)
    return 0;
  double error = std::fabs(value - reference);
  if (!std::isfinite(error) || bound <= 0)
    return std::numeric_limits<double>::infinity();
  return error / bound;
}

Comparison compare(const Tensor &value, const Tensor &reference,
                   const std::vector<double> &bounds) {
  Comparison result;
  if (value.type() != reference.type() ||
      static_cast<size_t>(value.size()) != bounds.size()) {
    llvm::raw_string_ostream(result.report)
        << "value is " << value.type() << ", reference " << reference.type()
        << ", with " << bounds.size() << " bounds";
    return result;
  }
  for (int64_t i = 0; i < value.size(); ++i) {
    double ratio = ratioOf(value.number(i), reference.number(i), bounds[i]);
    result.failures += ratio > 1;
    result.unbounded += !std::isfinite(bounds[i]);
    if (result.worst >= 0 && ratio <= result.ratio)
      continue;
    result.worst = i;
    result.ratio = ratio;
    result.value = value.number(i);
    result.reference = reference.number(i);
    result.bound = bounds[i];
  }
  result.holds = result.failures == 0 && result.unbounded == 0;
  result.report =
      result.worst < 0
          ? "no elements"
          : llvm::formatv("worst element {0}: value {1}, reference {2}, error "
                          "{3} against bound "
                          "{4}; {5} of {6} elements beyond their bound, {7} "
                          "without a finite bound",
                          indexText(value.shape(), result.worst),
                          llvm::format("%.9g", result.value),
                          llvm::format("%.9g", result.reference),
                          llvm::format("%.3g", std::fabs(result.value -
                                                         result.reference)),
                          llvm::format("%.3g", result.bound), result.failures,
                          value.size(), result.unbounded)
                .str();
  return result;
}

testing::AssertionResult within(llvm::StringRef name, const Tensor &value,
                                const Tensor &reference,
                                const std::vector<double> &bounds) {
  Comparison result = compare(value, reference, bounds);
  return (result.holds ? testing::AssertionSuccess()
                       : testing::AssertionFailure())
         << name.str() << ": " << result.report;
}

testing::AssertionResult sameBits(llvm::StringRef name, const Tensor &value,
                                  const Tensor &reference) {
  std::vector<double> exact(static_cast<size_t>(value.size()), 0.0);
  if (value.type() == reference.type() &&
      value.toBytes() == reference.toBytes())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << name.str() << " differs in bits; "
                                     << compare(value, reference, exact).report;
}

} // namespace ampc::test
