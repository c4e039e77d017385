// What the ops of attention keep wide: an operand by its number, whatever the
// value in its place.
#include "ir/dialect/Dialect.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace ampc::amp;

namespace {

/// The numbers of the operands that the last op of `text` keeps wide.
std::vector<unsigned> wideOperands(const std::string &text) {
  MLIRContext context;
  context.loadDialect<AmpDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @f(%x: tensor<1x1x4x4xf32>, %l: tensor<1x1x4xf32>) {\n" +
          text + "\n return\n}\n",
      &context);
  if (!module) {
    ADD_FAILURE() << text;
    return {};
  }
  auto func = *module->getOps<func::FuncOp>().begin();
  Operation *op = func.front().getTerminator()->getPrevNode();
  std::vector<unsigned> wide;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (cast<PrecisionRule>(op).keepsWide(i))
      wide.push_back(i);
  return wide;
}

const std::string kType = "tensor<1x1x4x4xf32>";

TEST(PrecisionRule, AttentionKeepsItsMask) {
  EXPECT_EQ(wideOperands(
                "%o, %s = amp.attention %x, %x, %x mask %x : " + kType +
                " scale 0.5 dropout 0.0 mode train site 0 : " + kType + ", " +
                kType + ", " + kType + " -> " + kType + ", tensor<1x1x4xf32>"),
            std::vector<unsigned>{3});
}

TEST(PrecisionRule, ItsGradientKeepsLogsumexpAndMask) {
  std::string six = kType + ", " + kType + ", " + kType + ", " + kType +
                    ", tensor<1x1x4xf32>, " + kType;
  EXPECT_EQ(
      wideOperands("%g:4 = amp.attention_gradient %x, %x, %x, %x, %l, %x "
                   "mask %x : " +
                   kType + " scale 0.5 dropout 0.0 mode train site 0 : " + six +
                   " -> " + kType + ", " + kType + ", " + kType + ", " + kType),
      (std::vector<unsigned>{4, 6}));
}

} // namespace
