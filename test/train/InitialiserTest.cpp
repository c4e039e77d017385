// Drawn parameters start from the same bits in the runtime and in the reference
// evaluator.
#include "runtime/core/Initialise.h"
#include "test/train/Training.h"
#include "test/unit/reference/Parse.h"

namespace ampc::test {
namespace {

struct Start {
  const char *text;
  rt::InitKind kind;
  std::array<double, 4> arguments;
};

class Initialiser : public testing::TestWithParam<Start> {};

TEST_P(Initialiser, GivesTheSameBitsOnBothPaths) {
  constexpr uint64_t kSeed = 42, kCount = 4099;
  constexpr uint32_t kSite = 7;
  Program program("amp.variable @p : tensor<4099xf32> role parameter init " +
                  std::string(GetParam().text) + " site 7");
  const reference::Tensor *expected = program.variables(kSeed).find("p");
  ASSERT_TRUE(expected);
  std::vector<float> values(kCount);
  must(rt::initialise(GetParam().kind, GetParam().arguments, kSite, kSeed,
                      rt::DType::F32, kCount,
                      reinterpret_cast<std::byte *>(values.data())));
  EXPECT_TRUE(same(std::vector<double>(values.begin(), values.end()),
                   numbersOf(*expected)));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Initialiser,
    testing::Values(
        Start{"uniform with [-0.5, 0.25]", rt::InitKind::Uniform, {-0.5, 0.25}},
        Start{"normal with [0.1, 2.0]", rt::InitKind::Normal, {0.1, 2}},
        Start{"trunc_normal with [0.0, 0.02, -0.04, 0.04]",
              rt::InitKind::TruncNormal,
              {0, 0.02, -0.04, 0.04}},
        // A bound far outside, and a mean outside of the bounds.
        Start{"trunc_normal with [3.0, 1.0, -50.0, 0.5]",
              rt::InitKind::TruncNormal,
              {3, 1, -50, 0.5}},
        Start{"padded_normal with [0.0, 1.0, 64.0, 128.0]",
              rt::InitKind::PaddedNormal,
              {0, 1, 64, 128}}));

} // namespace
} // namespace ampc::test
