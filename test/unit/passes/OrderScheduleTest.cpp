// The order of random graphs: whatever moves, and wherever many ops move to,
// the bytes alive at once are counted right and become no more.
#include "passes/memory/BestFit.h"
#include "passes/memory/LiveRanges.h"
#include "passes/memory/Passes.h"
#include "passes/memory/PeakProfile.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

namespace {

const std::string kBig = "tensor<8x16xf32>", kSmall = "tensor<16xf32>";

/// A module of one entry of `count` groups; each reads one or two of the
/// `near` values before it, about `shared` the first group's result.
std::string randomEntry(unsigned seed, unsigned count, unsigned near,
                        unsigned shared) {
  std::mt19937 random(seed);
  std::vector<bool> isBig{true};
  std::string text = "module attributes {amp.stage = #amp.stage<fused>} {\n"
                     "func.func @f(%v0: " +
                     kBig + ") -> " + kSmall + " {\n";
  auto name = [](size_t i) { return "%v" + std::to_string(i); };
  auto typeOf = [&](size_t i) { return isBig[i] ? kBig : kSmall; };
  auto wide = [](const std::string &from, const std::string &to, bool big) {
    return big ? "%" + to + " = amp.neg %" + from + " : " + kBig + "\n"
               : "%" + to + " = amp.broadcast %" + from +
                     " along [1] : " + kSmall + " -> " + kBig + "\n";
  };
  for (unsigned i = 0; i < count; ++i) {
    size_t last = isBig.size(), low = last > near ? last - near : 0;
    size_t a = low + random() % (last - low),
           b = i > 0 && random() % count < shared
                   ? 1
                   : low + random() % (last - low);
    bool makesBig = random() % 2, reduces = !makesBig && (isBig[a] || isBig[b]);
    std::string result = makesBig ? kBig : kSmall;
    text += name(last) + " = amp.group " + (reduces ? "column" : "map") +
            (makesBig || reduces ? " [8, 16] (" : " [16] (") + name(a) + ", " +
            name(b) + ") : (" + typeOf(a) + ", " + typeOf(b) + ") -> " +
            result + " {\n^bb0(%a: " + typeOf(a) + ", %b: " + typeOf(b) +
            "):\n";
    if (makesBig || reduces)
      text += wide("a", "x", isBig[a]) + wide("b", "y", isBig[b]) +
              "%z = amp.add %x, %y : " + kBig + "\n";
    else
      text += "%z = amp.add %a, %b : " + kSmall + "\n";
    if (reduces)
      text += "%s = amp.reduce sum %z over [0] order column accumulate f32 : " +
              kBig + " -> " + kSmall + "\n";
    text += std::string("amp.yield ") + (reduces ? "%s" : "%z") + " : " +
            result + "\n}\n";
    isBig.push_back(makesBig);
  }
  size_t end = isBig.size() - 1;
  while (isBig[end])
    --end;
  return text + "return " + name(end) + " : " + kSmall + "\n}\n}\n";
}

int64_t peakOf(func::FuncOp func) {
  LiveRanges ranges(func.front());
  PeakProfile profile;
  Value returned = func.front().getTerminator()->getOperand(0);
  for (Operation &op : func.front().without_terminator())
    if (Value result = op.getResult(0); result != returned)
      profile.add(ranges.start(result), ranges.end(result),
                  alignBytes(storageBytes(tensorType(result))));
  return profile.peak();
}

} // namespace

TEST(OrderSchedule, RandomGraphsNeedNoMore) {
  MLIRContext context;
  context.loadDialect<AmpDialect, func::FuncDialect>();
  unsigned better = 0;
  for (unsigned seed = 0; seed < 12; ++seed)
    for (auto [near, shared] : {std::pair(4u, 0u), {40u, 100u}, {600u, 300u}}) {
      auto module = parseSourceString<ModuleOp>(
          randomEntry(seed, 600, near, shared), &context);
      ASSERT_TRUE(module);
      auto func = *module->getOps<func::FuncOp>().begin();
      int64_t before = peakOf(func);
      PassManager passes(&context);
      passes.addPass(createOrderSchedule());
      ASSERT_TRUE(succeeded(passes.run(*module)));
      ASSERT_TRUE(succeeded(verify(*module)));
      EXPECT_LE(peakOf(func), before) << seed << ", " << near;
      better += peakOf(func) < before;
    }
  EXPECT_GT(better, 12u);
}

// A value that many read is alive until the last of them, though that one
// moved: its result, which only the end reads, does not go down past values
// that would then stand beside the first one.
TEST(OrderSchedule, ManyReaders) {
  const std::string square = "tensor<16x16xf32>";
  auto map = [&](const std::string &result, const std::string &from) {
    return result + " = amp.group map [16, 16] (" + from + ") : (" + square +
           ") -> " + square + " {\n^bb0(%a: " + square +
           "):\n%n = amp.neg %a : " + square + "\namp.yield %n : " + square +
           "\n}\n";
  };
  auto reduce = [&](const std::string &result, const std::string &from,
                    const std::string &vector) {
    return result + " = amp.group column [16, 16] (" + from + ", " + vector +
           ") : (" + square + ", " + kSmall + ") -> " + kSmall +
           " {\n^bb0(%a: " + square + ", %b: " + kSmall +
           "):\n%c = amp.broadcast %b along [1] : " + kSmall + " -> " + square +
           "\n%d = amp.add %a, %c : " + square +
           "\n%s = amp.reduce sum %d over [0] order column accumulate f32 : " +
           square + " -> " + kSmall + "\namp.yield %s : " + kSmall + "\n}\n";
  };
  std::string text = "module attributes {amp.stage = #amp.stage<fused>} {\n"
                     "func.func @f(%x: " +
                     square + ", %r0: " + kSmall + ") -> " + kSmall + " {\n" +
                     map("%v", "%x") + reduce("%kept", "%v", "%r0");
  for (int i = 1; i <= 70; ++i)
    text +=
        reduce("%r" + std::to_string(i), "%v", "%r" + std::to_string(i - 1));
  text += map("%t", "%x") + map("%u", "%t") + reduce("%w", "%u", "%r70") +
          "%end = amp.group map [16] (%kept, %w) : (" + kSmall + ", " + kSmall +
          ") -> " + kSmall + " {\n^bb0(%a: " + kSmall + ", %b: " + kSmall +
          "):\n%s = amp.add %a, %b : " + kSmall + "\namp.yield %s : " + kSmall +
          "\n}\n" + "return %end : " + kSmall + "\n}\n}\n";
  MLIRContext context;
  context.loadDialect<AmpDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto func = *module->getOps<func::FuncOp>().begin();
  int64_t before = peakOf(func);
  PassManager passes(&context);
  passes.addPass(createOrderSchedule());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  EXPECT_LE(peakOf(func), before);
}
