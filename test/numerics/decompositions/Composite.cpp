// A composite op against its decomposition; see Composite.h.
#include "test/numerics/decompositions/Composite.h"

#include "test/numerics/Bounds.h"
#include "test/numerics/Compare.h"
#include "test/numerics/RunningError.h"

using namespace mlir;

namespace ampc::test {

using reference::Tensor;

Written drawn(const Shape &shape, const std::string &element, Numbers &numbers,
              double low, double high) {
  Written written{typeText(shape, element), {}};
  for (int64_t i = 0, count = ampc::amp::elementCount(shape); i < count; ++i)
    written.values.push_back(numbers.between(low, high) +
                             numbers.unit() * 0x1p-10);
  return written;
}

Composite makeComposite(const std::string &operation,
                        const std::vector<Written> &operands,
                        llvm::ArrayRef<std::string> results) {
  std::string text = "func.func @f(", types, names;
  for (size_t i = 0; i < operands.size(); ++i)
    text += std::string(i ? ", " : "") + "%" + static_cast<char>('a' + i) +
            ": " + operands[i].type;
  for (size_t i = 0; i < results.size(); ++i) {
    types += (i ? ", " : "") + results[i];
    names += std::string(i ? ", " : "") + "%r#" + std::to_string(i);
  }
  return {text + ") -> (" + types +
              ") {\n%r:" + std::to_string(results.size()) + " = " + operation +
              "\nreturn " + names + " : " + types + "\n}\n",
          operands};
}

BothForms::BothForms(const Composite &composite) : program(composite.text) {
  if (!program.function("f") || failed(addDecomposed(program))) {
    ADD_FAILURE() << composite.text << program.errors();
    return;
  }
  for (const Written &operand : composite.operands)
    arguments.push_back(program.tensor(operand));
  FailureOr<SmallVector<Tensor>> whole = program.run("f", arguments),
                                 parts = program.run("decomposed", arguments);
  if (failed(whole) || failed(parts)) {
    ADD_FAILURE() << composite.text << program.errors();
    return;
  }
  direct = std::move(*whole);
  primitive = std::move(*parts);
}

void checkComposite(const Composite &composite, double scale) {
  BothForms forms(composite);
  ASSERT_FALSE(forms.direct.empty());
  SmallVector<Bounded> bounded;
  for (const Tensor &argument : forms.arguments)
    bounded.push_back(Bounded(argument));
  BoundedVariables variables;
  FailureOr<SmallVector<Bounded>> bounds =
      runBounded(forms.program.function("decomposed"), bounded, variables,
                 Roundings::optional);
  ASSERT_TRUE(succeeded(bounds)) << forms.program.errors();
  for (size_t i = 0; i < forms.direct.size(); ++i) {
    const Bounded &bound = (*bounds)[i];
    EXPECT_TRUE(sameBits("center", bound.value, forms.primitive[i]))
        << composite.text;
    EXPECT_TRUE(
        within(composite.text, forms.direct[i], bound.value, bound.error));
    // The bound is a few roundings of those magnitudes, not more.
    Type element = bound.value.elementType();
    double most =
        isa<FloatType>(element) ? 64 * roundingBound(scale, element) : 0;
    for (double error : bound.error)
      EXPECT_LE(error, most) << composite.text;
  }
}

void checkExact(const Composite &composite) {
  BothForms forms(composite);
  ASSERT_FALSE(forms.direct.empty());
  for (auto [a, b] : llvm::zip_equal(forms.direct, forms.primitive))
    EXPECT_TRUE(same(numbersOf(b), numbersOf(a))) << composite.text;
}

} // namespace ampc::test
