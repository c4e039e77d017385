// Groups without some of their results: what remains is a group of its kind
// that verifies, with the ops and operands that the kept results need.
#include "passes/memory/PruneGroup.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

namespace {

class PruneGroup : public testing::Test {
protected:
  PruneGroup() { context.loadDialect<AmpDialect, func::FuncDialect>(); }

  /// The group of `text`, the ops of one function.
  GroupOp parse(const std::string &arguments, const std::string &text) {
    module = parseSourceString<ModuleOp>("func.func @f(" + arguments + ") {\n" +
                                             text + "\n return\n}\n",
                                         &context);
    EXPECT_TRUE(module);
    auto func = *module->getOps<func::FuncOp>().begin();
    return *func.front().getOps<GroupOp>().begin();
  }

  GroupOp prune(GroupOp group, ArrayRef<unsigned> kept) {
    OpBuilder builder(group->getNextNode());
    GroupOp pruned = pruneGroup(builder, group, group.getInputs(), kept);
    EXPECT_TRUE(succeeded(verify(*module)));
    return pruned;
  }

  static std::vector<std::string> names(GroupOp group) {
    std::vector<std::string> names;
    for (Operation &op : group.getBody().front().without_terminator())
      names.push_back(op.getName().stripDialect().str());
    return names;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

using Names = std::vector<std::string>;

const char *const kContraction = R"(
  %r:3 = amp.group contraction [8, 6] (%a, %b, %bias, %c)
      : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<6xf32>, tensor<8x6xf32>)
      -> (tensor<8x6xf32>, tensor<8x6xbf16>, tensor<8x6xf32>) {
  ^bb0(%0: tensor<8x4xf32>, %1: tensor<4x6xf32>, %2: tensor<6xf32>, %3: tensor<8x6xf32>):
    %p = amp.matmul %0, %1 accumulate f32 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %s = amp.broadcast %2 along [1] : tensor<6xf32> -> tensor<8x6xf32>
    %y = amp.add %p, %s : tensor<8x6xf32>
    %n = amp.cast %y origin policy : tensor<8x6xf32> -> tensor<8x6xbf16>
    %e = amp.exp %3 : tensor<8x6xf32>
    amp.yield %y, %n, %e : tensor<8x6xf32>, tensor<8x6xbf16>, tensor<8x6xf32>
  })";
const char *const kArguments =
    "%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %bias: tensor<6xf32>, %c: "
    "tensor<8x6xf32>";

TEST_F(PruneGroup, ProductsKeepWhatTheirResultsNeed) {
  GroupOp group = parse(kArguments, kContraction);
  EXPECT_TRUE(isPrunable(group));
  GroupOp rounded = prune(group, {1});
  EXPECT_EQ(rounded.getKind(), GroupKind::contraction);
  EXPECT_EQ(names(rounded), (Names{"matmul", "broadcast", "add", "cast"}));
  EXPECT_EQ(rounded.getInputs().size(), 3u);
  GroupOp wide = prune(group, {0});
  EXPECT_EQ(names(wide), (Names{"matmul", "broadcast", "add"}));
  EXPECT_EQ(ArrayRef(wide.getSpace()), ArrayRef<int64_t>({8, 6}));
}

// What is left of a product's kernel without the product is a map.
TEST_F(PruneGroup, WithoutTheProductAMapRemains) {
  GroupOp group = parse(kArguments, kContraction);
  GroupOp map = prune(group, {2});
  EXPECT_EQ(map.getKind(), GroupKind::map);
  EXPECT_EQ(names(map), Names{"exp"});
  ASSERT_EQ(map.getInputs().size(), 1u);
  EXPECT_EQ(map.getInputs()[0], group.getInputs()[3]);
}

TEST_F(PruneGroup, AllResultsAreTheGroupItself) {
  GroupOp group = parse(kArguments, kContraction);
  group->setAttr(kCheckpointAttr, Builder(&context).getI64IntegerAttr(3));
  GroupOp same = prune(group, {0, 1, 2});
  EXPECT_EQ(names(same), names(group));
  EXPECT_EQ(same.getResultTypes(), group.getResultTypes());
  EXPECT_EQ(same->getAttr(kCheckpointAttr), group->getAttr(kCheckpointAttr));
}

const char *const kRow = R"(
  %r:2 = amp.group row [8, 6] (%c) : (tensor<8x6xf32>) -> (tensor<8xf32>, tensor<8x6xf32>) {
  ^bb0(%0: tensor<8x6xf32>):
    %m = amp.reduce max %0 over [1] order row accumulate f32 : tensor<8x6xf32> -> tensor<8xf32>
    %e = amp.exp %0 : tensor<8x6xf32>
    amp.yield %m, %e : tensor<8xf32>, tensor<8x6xf32>
  })";

TEST_F(PruneGroup, ReductionsStayWhereTheirResultsDo) {
  GroupOp group = parse("%c: tensor<8x6xf32>", kRow);
  EXPECT_TRUE(isPrunable(group));
  GroupOp reduced = prune(group, {0});
  EXPECT_EQ(reduced.getKind(), GroupKind::row);
  EXPECT_EQ(names(reduced), Names{"reduce"});
  GroupOp map = prune(group, {1});
  EXPECT_EQ(map.getKind(), GroupKind::map);
  EXPECT_EQ(names(map), Names{"exp"});
}

// A map over what a reduction leaves has no loop of its own.
TEST_F(PruneGroup, NegativeMapsOverWhatIsLeft) {
  GroupOp group = parse("%c: tensor<8x6xf32>, %d: tensor<8xf32>", R"(
  %r:2 = amp.group row [8, 6] (%c, %d) : (tensor<8x6xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%0: tensor<8x6xf32>, %1: tensor<8xf32>):
    %m = amp.reduce max %0 over [1] order row accumulate f32 : tensor<8x6xf32> -> tensor<8xf32>
    %n = amp.neg %1 : tensor<8xf32>
    amp.yield %m, %n : tensor<8xf32>, tensor<8xf32>
  })");
  EXPECT_FALSE(isPrunable(group));
}

} // namespace
