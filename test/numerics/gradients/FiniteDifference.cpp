// Central finite differences in f64; see FiniteDifference.h.
//
// The stencil (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12h has the error
// h^4/30 * f'''''  from truncation and, each f being a sum of terms |g y|
// rounded in f64, about 1.5 * 2^-53 * n * sum|g y| / h from rounding. With
// h = 2^-10 and n <= 64 terms the second is below 2^-36 sum|g y|; the first is
// 3e-14 f''''', and the cases keep |f'''''| below 1000 sum|g y|. So 2^-34
// (1 + sum|g y|) bounds both.
#include "test/numerics/gradients/FiniteDifference.h"

#include "test/numerics/gradients/Coverage.h"

#include <cmath>

using namespace mlir;

namespace ampc::test {

using reference::Tensor;

namespace {

constexpr double kStep = 0x1p-10;
constexpr double kBound = 0x1p-34;

/// A function on tensors and its gradient in one module.
struct Case {
  Program program;
  SmallVector<Tensor> arguments;
  SmallVector<unsigned> differentiated;
  bool valid = false;

  Case(llvm::StringRef body, ArrayRef<Written> operands,
       llvm::StringRef resultType)
      : program(functionText(body, operands, resultType)) {
    for (const Written &operand : operands)
      arguments.push_back(program.tensor(operand));
    if (!program.function("f"))
      return;
    FailureOr<SmallVector<unsigned>> which = addGradient(program);
    if (failed(which)) {
      ADD_FAILURE() << "no gradient of\n"
                    << body.str() << "\n"
                    << program.errors();
      return;
    }
    differentiated = *which;
    valid = true;
  }

  SmallVector<Tensor> run(llvm::StringRef name, ArrayRef<Tensor> values) {
    FailureOr<SmallVector<Tensor>> results = program.run(name, values);
    EXPECT_TRUE(succeeded(results)) << program.errors();
    return succeeded(results) ? std::move(*results) : SmallVector<Tensor>();
  }

  /// The gradients for upstream gradient `upstream`.
  SmallVector<Tensor> gradients(const Tensor &upstream) {
    SmallVector<Tensor> values(arguments);
    values.push_back(upstream);
    return run("gradient", values);
  }

  /// Sum of upstream times result; `magnitude` gets the sum of absolutes.
  double weighted(ArrayRef<Tensor> values, const Tensor &upstream,
                  double &magnitude) {
    SmallVector<Tensor> results = run("f", values);
    double sum = 0;
    magnitude = 0;
    for (int64_t i = 0; i < upstream.size() && !results.empty(); ++i) {
      double term = upstream.number(i) * results[0].number(i);
      sum += term;
      magnitude += std::fabs(term);
    }
    return sum;
  }
};

} // namespace

void checkGradient(llvm::StringRef body, ArrayRef<Written> operands,
                   llvm::StringRef resultType, size_t expected,
                   Numbers &numbers) {
  Case test(body, operands, resultType);
  if (!test.valid)
    return;
  ASSERT_EQ(test.differentiated.size(), expected) << body.str();
  Tensor upstream(test.program.type(resultType));
  for (double &value : upstream.floats())
    value = numbers.between(-2, 2);
  SmallVector<Tensor> gradients = test.gradients(upstream);
  ASSERT_EQ(gradients.size(), expected);
  for (auto [argument, gradient] : llvm::zip(test.differentiated, gradients)) {
    ASSERT_EQ(gradient.type(), test.arguments[argument].type());
    for (int64_t i = 0; i < gradient.size(); ++i) {
      SmallVector<Tensor> moved(test.arguments);
      double &x = moved[argument].floats()[i];
      double center = x, magnitude = 0, scale = 0, difference = 0;
      for (auto [step, weight] : {std::pair(-2, 1.0), std::pair(-1, -8.0),
                                  std::pair(1, 8.0), std::pair(2, -1.0)}) {
        x = center + step * kStep;
        difference += weight * test.weighted(moved, upstream, magnitude);
        scale = std::max(scale, magnitude);
      }
      difference /= 12 * kStep;
      ASSERT_NEAR(gradient.number(i), difference, kBound * (1 + scale))
          << "operand " << argument << " element " << i << " of " << body.str();
    }
    if (gradient.size())
      noteCovered(test.program.function("f"));
  }
}

Lists gradientsOf(llvm::StringRef body, ArrayRef<Written> operands,
                  llvm::StringRef resultType,
                  const std::vector<double> &upstream) {
  Case test(body, operands, resultType);
  Lists lists;
  if (!test.valid)
    return lists;
  for (const Tensor &gradient :
       test.gradients(test.program.tensor({resultType.str(), upstream})))
    lists.push_back(numbersOf(gradient));
  if (lists.empty())
    noteCovered(test.program.function("f"));
  return lists;
}

Lists unaryGradient(const std::string &op, const std::vector<double> &x,
                    const std::vector<double> &upstream,
                    const std::string &tail) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  return gradientsOf("%r = amp." + op + " %a " + tail + " : " + type,
                     {{type, x}}, type, upstream);
}

testing::AssertionResult sameLists(const Lists &actual, const Lists &expected) {
  if (actual.size() != expected.size())
    return testing::AssertionFailure()
           << actual.size() << " gradients, expected " << expected.size();
  for (size_t i = 0; i < actual.size(); ++i)
    if (testing::AssertionResult result = same(actual[i], expected[i]); !result)
      return result << " (gradient " << i << ")";
  return testing::AssertionSuccess();
}

} // namespace ampc::test
