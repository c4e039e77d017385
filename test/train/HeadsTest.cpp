// Attention head by head: losses, metrics, parameters and moments have the bits
// of attention that is computed for all heads at once.
#include "test/train/Training.h"

#include <cstring>

namespace ampc::test {
namespace {

constexpr uint64_t kSteps = 3;
/// More heads than any model here has: attention stays whole.
constexpr uint64_t kNever = 1000;

struct Attention {
  const char *name;
  const char *call;          ///< what makes `a` of q, k and v
  const char *queries = "6"; ///< heads of q, of extent 8
  const char *inputs = "";
  const char *data = "";
  const char *settings = "";
};

const Attention kAttentions[] = {
    {"Plain", "attention(q, k, v)"},
    {"Causal", "attention(q, k, v, causal = true)"},
    {"Grouped", "attention(q, k, v, causal = true)", "12"},
    {"Window", "attention(q, k, v)", "6", "", "", "accumulate = 2"},
    {"Lengths", "attention(q, k, v, mask = m)", "6",
     "input m: bool[2, 1, 1, 43]\n", "m = randint(5, low = 0, high = 2)\n"},
    {"EachHead", "attention(q, k, v, mask = m)", "12",
     "input m: f32[1, 12, 33, 1]\n", "m = normal(5)\n"},
    {"EachBatch", "attention(q, k, v, mask = m, causal = true)", "6",
     "input m: f32[2, 1, 33, 43]\n", "m = normal(5)\n"},
    {"Bias", "attention(q, k, v, mask = bias)", "6",
     "param bias: f32[1, 6, 33, 43] = normal(std = 0.5)\n"},
    {"Dropout", "attention(q, k, v, dropout = 0.3)"},
};

std::string textOf(const Attention &of) {
  std::string heads = of.queries;
  return "model m {\n  input x: f32[2, 33, 16]\n  input y: f32[2, 43, 16]\n  " +
         std::string(of.inputs) +
         "  target t: f32[2, 33, 4]\n"
         "  q = permute(reshape(linear(x, " +
         heads + " * 8), [2, 33, " + heads +
         ", 8]), [0, 2, 1, 3])\n"
         "  k = permute(reshape(linear(y, 48), [2, 43, 6, 8]), [0, 2, 1, "
         "3])\n"
         "  v = permute(reshape(linear(y, 30), [2, 43, 6, 5]), [0, 2, 1, "
         "3])\n"
         "  a = " +
         of.call + "\n  o = linear(reshape(permute(a, [0, 2, 1, 3]), [2, 33, " +
         heads +
         " * 5]), 4)\n  loss = mse(o, t)\n}\ntrain {\n  optimizer = sgd(lr = "
         "1e-2)\n" +
         of.settings +
         "\n}\ndata {\n  x = normal(1)\n  y = normal(2)\n  t = normal(3)\n" +
         of.data + "}\n";
}

struct Case {
  Attention attention;
  const char *precision;
};
void PrintTo(const Case &at, std::ostream *os) {
  *os << at.attention.name << " " << at.precision;
}

class Heads : public testing::TestWithParam<Case> {
protected:
  struct Outcome {
    std::vector<float> losses;
    std::vector<std::vector<std::byte>> state;
    uint64_t peak = 0;
  };

  static Outcome outcome(uint64_t leastHeads, int threads = 2, int level = 2) {
    Model model = must(Model::parse(textOf(GetParam().attention), "heads.amp"));
    CompileOptions options;
    options.precision = GetParam().precision;
    options.opt_level = level;
    options.least_heads = leastHeads;
    options.threads = threads;
    rt::SessionOptions session;
    session.threads = threads;
    Training training(model, options, session);
    Outcome run;
    run.losses = training.losses(kSteps);
    run.state = training.state();
    run.peak = training.session().memory().peak_bytes;
    return run;
  }

  static void expectSameBits(const Outcome &run, const Outcome &expected) {
    ASSERT_EQ(run.losses.size(), expected.losses.size());
    EXPECT_EQ(0, std::memcmp(run.losses.data(), expected.losses.data(),
                             run.losses.size() * sizeof(float)))
        << run.losses[0] << " and " << expected.losses[0];
    EXPECT_EQ(run.state, expected.state);
  }
};

TEST_P(Heads, HaveTheBitsOfAllAtOnce) {
  Outcome whole = outcome(kNever);
  for (float loss : whole.losses)
    EXPECT_TRUE(std::isfinite(loss));
  Outcome split = outcome(1);
  expectSameBits(split, whole);
  // The numbers of dropout and the gradient of a mask are of all heads; else
  // scores are not stored.
  std::string name = GetParam().attention.name;
  bool isSplit = name != "Dropout" && name != "Bias";
  EXPECT_EQ(split.peak < whole.peak, isSplit)
      << split.peak << " and " << whole.peak;
  if (GetParam().precision == std::string("bf16")) {
    expectSameBits(outcome(1, /*threads=*/3), whole);
    expectSameBits(outcome(1, /*threads=*/1, /*level=*/1), whole);
  }
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const Attention &attention : kAttentions)
    for (const char *precision : {"f32", "bf16"})
      cases.push_back({attention, precision});
  cases.push_back({kAttentions[2], "f16"});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Attention, Heads, testing::ValuesIn(allCases()),
                         [](const testing::TestParamInfo<Case> &info) {
                           return std::string(info.param.attention.name) +
                                  info.param.precision;
                         });

} // namespace
} // namespace ampc::test
