// Indexing and the operators of tensors.
#include "test/unit/frontend/Load.h"

using namespace ampc::model;

namespace {

/// The ops of `y = EXPR` for x: f32[n=4, 6], k: i64[3], b: bool[2]; constants
/// and the return left out.
std::string opsOf(llvm::StringRef expr) {
  std::string text =
      forwardOf(("dim n = 4\ninput x: f32[n, 6]\ninput k: i64[3]\n"
                 "input b: bool[2]\noutput y = " +
                 expr)
                    .str());
  std::string kept;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim(), '\n'))
    if (!line.contains("amp.constant") && !line.starts_with("func.return"))
      kept += (line + "\n").str();
  return kept;
}

TEST(Index, Items) {
  EXPECT_EQ(opsOf("x[1]"),
            "%0 = amp.slice %arg0 starts [1, 0] steps [1, 1] : tensor<4x6xf32> "
            "-> tensor<1x6xf32>\n"
            "%1 = amp.reshape %0 : tensor<1x6xf32> -> tensor<6xf32>\n");
  EXPECT_EQ(opsOf("x[-1, 2:]"),
            "%0 = amp.slice %arg0 starts [3, 2] steps [1, 1] : tensor<4x6xf32> "
            "-> tensor<1x4xf32>\n"
            "%1 = amp.reshape %0 : tensor<1x4xf32> -> tensor<4xf32>\n");
  EXPECT_EQ(opsOf("x[..., ::2]"),
            "%0 = amp.slice %arg0 starts [0, 0] steps [1, 2] : tensor<4x6xf32> "
            "-> tensor<4x3xf32>\n");
  EXPECT_EQ(opsOf("x[1:-1, -100:100:5]"),
            "%0 = amp.slice %arg0 starts [1, 0] steps [1, 5] : tensor<4x6xf32> "
            "-> tensor<2x2xf32>\n");
  EXPECT_EQ(opsOf("x[3:1]"),
            "%0 = amp.slice %arg0 starts [0, 0] steps [1, 1] : tensor<4x6xf32> "
            "-> tensor<0x6xf32>\n");
  EXPECT_EQ(opsOf("x[:, none, ...]"),
            "%0 = amp.reshape %arg0 : tensor<4x6xf32> -> tensor<4x1x6xf32>\n");
  EXPECT_EQ(opsOf("x[none, 0, ..., 0]"),
            "%0 = amp.slice %arg0 starts [0, 0] steps [1, 1] : tensor<4x6xf32> "
            "-> tensor<1x1xf32>\n"
            "%1 = amp.reshape %0 : tensor<1x1xf32> -> tensor<1xf32>\n");
  EXPECT_EQ(opsOf("x[...]"), "");
  EXPECT_EQ(opsOf("x[:][0:n]"), "");
}

TEST(Index, Errors) {
  auto error = [](llvm::StringRef index) {
    std::string text = errorsOfBody(
        ("dim n = 4\ninput x: f32[n, 6]\ninput k: i64[3]\ny = x" + index)
            .str());
    return text;
  };
  EXPECT_EQ(error("[5]"), "5:7 index 5 is outside axis 0 of extent 4\n");
  EXPECT_EQ(error("[0, -7]"), "5:10 index -7 is outside axis 1 of extent 6\n");
  EXPECT_EQ(error("[0, 1, 2]"), "5:6 3 indices for the 2 axes of f32[4, 6]\n");
  EXPECT_EQ(error("[..., 0, ...]"), "5:15 an index takes one '...'\n");
  EXPECT_EQ(error("[::0]"),
            "5:9 the step of a slice must be at least 1, got 0\n");
  EXPECT_EQ(error("[::-1]"),
            "5:9 the step of a slice must be at least 1, got -1\n");
  EXPECT_EQ(error("[1.5]"), "5:7 expected a compile-time int, got float\n");
  EXPECT_EQ(error("[true]"), "5:7 expected a compile-time int, got bool\n");
  EXPECT_EQ(error("[k]"),
            "5:7 an index must be known at compile time, got tensor i64[3]; "
            "use index_select, gather or embedding\n");
  EXPECT_EQ(error("[0:k]"),
            "5:9 an index must be known at compile time, got tensor i64[3]; "
            "use index_select, gather or embedding\n");
  // The names of axes stay with those that are whole.
  EXPECT_EQ(error("[:, 1:3] + zeros([7])"),
            "5:15 'add': shapes f32[n=4, 2] and f32[7] do not match in axis 1 "
            "(2 and 7)\n  5:17 f32[7] is made here\n");
}

