// Comparison by bounds: what holds, what fails, and what the report says.
#include "test/numerics/Compare.h"

#include "test/unit/reference/Parse.h"

using namespace ampc::test;
using ampc::reference::Tensor;

namespace {

class CompareTest : public testing::Test {
protected:
  Program program{"module {}"};
  Tensor f32(const std::vector<double> &values) {
    return program.tensor(
        {"tensor<" + std::to_string(values.size()) + "xf32>", values});
  }
};

TEST_F(CompareTest, HoldsWithinTheBound) {
  Comparison result = compare(f32({1, 2}), f32({1.5, 2}), {0.5, 0});
  EXPECT_TRUE(result.holds) << result.report;
  EXPECT_EQ(result.ratio, 1);
  EXPECT_TRUE(within("x", f32({1, 2}), f32({1.5, 2}), {0.5, 0}));
}

TEST_F(CompareTest, NamesTheWorstElement) {
  Tensor value = program.tensor({"tensor<2x2xf32>", {1, 2, 3, 5}});
  Tensor reference = program.tensor({"tensor<2x2xf32>", {1, 2.25, 3, 4}});
  Comparison result = compare(value, reference, {0.5, 0.5, 0.5, 0.5});
  EXPECT_FALSE(result.holds);
  EXPECT_EQ(result.worst, 3);
  EXPECT_EQ(result.failures, 1);
  EXPECT_EQ(
      result.report,
      "worst element [1, 1]: value 5, reference 4, error 1 against bound 0.5; "
      "1 of 4 elements beyond their bound, 0 without a finite bound");
}

TEST_F(CompareTest, SpecialValuesAgreeWithThemselvesOnly) {
  std::vector<double> wide(1, 1e30);
  EXPECT_TRUE(compare(f32({kNaN}), f32({kNaN}), wide).holds);
  EXPECT_TRUE(compare(f32({kInf}), f32({kInf}), wide).holds);
  EXPECT_FALSE(compare(f32({kNaN}), f32({1}), wide).holds);
  EXPECT_FALSE(compare(f32({1}), f32({kNaN}), wide).holds);
  EXPECT_FALSE(compare(f32({kInf}), f32({1}), wide).holds);
  EXPECT_FALSE(compare(f32({kInf}), f32({-kInf}), wide).holds);
}

TEST_F(CompareTest, ABoundThatIsNotFiniteProvesNothing) {
  for (double bound : {kInf, kNaN}) {
    Comparison result = compare(f32({1, 1}), f32({1, 1}), {0, bound});
    EXPECT_FALSE(result.holds);
    EXPECT_EQ(result.unbounded, 1);
  }
}

TEST_F(CompareTest, TypesMustAgree) {
  EXPECT_FALSE(compare(f32({1}), f32({1, 1}), {0}).holds);
  EXPECT_FALSE(compare(f32({1}), f32({1}), {}).holds);
  EXPECT_TRUE(compare(f32({}), f32({}), {}).holds);
}

TEST_F(CompareTest, BitsTellZerosApart) {
  EXPECT_TRUE(sameBits("z", f32({0.0}), f32({0.0})));
  EXPECT_FALSE(sameBits("z", f32({0.0}), f32({-0.0})));
}

} // namespace
