// Random models: the same bits at every opt level, at any number of threads and
// in the least memory, and a step within the bound derived by the reference
// evaluator.
//
// More of them by hand: AMPC_FUZZ=FIRST-LAST in the environment gives the
// seeds; a failure names its seed and shows the model.
#include "test/train/BoundedEntry.h"
#include "test/train/RandomModel.h"

#include <cstring>

namespace ampc::test {
namespace {

constexpr uint64_t kWindows = 3;
constexpr int kStatements = 12;

void checkModel(const std::string &text, Proven &proven) {
  Model model = must(Model::parse(text, "random.amp"));
  CompileOptions unfused;
  unfused.opt_level = 1;
  auto limited = [&](const std::string &budget) {
    ModelOptions settings;
    settings.sets.emplace_back("train.memory_budget", budget);
    return must(Model::parse(text, "random.amp", settings));
  };
  Model smallest = limited(std::to_string(smallestBudget(limited)));
  Training first(model, unfused, {.threads = 1}),
      second(model, {}, {.threads = 3}), third(smallest);
  BoundedEntry bounded(model);
  bounded.copyState(first.session());
  if (bounded.run(first.batch(0)).empty())
    return;
  for (uint64_t i = 0; i < kWindows; ++i) {
    float one = first.step(i).loss, two = second.step(i).loss;
    float least = third.step(i).loss;
    EXPECT_EQ(0, std::memcmp(&two, &least, sizeof(float)))
        << "window " << i << ": " << two << " and, in the least memory, "
        << least;
    EXPECT_EQ(0, std::memcmp(&one, &two, sizeof(float)))
        << "window " << i << ": " << one << " and " << two;
    if (i == 0)
      bounded.expectState(first.session(), &proven);
  }
  EXPECT_EQ(first.state(), second.state());
  EXPECT_EQ(second.state(), third.state());
}

TEST(Fuzz, RandomModelsAgreeInEveryWay) {
  uint64_t from = 1, to = 4;
  if (const char *range = std::getenv("AMPC_FUZZ"))
    ASSERT_EQ(2, std::sscanf(range, "%lu-%lu", &from, &to)) << range;
  Proven proven;
  for (uint64_t seed = from; seed <= to; ++seed) {
    std::string text = randomModel(seed, kStatements);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    checkModel(text, proven);
  }
  std::printf("%ld elements, %ld of them without a finite bound\n",
              proven.elements, proven.unbounded);
  EXPECT_LT(2 * proven.unbounded, proven.elements);
}

} // namespace
} // namespace ampc::test
