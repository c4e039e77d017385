// N28: linear and cross entropy a chunk of rows at a time. The rule's limit is
// lowered so that small models are cut; losses, metrics, parameters and moments
// have the bits of those that are not.
#include "test/train/Training.h"

namespace ampc::test {
namespace {

constexpr uint64_t kWindows = 4;
/// Below the logits of every model here: chunks of 32 rows.
constexpr uint64_t kLimit = 9000;

struct Head {
  const char *name;
  const char *loss;          ///< what makes `loss` of `logits` and `t`
  const char *lead = "75";   ///< the leading extents, 75 rows
  const char *settings = ""; ///< of the train block
  const char *bias = "true";
  const char *data = "t = randint(2, low = 0, high = 67)";
};

const Head kHeads[] = {
    {"Mean", "loss = cross_entropy(logits, t)"},
    {"Sum", "loss = cross_entropy(logits, t, reduction = \"sum\")"},
    {"TwoAxes", "loss = cross_entropy(logits, t)", "5, 15"},
    {"NoBias", "loss = cross_entropy(logits, t)", "75", "", "false"},
    {"Ignored", "loss = cross_entropy(logits, t, ignore_index = 3)"},
    {"AllIgnored", "loss = cross_entropy(logits, t, ignore_index = 0)", "75",
     "", "true", "t = randint(2, low = 0, high = 1)"},
    {"Smoothed", "loss = cross_entropy(logits, t, label_smoothing = 0.1)"},
    {"Weighted", "loss = cross_entropy(logits, t, weight = cast(arange(67), "
                 "f32) / 67, label_smoothing = 0.2, ignore_index = 5)"},
    {"Window", "loss = cross_entropy(logits, t)", "75", "accumulate = 3"},
    {"TwoLosses", "loss a = cross_entropy(logits, t)\n  loss b = 0.5 * "
                  "cross_entropy(logits, t, label_smoothing = 0.3)"},
};

std::string textOf(const Head &head) {
  return std::string("model m {\n  input x: f32[") + head.lead +
         ", 24]\n  target t: i32[" + head.lead +
         "]\n  logits = linear(gelu(linear(x, 40)), 67, bias = " + head.bias +
         ")\n  " + head.loss +
         "\n  metric accuracy(logits, t)\n}\n"
         "train { optimizer = sgd(lr = 1e-2)\n" +
         head.settings + " }\ndata { x = normal(1)\n " + head.data + " }\n";
}

struct Case {
  Head head;
  const char *precision;
};
void PrintTo(const Case &at, std::ostream *os) {
  *os << at.head.name << " " << at.precision;
}

class Chunks : public testing::TestWithParam<Case> {
protected:
  static CompileOptions options(uint64_t limit, int level = 2) {
    CompileOptions options;
    options.precision = GetParam().precision;
    options.opt_level = level;
    options.chunk_bytes = limit;
    options.threads = 2;
    return options;
  }

