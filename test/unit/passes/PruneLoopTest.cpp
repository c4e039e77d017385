// Loops over slices without some of their results: what remains verifies and
// has the operands and divisors that the kept results need.
#include "passes/memory/PruneLoop.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

namespace {

const char *const kLoop = R"(
func.func @f(%x: tensor<6x4xf32>, %y: tensor<2x4xf32>, %z: tensor<3x4xf32>) {
  %r:3 = amp.foreach 6 (%x, %y, %z) divisors [1, 3, 2] {amp.checkpoint = 3 : i64}
      : (tensor<6x4xf32>, tensor<2x4xf32>, tensor<3x4xf32>)
      -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<24xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %e = amp.group map [4] (%b) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%0: tensor<4xf32>):
      %1 = amp.exp %0 : tensor<4xf32>
      amp.yield %1 : tensor<4xf32>
    }
    %s:2 = amp.group map [4] (%a, %e) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb0(%0: tensor<4xf32>, %1: tensor<4xf32>):
      %2 = amp.add %0, %1 : tensor<4xf32>
      %3 = amp.neg %0 : tensor<4xf32>
      amp.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
    }
    %n = amp.group map [4] (%c) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%0: tensor<4xf32>):
      %1 = amp.abs %0 : tensor<4xf32>
      amp.yield %1 : tensor<4xf32>
    }
    amp.yield %s#0, %n, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return
})";

class PruneLoop : public testing::Test {
protected:
  PruneLoop() {
    context.loadDialect<AmpDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(kLoop, &context);
    EXPECT_TRUE(module);
    auto func = *module->getOps<func::FuncOp>().begin();
    loop = *func.front().getOps<ForeachOp>().begin();
  }

  ForeachOp prune(ArrayRef<unsigned> kept) {
    OpBuilder builder(loop->getNextNode());
    ForeachOp pruned = pruneLoop(builder, loop, loop.getInputs(), kept);
    EXPECT_TRUE(succeeded(verify(*module)));
    EXPECT_EQ(pruned.getCount(), 6u);
    EXPECT_EQ(pruned->getAttr(kCheckpointAttr), loop->getAttr(kCheckpointAttr));
    return pruned;
  }

  static size_t groupsOf(ForeachOp of) {
    auto groups = of.getBody().front().getOps<GroupOp>();
    return std::distance(groups.begin(), groups.end());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ForeachOp loop;
};

TEST_F(PruneLoop, KeepsWhatItsResultsNeed) {
  ForeachOp last = prune({2});
  EXPECT_EQ(groupsOf(last), 1u);
  ASSERT_EQ(last.getInputs().size(), 1u);
  EXPECT_EQ(last.getInputs()[0], loop.getInputs()[1]);
  EXPECT_EQ(last.getDivisors(), ArrayRef<int64_t>({3}));
  EXPECT_EQ(last.getResult(0).getType(), loop.getResult(2).getType());
}

// Operands that are left out stand before and behind one that stays.
TEST_F(PruneLoop, DivisorsGoWithTheirOperands) {
  ForeachOp middle = prune({1});
  ASSERT_EQ(middle.getInputs().size(), 1u);
  EXPECT_EQ(middle.getInputs()[0], loop.getInputs()[2]);
  EXPECT_EQ(middle.getDivisors(), ArrayRef<int64_t>({2}));
  ForeachOp ends = prune({0, 2});
  ASSERT_EQ(ends.getInputs().size(), 2u);
  EXPECT_EQ(ends.getDivisors(), ArrayRef<int64_t>({1, 3}));
}

// A group stays whole: its second result is still made.
TEST_F(PruneLoop, GroupsStayWhole) {
  ForeachOp first = prune({0});
  ASSERT_EQ(groupsOf(first), 2u);
  GroupOp sum = *std::next(first.getBody().front().getOps<GroupOp>().begin());
  EXPECT_EQ(sum.getNumResults(), 2u);
}

TEST_F(PruneLoop, AllResultsAreTheLoopItself) {
  ForeachOp same = prune({0, 1, 2});
  EXPECT_EQ(groupsOf(same), 3u);
  EXPECT_EQ(same.getResultTypes(), loop.getResultTypes());
  EXPECT_EQ(same.getDivisors(), loop.getDivisors());
  EXPECT_EQ(same.getInputs(), loop.getInputs());
}

} // namespace
