// Which ops the gradient tests have reached; see Coverage.h.
#include "test/numerics/gradients/Coverage.h"

#include "ir/dialect/Dialect.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace ampc::test {

static llvm::StringSet<> &covered() {
  static llvm::StringSet<> names;
  return names;
}

void noteCovered(func::FuncOp function) {
  function.walk(
      [](Operation *op) { covered().insert(op->getName().getStringRef()); });
}

void noteConvention(StringRef name) { covered().insert(name); }

namespace {

/// Asks, at the end of a whole run, for every differentiable op.
class Coverage : public testing::Environment {
  void TearDown() override {
    const testing::UnitTest &tests = *testing::UnitTest::GetInstance();
    if (tests.test_to_run_count() != tests.total_test_count())
      return;
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<amp::AmpDialect>();
    for (RegisteredOperationName name : context.getRegisteredOperations())
      if (name.hasInterface<amp::Differentiable>() &&
          !covered().contains(name.getStringRef()))
        ADD_FAILURE() << name.getStringRef().str()
                      << " has no gradient case (test/numerics/gradients)";
  }
};

[[maybe_unused]] const testing::Environment *const kCoverage =
    testing::AddGlobalTestEnvironment(new Coverage);

} // namespace
} // namespace ampc::test