  /// `set`: one more line of the train block.
  Outcome outcome(uint64_t limit, const rt::SessionOptions &session = {},
                  int level = 2, const std::string &set = "") {
    Head head = GetParam().head;
    std::string settings = std::string(head.settings) + "\n" + set;
    head.settings = settings.c_str();
    Model model = must(Model::parse(textOf(head), "chunks.amp"));
    Training training(model, options(limit, level), session);
    return outcomeOf(training, kWindows);
  }
};

TEST_P(Chunks, HaveTheBitsOfTheWhole) {
  Outcome whole = outcome(0);
  for (float loss : whole.losses)
    EXPECT_TRUE(std::isfinite(loss));
  expectSameBits(outcome(kLimit), whole);
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const Head &head : kHeads)
    cases.push_back({head, "f32"});
  for (const char *precision : {"bf16", "f16"})
    for (const char *name : {"Mean", "Window"})
      cases.push_back({*std::find_if(std::begin(kHeads), std::end(kHeads),
                                     [&](const Head &head) {
                                       return head.name == std::string(name);
                                     }),
                       precision});
  return cases;
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  return std::string(info.param.head.name) + info.param.precision;
}

INSTANTIATE_TEST_SUITE_P(Heads, Chunks, testing::ValuesIn(allCases()), nameOf);

/// In one precision each.
class ChunksOfOneHead : public Chunks {};

TEST_P(ChunksOfOneHead, OneToFourThreadsFusedOrNotOtherChunks) {
  Outcome one = outcome(kLimit, {.threads = 1});
  for (int threads : {2, 3, 4}) {
    SCOPED_TRACE(threads);
    expectSameBits(outcome(kLimit, {.threads = threads}), one);
  }
  expectSameBits(outcome(kLimit, {}, /*level=*/1), one);
  expectSameBits(outcome(2 * kLimit), one); // chunks of 64 and 11 rows
}

TEST_P(ChunksOfOneHead, EveryMemoryBudget) {
  Outcome whole = outcome(kLimit, {.threads = 2});
  auto load = [&](const std::string &budget) {
    Head head = GetParam().head;
    std::string set = "memory_budget = " + budget;
    head.settings = set.c_str();
    return must(Model::parse(textOf(head), "chunks.amp"));
  };
  uint64_t least = smallestBudget(load, options(kLimit));
  EXPECT_LT(least, whole.peak);
  for (uint64_t budget : {least, (least + whole.peak) / 2}) {
    Outcome within = outcome(kLimit, {.threads = 2}, 2,
                             "memory_budget = " + std::to_string(budget));
    expectSameBits(within, whole);
    EXPECT_LE(within.peak, budget);
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, ChunksOfOneHead,
                         testing::Values(Case{kHeads[0], "f32"},
                                         Case{kHeads[0], "bf16"},
                                         Case{kHeads[0], "f16"}),
                         nameOf);

/// The limit of those who say nothing.
constexpr uint64_t kRule = uint64_t(64) << 20;

/// The bytes that training a head of `classes` classes and 64 rows needs.
/// `limit`: none, the rule's.
uint64_t peakOf(int64_t classes, std::optional<uint64_t> limit) {
  std::string text =
      "model m {\n  input x: f32[64, 8]\n  target t: i32[64]\n"
      "  loss = cross_entropy(linear(x, " +
      std::to_string(classes) +
      "), t)\n}\ntrain { optimizer = sgd(lr = 0.1) }\n"
      "data { x = normal(1)\n t = randint(2, low = 0, high = 5) }\n";
  CompileOptions options;
  options.chunk_bytes = limit;
  options.entries = {"train_step"};
  MemoryPlan plan =
      must(plan_memory(must(Model::parse(text, "head.amp")), options, 2));
  uint64_t bytes = limit.value_or(kRule);
  EXPECT_EQ(plan.chunked.empty(),
            bytes == 0 || uint64_t(classes) * 64 * 4 <= bytes);
  return plan.planned_peak_bytes;
}

// Logits of just the limit are stored, those of more are not: half of the bytes
// of logits and their gradient go.
TEST(ChunkRule, LogitsAboveTheLimit) {
  constexpr uint64_t kMost = 1 << 20;
  constexpr int64_t kClasses = kMost / 64 / 4;
  EXPECT_EQ(peakOf(kClasses, kMost), peakOf(kClasses, 0));
  uint64_t whole = peakOf(kClasses + 1, 0), cut = peakOf(kClasses + 1, kMost);
  EXPECT_LE(cut, whole - kMost / 2);
}

TEST(ChunkRule, IsSixtyFourMebibytes) {
  constexpr int64_t kClasses = kRule / 64 / 4;
  EXPECT_EQ(peakOf(kClasses, {}), peakOf(kClasses, 0));
  EXPECT_LT(peakOf(kClasses + 1, {}), peakOf(kClasses + 1, 0));
}

} // namespace
} // namespace ampc::test