TEST(Operators, Arithmetic) {
  EXPECT_EQ(opsOf("x // 2"),
            "%1 = amp.floor_div %arg0, %0 : tensor<4x6xf32>\n");
  EXPECT_EQ(opsOf("k % 2"), "%1 = amp.remainder %arg1, %0 : tensor<3xi64>\n");
  EXPECT_EQ(opsOf("x ** 2"), "%0 = amp.mul %arg0, %arg0 : tensor<4x6xf32>\n");
  EXPECT_EQ(opsOf("k ** 2"), "%0 = amp.mul %arg1, %arg1 : tensor<3xi64>\n");
  EXPECT_EQ(opsOf("x ** 0.5"), "%1 = amp.pow %arg0, %0 : tensor<4x6xf32>\n");
  EXPECT_EQ(opsOf("2 ** x"), "%1 = amp.pow %0, %arg0 : tensor<4x6xf32>\n");
  EXPECT_EQ(opsOf("-x ** 2"), "%0 = amp.mul %arg0, %arg0 : tensor<4x6xf32>\n"
                              "%1 = amp.neg %0 : tensor<4x6xf32>\n");
  EXPECT_EQ(opsOf("k / 2"),
            "%0 = amp.cast %arg1 origin user : tensor<3xi64> -> tensor<3xf32>\n"
            "%2 = amp.div %0, %1 : tensor<3xf32>\n");
  EXPECT_EQ(errorsOfBody("input k: i64[3]\ninput b: bool[3]\n"
                         "y = k ** 3\n"
                         "z = b // b\n"
                         "w = b ** 2"),
            "4:7 'pow' takes a float tensor, got tensor i64[3] and int; write "
            "cast(.., f32)\n"
            "5:7 'floor_div' takes numbers, got two bool tensors\n"
            "6:7 'pow' takes a float tensor, got tensor bool[3] and int; write "
            "cast(.., f32)\n");
}

TEST(Operators, ComparisonsOfBools) {
  EXPECT_EQ(opsOf("b == b"),
            "%0 = amp.compare eq %arg2, %arg2 : tensor<2xi1>\n");
  EXPECT_EQ(opsOf("b != true"),
            "%1 = amp.compare ne %arg2, %0 : tensor<2xi1>\n");
  EXPECT_EQ(opsOf("b < b"),
            "%0 = amp.cast %arg2 origin user : tensor<2xi1> -> tensor<2xi8>\n"
            "%1 = amp.cast %arg2 origin user : tensor<2xi1> -> tensor<2xi8>\n"
            "%2 = amp.compare lt %0, %1 : tensor<2xi8>\n");
}

TEST(Operators, LogicIsOfCompileTime) {
  EXPECT_EQ(errorsOfBody("input x: f32[4]\n"
                         "a = x > 0 and x < 1\n"
                         "b = true or x > 0\n"
                         "c = false or x > 0\n"
                         "d = not (x > 0)\n"
                         "e = 1 and true\n"
                         "if x > 0 { f = 1 }"),
            "3:7 expected a compile-time bool, got tensor bool[4]; use "
            "logical_and\n"
            "5:16 expected a compile-time bool, got tensor bool[4]; use "
            "logical_or\n"
            "6:12 expected a compile-time bool, got tensor bool[4]; use "
            "logical_not\n"
            "7:5 expected a compile-time bool, got int\n"
            "8:6 expected a compile-time bool, got tensor bool[4]\n");
}

} // namespace
