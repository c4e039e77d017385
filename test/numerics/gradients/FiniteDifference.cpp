// Central finite differences in f64; see FiniteDifference.h.
//
// The stencil (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12h has the error
// h^4/30 * f'''''  from truncation and, each f being a sum of terms |g y|
// rounded in f64, about 1.5 * 2^-53 * n * sum|g y| / h from rounding. With
// h = 2^-10 and n <= 64 terms the second is below 2^-36 sum|g y|; the first is
// 3e-14 f''''', and the cases keep |f'''''| below 1000 sum|g y|. So 2^-34
// (1 + sum|g y|) bounds both.
#include "test/numerics/gradients/FiniteDifference.h"

#include <cmath>

using namespace mlir;

namespace ampc::test {

using reference::Tensor;

namespace {

constexpr double kStep = 0x1p-10;
constexpr double kBound = 0x1p-34;

std::string functionText(llvm::StringRef body, ArrayRef<Written> operands,
                         llvm::StringRef resultType) {
  std::string text = "func.func @f(";
  for (size_t i = 0; i < operands.size(); ++i)
    text += std::string(i ? ", " : "") + "%" + static_cast<char>('a' + i) +
            ": " + operands[i].type;
  return text + ") -> " + resultType.str() + " {\n" + body.str() +
         "\nreturn %r : " + resultType.str() + "\n}\n";
}

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
  }
}

std::vector<std::vector<double>>
gradientsOf(llvm::StringRef body, ArrayRef<Written> operands,
            llvm::StringRef resultType, const std::vector<double> &upstream) {
  Case test(body, operands, resultType);
  std::vector<std::vector<double>> lists;
  if (!test.valid)
    return lists;
  for (const Tensor &gradient :
       test.gradients(test.program.tensor({resultType.str(), upstream})))
    lists.push_back(numbersOf(gradient));
  return lists;
}

} // namespace ampc::test
