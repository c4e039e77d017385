// buffer, checkpoint { }, eval { }.
#include "test/unit/frontend/Load.h"

using namespace ampc::model;

namespace {

TEST(Blocks, Buffers) {
  EXPECT_EQ(
      variablesOf("model m {\n"
                  "  buffer scale: f32[4] = uniform(0, 2)\n"
                  "  buffer seen: i64[] = 3\n"
                  "  buffer on: bool[2] = true\n"
                  "  input x: f32[4]\n"
                  "  y = x * scale\n"
                  "}\n"
                  "init { \"seen\" = 5 }\n"),
      "amp.variable @scale : tensor<4xf32> role statistic init uniform "
      "with [0.000000e+00, 2.000000e+00] site 0\n"
      "amp.variable @seen : tensor<i64> role statistic init constant with "
      "[5.000000e+00]\n"
      "amp.variable @on : tensor<2xi1> role statistic init ones\n");
  EXPECT_EQ(errorsOfBody("buffer a: i8[] = 128\n"
                         "buffer b: i64[] = normal()\n"
                         "buffer c: bool[] = 2\n"
                         "buffer d: i32[] = 1.5\n"
                         "buffer e: f32[] = 0\n"
                         "e = 1\n"
                         "buffer e: f32[] = 0"),
            "2:18 the number does not fit in i8\n"
            "3:19 an initialiser draws floats, got i64\n"
            "4:20 the number does not fit in bool\n"
            "5:19 the number does not fit in i32\n"
            "7:1 'e' is already declared as buffer\n"
            "  6:8 declared here\n"
            "8:8 'e' is already declared as buffer\n"
            "  6:8 declared here\n");
}

TEST(Blocks, CheckpointMarksItsOps) {
  EXPECT_EQ(forwardOf("input x: f32[4]\n"
                      "h = relu(x)\n"
                      "repeat 2 { checkpoint {\n"
                      "  h = exp(h)\n"
                      "  checkpoint { h = sqrt(h) }\n"
                      "} }\n"
                      "output y = relu(h)"),
            "%0 = amp.relu %arg0 : tensor<4xf32>\n"
            "%1 = amp.exp %0 {amp.checkpoint = 0 : i64} : tensor<4xf32>\n"
            "%2 = amp.sqrt %1 {amp.checkpoint = 0 : i64} : tensor<4xf32>\n"
            "%3 = amp.exp %2 {amp.checkpoint = 1 : i64} : tensor<4xf32>\n"
            "%4 = amp.sqrt %3 {amp.checkpoint = 1 : i64} : tensor<4xf32>\n"
            "%5 = amp.relu %4 : tensor<4xf32>\n"
            "func.return %5 : tensor<4xf32>\n");
  EXPECT_EQ(errorsOfBody("checkpoint { h = q\n y = h }\nz = y"),
            "2:18 unknown name 'q'\n");
}

TEST(Blocks, EvalLeavesNothingBehind) {
  Loaded loaded("model m {\n"
                "  input x: f32[4]\n"
                "  h = x\n"
                "  eval {\n"
                "    h = relu(h)\n"
                "    fresh = h + 1\n"
                "    metric top = max(fresh)\n"
                "  }\n"
                "  output y = h\n"
                "  loss = mean(h)\n"
                "}\n");
  ASSERT_TRUE(loaded.module) << loaded.errors();
  auto forward = *loaded.module->getOps<mlir::func::FuncOp>().begin();
  std::string results;
  llvm::raw_string_ostream os(results);
  for (unsigned i = 0; i < forward.getNumResults(); ++i)
    os << mlir::DictionaryAttr(forward.getResultAttrDict(i)) << '\n';
  EXPECT_EQ(results,
            "{amp.eval_only, amp.io = #amp.io<metric>, amp.name = \"top\"}\n"
            "{amp.io = #amp.io<output>, amp.name = \"y\"}\n"
            "{amp.io = #amp.io<loss>, amp.name = \"loss\"}\n");
  // `y` is what `h` was before the block.
  auto back = forward.front().getTerminator()->getOperands();
  EXPECT_EQ(back[1], forward.getArgument(0));

  EXPECT_EQ(errorsOfBody("input x: f32[4]\n"
                         "eval { fresh = x }\n"
                         "y = fresh"),
            "4:5 unknown name 'fresh'\n");
  EXPECT_EQ(errorsOfBody("input x: f32[2, 4]\n"
                         "eval { metric a = mean(linear(x, 4)) }"),
            "3:24 parameter 'linear.weight' cannot be made in an eval block\n");
  // A parameter that exists may be read there.
  EXPECT_EQ(errorsOfBody("input x: f32[2, 4]\n"
                         "def f(x) { return linear(x, 4) }\n"
                         "y = f(x, share = \"f\")\n"
                         "eval { metric a = mean(f(y, share = \"f\")) }"),
            "");
}

TEST(Blocks, DefaultOutputsKnowNothingOfEval) {
  Loaded loaded("model m {\n"
                "  input x: f32[4]\n"
                "  eval { z = relu(x) }\n"
                "  z = exp(x)\n"
                "}\n");
  ASSERT_TRUE(loaded.module) << loaded.errors();
  auto forward = *loaded.module->getOps<mlir::func::FuncOp>().begin();
  ASSERT_EQ(forward.getNumResults(), 1u);
  EXPECT_TRUE(mlir::isa<ampc::amp::ExpOp>(
      forward.front().getTerminator()->getOperand(0).getDefiningOp()));
}

} // namespace
