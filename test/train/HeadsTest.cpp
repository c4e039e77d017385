// Attention head by head: losses, metrics, parameters and moments have the bits
// of attention that is computed for all heads at once.
#include "test/train/Training.h"

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
  bool isCheckpointed = false;
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
    // About every other query sees no key (N13).
    {"HiddenRows", "attention(q, k, v, mask = m)", "12",
     "input m: bool[2, 1, 33, 1]\n", "m = randint(5, low = 0, high = 2)\n"},
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
         "3])\n" +
         (of.isCheckpointed ? "  checkpoint { a = " : "  a = ") + of.call +
         (of.isCheckpointed ? " }" : "") +
         "\n  o = linear(reshape(permute(a, [0, 2, 1, 3]), [2, 33, " + heads +
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
  static CompileOptions options(uint64_t leastHeads, int threads = 2,
                                int level = 2) {
    CompileOptions options;
    options.precision = GetParam().precision;
    options.opt_level = level;
    options.least_heads = leastHeads;
    options.threads = threads;
    return options;
  }

  static Outcome outcome(uint64_t leastHeads, int threads = 2, int level = 2) {
    return outcome(textOf(GetParam().attention),
                   options(leastHeads, threads, level));
  }
  static Outcome outcome(const std::string &text,
                         const CompileOptions &options) {
    rt::SessionOptions session;
    session.threads = options.threads;
    Training training(must(Model::parse(text, "heads.amp")), options, session);
    return outcomeOf(training, kSteps);
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

/// Of two layers: the first one's attention waits for the whole of the other.
class HeadsAgain : public Heads {
protected:
  static std::string textWith(const std::string &settings,
                              bool isCheckpointed = false) {
    return std::string(
               "model m {\n  input x: f32[2, 33, 48]\n  target t: f32[2, 33, "
               "48]\n  h = x\n  repeat 2 {\n"
               "    q = permute(reshape(h, [2, 33, 6, 8]), [0, 2, 1, 3])\n   "
               " ") +
           (isCheckpointed ? "checkpoint { a = " : "a = ") +
           GetParam().attention.call + (isCheckpointed ? " }" : "") +
           "\n    h = relu(linear(reshape(permute(a, [0, 2, 1, 3]), [2, 33, "
           "48]), 48))\n  }\n  loss = mse(h, t)\n}\n"
           "train {\n  optimizer = sgd(lr = 1e-2)\n" +
           settings + "\n}\ndata {\n  x = normal(1)\n  t = normal(3)\n}\n";
  }

  /// Whether what a loop gives is computed again.
  static bool isComputedAgain(const std::string &text) {
    Explanation told =
        must(explain(must(Model::parse(text, "heads.amp")), options(1)));
    return std::ranges::any_of(
        told.recompute, [](const ExplainedRecompute &line) {
          return line.value.find("attention") != line.value.npos &&
                 !line.ops.empty() && line.bytes_saved > 0;
        });
  }
};

TEST_P(HeadsAgain, WithinABudget) {
  Outcome kept = outcome(textWith(""), options(1));
  EXPECT_FALSE(isComputedAgain(textWith("")));
  auto settingOf = [](const std::string &budget) {
    return "memory_budget = " + budget;
  };
  uint64_t least = smallestBudget(
      [&](const std::string &budget) {
        return must(Model::parse(textWith(settingOf(budget)), "heads.amp"));
      },
      options(1));
  EXPECT_LT(least, kept.peak);
  std::string text = textWith(settingOf(std::to_string(least)));
  EXPECT_TRUE(isComputedAgain(text));
  Outcome within = outcome(text, options(1));
  expectSameBits(within, kept);
  EXPECT_LE(within.peak, least);
}

TEST_P(HeadsAgain, InACheckpointBlock) {
  std::string text = textWith("", /*isCheckpointed=*/true);
  EXPECT_TRUE(isComputedAgain(text));
  expectSameBits(outcome(text, options(1)), outcome(textWith(""), options(1)));
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const Attention &attention : kAttentions)
    for (const char *precision : {"f32", "bf16"})
      cases.push_back({attention, precision});
  cases.push_back({kAttentions[2], "f16"});
  return cases;
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  return std::string(info.param.attention.name) + info.param.precision;
}

INSTANTIATE_TEST_SUITE_P(Attention, Heads, testing::ValuesIn(allCases()),
                         nameOf);
constexpr Attention kOfOne = {"OfOne", "attention(q, q, q, causal = true)"};
INSTANTIATE_TEST_SUITE_P(Precisions, HeadsAgain,
                         testing::Values(Case{kOfOne, "f32"},
                                         Case{kOfOne, "bf16"}),
                         nameOf);

} // namespace
} // namespace ampc::test
