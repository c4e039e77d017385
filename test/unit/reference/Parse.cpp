// Helpers of tests that evaluate IR snippets; see Parse.h.
#include "test/unit/reference/Parse.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

#include <cmath>

using namespace mlir;

namespace ampc::test {

Program::Program(llvm::StringRef text) {
  DialectRegistry registry;
  registry.insert<amp::AmpDialect, func::FuncDialect>();
  reference::registerReferenceModels(registry);
  mlirContext =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  mlirContext->loadAllAvailableDialects();
  handler = std::make_unique<ScopedDiagnosticHandler>(
      mlirContext.get(), [this](Diagnostic &diagnostic) {
        diagnostics += diagnostic.str() + "\n";
        return success();
      });
  owned = parseSourceString<ModuleOp>(text, mlirContext.get());
  if (!owned) {
    ADD_FAILURE() << "cannot parse\n" << text.str() << "\n" << diagnostics;
    owned = ModuleOp::create(UnknownLoc::get(mlirContext.get()));
  }
}

func::FuncOp Program::function(llvm::StringRef name) {
  return module().lookupSymbol<func::FuncOp>(name);
}

RankedTensorType Program::type(llvm::StringRef text) {
  auto parsed =
      dyn_cast_or_null<RankedTensorType>(parseType(text, mlirContext.get()));
  EXPECT_TRUE(parsed) << text.str();
  return parsed;
}

reference::Tensor Program::tensor(const Written &written) {
  RankedTensorType parsed = type(written.type);
  EXPECT_EQ(static_cast<size_t>(parsed.getNumElements()), written.values.size())
      << written.type;
  if (isa<FloatType>(parsed.getElementType()))
    return reference::Tensor::ofFloats(parsed, written.values);
  std::vector<int64_t> integers;
  for (double value : written.values)
    integers.push_back(static_cast<int64_t>(value));
  return reference::Tensor::ofIntegers(parsed, std::move(integers));
}

reference::Variables &Program::variables(uint64_t seed) {
  if (!started) {
    FailureOr<reference::Variables> created =
        reference::Variables::create(module(), seed);
    EXPECT_TRUE(succeeded(created)) << diagnostics;
    started = succeeded(created) ? std::move(*created) : reference::Variables();
  }
  return *started;
}

FailureOr<SmallVector<reference::Tensor>>
Program::run(llvm::StringRef name, ArrayRef<reference::Tensor> arguments) {
  func::FuncOp found = function(name);
  if (!found) {
    ADD_FAILURE() << "no function @" << name.str();
    return failure();
  }
  return reference::run(found, arguments, variables());
}

std::vector<double> numbersOf(const reference::Tensor &tensor) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor.size(); ++i)
    numbers.push_back(tensor.number(i));
  return numbers;
}

/// A module whose @f takes `operands` and returns %r of `body`.
std::string functionText(llvm::StringRef body, ArrayRef<Written> operands,
                         llvm::StringRef resultType) {
  std::string text = "func.func @f(";
  for (size_t i = 0; i < operands.size(); ++i)
    text += std::string(i ? ", " : "") + "%" + static_cast<char>('a' + i) +
            ": " + operands[i].type;
  return text + ") -> " + resultType.str() + " {\n" + body.str() +
         "\nreturn %r : " + resultType.str() + "\n}\n";
}

static FailureOr<SmallVector<reference::Tensor>>
runOn(Program &program, ArrayRef<Written> operands) {
  SmallVector<reference::Tensor> arguments;
  for (const Written &operand : operands)
    arguments.push_back(program.tensor(operand));
  return program.run("f", arguments);
}

std::vector<double> evaluate(llvm::StringRef body, ArrayRef<Written> operands,
                             llvm::StringRef resultType) {
  Program program(functionText(body, operands, resultType));
  FailureOr<SmallVector<reference::Tensor>> results = runOn(program, operands);
  EXPECT_TRUE(succeeded(results)) << body.str() << "\n" << program.errors();
  return succeeded(results) ? numbersOf((*results)[0]) : std::vector<double>();
}

std::string evaluationError(llvm::StringRef body, ArrayRef<Written> operands,
                            llvm::StringRef resultType) {
  Program program(functionText(body, operands, resultType));
  EXPECT_TRUE(failed(runOn(program, operands))) << body.str();
  return program.errors();
}

testing::AssertionResult same(const std::vector<double> &actual,
                              const std::vector<double> &expected) {
  auto equal = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) ||
           (a == b && std::signbit(a) == std::signbit(b));
  };
  if (actual.size() != expected.size())
    return testing::AssertionFailure()
           << "has " << actual.size() << " numbers, expected "
           << expected.size();
  for (size_t i = 0; i < actual.size(); ++i)
    if (!equal(actual[i], expected[i]))
      return testing::AssertionFailure()
             << "number " << i << " is " << actual[i] << " (" << std::hexfloat
             << actual[i] << "), expected " << expected[i];
  return testing::AssertionSuccess();
}

} // namespace ampc::test
