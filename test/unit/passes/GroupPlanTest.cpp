// Groups of random graphs: they never wait for each other in a circle, need no
// more memory than ops alone, are the same every time, and cost steps in
// proportion to the graph.
#include "passes/fusion/GroupPlan.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace ampc;

namespace {

constexpr const char *kFull = "tensor<16x16xf32>", *kRow = "tensor<16xf32>",
                     *kOne = "tensor<f32>";

/// A block of about `count` random ops over matrices, rows and scalars.
std::string randomModule(unsigned seed, int count) {
  std::mt19937 engine(seed);
  std::string text = "module attributes {amp.stage = #amp.stage<step>} {\n"
                     "func.func @f(%a: tensor<16x16xf32>, %b: tensor<16xf32>, "
                     "%c: tensor<f32>) -> (tensor<16x16xf32>, tensor<16xf32>, "
                     "tensor<f32>) {\n";
  std::vector<std::string> full{"%a"}, row{"%b"}, one{"%c"};
  auto pick = [&](std::vector<std::string> &from) {
    // Mostly what is near, sometimes what is far.
    size_t reach =
        engine() % 4 ? std::min<size_t>(from.size(), 6) : from.size();
    return from[from.size() - 1 - engine() % reach];
  };
  auto add = [&](std::vector<std::string> &to, const std::string &op) {
    std::string name =
        "%v" + std::to_string(full.size() + row.size() + one.size());
    text += name + " = amp." + op + "\n";
    to.push_back(name);
  };
  auto binary = [&](std::vector<std::string> &to, const char *type) {
    const char *names[] = {"add ", "mul ", "maximum "};
    add(to, names[engine() % 3] + pick(to) + ", " + pick(to) + " : " + type);
  };
  for (int i = 0; i < count; ++i) {
    switch (engine() % 12) {
    case 0:
      add(full, "exp " + pick(full) + " : " + kFull);
      break;
    case 1:
      add(row, "reduce sum " + pick(full) +
                   " over [1] order row accumulate f32 : " + kFull + " -> " +
                   kRow);
      break;
    case 2:
      add(row, "reduce sum " + pick(full) +
                   " over [0] order column accumulate f32 : " + kFull + " -> " +
                   kRow);
      break;
    case 3:
      add(one, "reduce max " + pick(row) +
                   " over [0] order row accumulate f32 : " + kRow + " -> " +
                   kOne);
      break;
    case 4:
    case 5:
      add(full, "broadcast " + pick(row) + " along [" +
                    std::to_string(engine() % 2) + "] : " + kRow + " -> " +
                    kFull);
      break;
    case 6:
      add(full, std::string("broadcast ") + pick(one) + " along [] : " + kOne +
                    " -> " + kFull);
      break;
    case 7:
      add(full, "matmul " + pick(full) + ", " + pick(full) +
                    " accumulate f32 : " + kFull + ", " + kFull + " -> " +
                    kFull);
      break;
    case 8:
      add(full, "transpose " + pick(full) + " perm [1, 0] : " + kFull + " -> " +
                    kFull);
      break;
    case 9:
      binary(row, kRow);
      break;
    default:
      binary(full, kFull);
    }
  }
  return text + "return " + full.back() + ", " + row.back() + ", " +
         one.back() + " : " + kFull + ", " + kRow + ", " + kOne + "\n}\n}\n";
}

class Groups : public testing::Test {
protected:
  Groups() { context.loadDialect<amp::AmpDialect, func::FuncDialect>(); }

  Block &parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module->lookupSymbol<func::FuncOp>("f").front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

using Schedule = std::vector<SmallVector<Operation *>>;

/// The number of each op in `schedule`.
llvm::DenseMap<Operation *, size_t> numbersOf(const Schedule &schedule) {
  llvm::DenseMap<Operation *, size_t> numbers;
  for (auto [number, ops] : llvm::enumerate(schedule))
    for (Operation *op : ops)
      EXPECT_TRUE(numbers.try_emplace(op, number).second);
  return numbers;
}

/// Calls `visit` with each value of an op that `operand` is made of.
template <typename Visit>
void forEachStored(const GroupPlan &plan, Value operand, Visit visit) {
  Operation *op = operand.getDefiningOp();
  if (!op)
    return;
  if (!plan.isFree(op))
    return visit(op);
  for (Value inner : op->getOperands())
    forEachStored(plan, inner, visit);
}

/// The most bytes that values between the entries of the schedule need.
int64_t peakOf(Block &block, const GroupPlan &plan) {
  Schedule schedule = plan.schedule();
  llvm::DenseMap<Operation *, size_t> numbers = numbersOf(schedule), last;
  for (Operation &op : block) {
    if (plan.isFree(&op))
      continue;
    bool isEnd = &op == block.getTerminator();
    size_t reader = isEnd ? schedule.size() : numbers.lookup(&op);
    for (Value operand : op.getOperands())
      forEachStored(plan, operand, [&](Operation *producer) {
        EXPECT_LE(numbers.lookup(producer), reader);
        last[producer] = std::max(last[producer], reader);
      });
  }
  std::vector<int64_t> need(schedule.size() + 1);
  for (auto [producer, end] : last)
    if (end > numbers.lookup(producer))
      for (size_t i = numbers.lookup(producer); i <= end; ++i)
        need[i] += arenaBytes(amp::tensorType(producer->getResult(0)));
  return *std::max_element(need.begin(), need.end());
}

} // namespace

TEST_F(Groups, NoCircleAndNoMoreMemory) {
  size_t merged = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Block &block = parse(randomModule(seed, 10 + seed));
    GroupPlan alone(block, /*fuse=*/false, /*products=*/false);
    GroupPlan plan(block, /*fuse=*/true, /*products=*/false);
    Schedule schedule = plan.schedule();
    size_t known = 0;
    for (Operation &op : block.without_terminator())
      known += !plan.isFree(&op);
    EXPECT_EQ(numbersOf(schedule).size(), known);
    EXPECT_LE(peakOf(block, plan), peakOf(block, alone));
    merged += alone.schedule().size() - schedule.size();
    for (const FusionRefusal &refusal : plan.refusals()) {
      EXPECT_FALSE(refusal.reason.empty());
      EXPECT_NE(plan.groupOf(refusal.producer), plan.groupOf(refusal.consumer));
    }
  }
  EXPECT_GT(merged, 1000u);
}

TEST_F(Groups, SameEveryTime) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::string text = randomModule(seed, 200);
    std::vector<std::vector<size_t>> shapes[2];
    for (auto &shape : shapes) {
      Block &block = parse(text);
      llvm::DenseMap<Operation *, size_t> place;
      for (Operation &op : block)
        place.try_emplace(&op, place.size());
      GroupPlan plan(block, /*fuse=*/true, /*products=*/false);
      for (const auto &ops : plan.schedule()) {
        shape.emplace_back();
        for (Operation *op : ops)
          shape.back().push_back(place.lookup(op));
      }
    }
    EXPECT_EQ(shapes[0], shapes[1]) << seed;
  }
}

TEST_F(Groups, StepsGrowWithTheGraph) {
  double small = 0, large = 0;
  for (unsigned seed = 0; seed < 3; ++seed) {
    Block &few = parse(randomModule(seed, 500));
    small += GroupPlan(few, true, false).work() / 500.0;
    Block &many = parse(randomModule(seed, 8000));
    large += GroupPlan(many, true, false).work() / 8000.0;
  }
  EXPECT_LE(large, 2 * small);
}
