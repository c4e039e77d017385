// Helpers of tests that evaluate IR snippets with the reference evaluator:
// parse a module, run its functions on tensors written as lists, compare
// numbers with NaN and the sign of zero told apart.
#ifndef AMPC_TEST_UNIT_REFERENCE_PARSE_H
#define AMPC_TEST_UNIT_REFERENCE_PARSE_H

#include "ir/dialect/Dialect.h"
#include "ir/reference/Interpreter.h"
#include "ir/reference/Reference.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <limits>
#include <string>
#include <vector>

namespace ampc::test {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A tensor as a test writes it: type text such as "tensor<2x3xf32>" and one
/// number an element.
struct Written {
  std::string type;
  std::vector<double> values;
};

/// A parsed module with its own context. Diagnostics are collected, not
/// printed.
class Program {
public:
  /// Parses `text`; an error fails the test and leaves an empty module.
  explicit Program(llvm::StringRef text);

  mlir::MLIRContext &context() { return *mlirContext; }
  mlir::ModuleOp module() { return *owned; }
  /// The function named `name`, or null.
  mlir::func::FuncOp function(llvm::StringRef name);
  /// All diagnostics so far, one a line.
  const std::string &errors() const { return diagnostics; }

  /// The type that `text` spells.
  mlir::RankedTensorType type(llvm::StringRef text);
  /// The tensor that `written` spells.
  reference::Tensor tensor(const Written &written);
  /// The variables, started from `seed` the first time.
  reference::Variables &variables(uint64_t seed = 0);
  /// Runs function `name`.
  mlir::FailureOr<llvm::SmallVector<reference::Tensor>>
  run(llvm::StringRef name, llvm::ArrayRef<reference::Tensor> arguments);

private:
  std::unique_ptr<mlir::MLIRContext> mlirContext;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> owned;
  std::optional<reference::Variables> started;
  std::string diagnostics;
};

/// The numbers of `tensor`.
std::vector<double> numbersOf(const reference::Tensor &tensor);

/// `@f(%a, %b, ...) { body; return %r }` on `operands`.
std::string functionText(llvm::StringRef body, llvm::ArrayRef<Written> operands,
                         llvm::StringRef resultType);

/// The first result %r of `body`, of type `resultType`, with `operands` named
/// %a, %b, %c, ... A failure fails the test and gives no numbers.
std::vector<double> evaluate(llvm::StringRef body,
                             llvm::ArrayRef<Written> operands,
                             llvm::StringRef resultType);

/// The diagnostics of evaluating the same; the evaluation must fail.
std::string evaluationError(llvm::StringRef body,
                            llvm::ArrayRef<Written> operands,
                            llvm::StringRef resultType);

/// Equal number for number: NaN equals NaN, +0 differs from -0.
testing::AssertionResult same(const std::vector<double> &actual,
                              const std::vector<double> &expected);

} // namespace ampc::test

#endif // AMPC_TEST_UNIT_REFERENCE_PARSE_H
