// Bounds that the ops of an entry alone give its values.
#include "passes/precision/FloatRanges.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;

namespace ampc {
namespace {

/// The bounds of %r, the last op of `ops`, made of %x without bounds.
FloatRange rangeOf(const std::string &ops, const std::string &type) {
  MLIRContext context;
  context.loadDialect<amp::AmpDialect, func::FuncDialect>();
  std::string text = "func.func @f(%x: tensor<4x3xf32>) -> " + type + " {\n" +
                     ops + "\nreturn %r : " + type + "\n}\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << text;
    return {};
  }
  auto func = *module->getOps<func::FuncOp>().begin();
  return FloatRanges(func).of(func.front().getTerminator()->getOperand(0));
}

void expect(const FloatRange &range, double low, double high) {
  EXPECT_EQ(range.low, low);
  EXPECT_EQ(range.high, high);
}

constexpr const char *kType = "tensor<4x3xf32>";
constexpr const char *kSigmoid = "%s = amp.sigmoid %x : tensor<4x3xf32>\n";

TEST(FloatRanges, BoundedByThemselves) {
  expect(rangeOf("%r = amp.sigmoid %x : tensor<4x3xf32>", kType), 0, 1);
  expect(rangeOf("%r = amp.tanh %x : tensor<4x3xf32>", kType), -1, 1);
  expect(rangeOf("%r = amp.relu %x : tensor<4x3xf32>", kType), 0, INFINITY);
  expect(rangeOf("%r = amp.clip %x min -2.0 : tensor<4x3xf32>", kType), -2,
         INFINITY);
  expect(rangeOf("%r = amp.clip %x min -2.0 max 3.0 : tensor<4x3xf32>", kType),
         -2, 3);
  EXPECT_FALSE(rangeOf("%r = amp.neg %x : tensor<4x3xf32>", kType).isBounded());
}

TEST(FloatRanges, IntervalsOfIntervals) {
  std::string constant = std::string(kSigmoid) +
                         "%c = amp.constant dense<-4.0> : tensor<4x3xf32>\n";
  expect(rangeOf(constant + "%r = amp.mul %s, %c : tensor<4x3xf32>", kType), -4,
         0);
  expect(rangeOf(constant + "%r = amp.sub %s, %c : tensor<4x3xf32>", kType), 4,
         5);
  expect(rangeOf(constant + "%r = amp.maximum %x, %c : tensor<4x3xf32>", kType),
         -4, INFINITY);
  expect(rangeOf(std::string(kSigmoid) +
                     "%r = amp.reduce sum %s over [1] order row accumulate f32 "
                     ": tensor<4x3xf32> -> tensor<4xf32>",
                 "tensor<4xf32>"),
         0, 3);
  expect(rangeOf(std::string(kSigmoid) +
                     "%t = amp.tanh %x : tensor<4x3xf32>\n"
                     "%r = amp.matmul %s, %t transpose_b accumulate f32 : "
                     "tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x4xf32>",
                 "tensor<4x4xf32>"),
         -3, 3);
}

// Epilogues are formed after precision is chosen.
TEST(FloatRanges, NothingIsKnownOfAnEpilogue) {
  expect(rangeOf(std::string(kSigmoid) +
                     "%t = amp.tanh %x : tensor<4x3xf32>\n"
                     "%r = amp.matmul %s, %t transpose_b relu accumulate f32 : "
                     "tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x4xf32>",
                 "tensor<4x4xf32>"),
         -HUGE_VAL, HUGE_VAL);
}

// 0 times what is not bounded is 0 elementwise: no NaN comes of it.
TEST(FloatRanges, ZeroTimesUnbounded) {
  expect(rangeOf("%z = amp.constant dense<0.0> : tensor<4x3xf32>\n"
                 "%r = amp.mul %x, %z : tensor<4x3xf32>",
                 kType),
         0, 0);
}

} // namespace
} // namespace ampc
