// Movement of elements and lookups by index: order, steps, empty extents,
// indices out of bounds. Case G05.
#include "test/unit/reference/Parse.h"

using namespace ampc::test;

namespace {

const Written kMatrix{"tensor<2x3xf32>", {1, 2, 3, 4, 5, 6}};

/// `%r = amp.OP : INPUTS -> RESULT`, the inputs named %a, %b, ...
std::vector<double> apply(const std::string &op,
                          const std::vector<Written> &operands,
                          const std::string &result) {
  std::string types;
  for (const Written &operand : operands)
    types += (types.empty() ? "" : ", ") + operand.type;
  return evaluate("%r = amp." + op + " : " + types + " -> " + result, operands,
                  result);
}

TEST(Movement, IotaOfEachType) {
  EXPECT_TRUE(
      same(evaluate("%r = amp.iota : tensor<3xi32>", {}, "tensor<3xi32>"),
           {0, 1, 2}));
  EXPECT_TRUE(
      same(evaluate("%r = amp.iota : tensor<3xf32>", {}, "tensor<3xf32>"),
           {0, 1, 2}));
  EXPECT_TRUE(
      same(evaluate("%r = amp.iota : tensor<0xi64>", {}, "tensor<0xi64>"), {}));
}

TEST(Movement, Transpose) {
  EXPECT_TRUE(
      same(apply("transpose %a perm [1, 0]", {kMatrix}, "tensor<3x2xf32>"),
           {1, 4, 2, 5, 3, 6}));
  EXPECT_TRUE(same(apply("transpose %a perm [2, 0, 1]",
                         {{"tensor<1x2x3xi8>", {1, 2, 3, 4, 5, 6}}},
                         "tensor<3x1x2xi8>"),
                   {1, 4, 2, 5, 3, 6}));
  EXPECT_TRUE(
      same(apply("transpose %a perm []", {{"tensor<f32>", {7}}}, "tensor<f32>"),
           {7}));
  EXPECT_TRUE(same(apply("transpose %a perm [1, 0]", {{"tensor<0x3xf32>", {}}},
                         "tensor<3x0xf32>"),
                   {}));
}

TEST(Movement, SliceWithSteps) {
  EXPECT_TRUE(same(apply("slice %a starts [1, 0] steps [1, 2]", {kMatrix},
                         "tensor<1x2xf32>"),
                   {4, 6}));
  EXPECT_TRUE(same(apply("slice %a starts [2, 3] steps [1, 1]", {kMatrix},
                         "tensor<0x0xf32>"),
                   {}));
  EXPECT_TRUE(same(apply("slice %a starts [1] steps [1000]",
                         {{"tensor<2xf32>", {-0.0, kNaN}}}, "tensor<1xf32>"),
                   {kNaN}));
}

TEST(Movement, ConcatAlongEachAxis) {
  Written row{"tensor<1x3xf32>", {7, 8, 9}}, column{"tensor<2x1xf32>", {7, 8}},
      none{"tensor<2x0xf32>", {}};
  EXPECT_TRUE(
      same(apply("concat %a, %b axis 0", {kMatrix, row}, "tensor<3x3xf32>"),
           {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(same(apply("concat %a, %b, %c axis 1", {column, none, kMatrix},
                         "tensor<2x4xf32>"),
                   {7, 1, 2, 3, 8, 4, 5, 6}));
  EXPECT_TRUE(
      same(apply("concat %a axis 0", {row}, "tensor<1x3xf32>"), {7, 8, 9}));
}

TEST(Movement, PadAroundAndBetween) {
  EXPECT_TRUE(same(apply("pad %a low [1] high [2] interior [1] value -0.0",
                         {{"tensor<3xf32>", {1, 2, 3}}}, "tensor<8xf32>"),
                   {-0.0, 1, -0.0, 2, -0.0, 3, -0.0, -0.0}));
  EXPECT_TRUE(
      same(apply("pad %a low [0, 1] high [1, 0] interior [0, 0] value 9.0",
                 {{"tensor<1x2xi32>", {1, 2}}}, "tensor<2x3xi32>"),
           {9, 1, 2, 9, 9, 9}));
  EXPECT_TRUE(same(apply("pad %a low [1] high [1] interior [5] value 0.1",
                         {{"tensor<0xf16>", {}}}, "tensor<2xf16>"),
                   {0.0999755859375, 0.0999755859375}));
  EXPECT_TRUE(same(
      apply("pad %a low [0] high [1] interior [0] value 0xFFF0000000000000",
            {{"tensor<1xf32>", {1}}}, "tensor<2xf32>"),
      {1, -kInf}));
}

TEST(Indexing, TakeAlongEachAxis) {
  Written index{"tensor<2xi64>", {2, 0}};
  EXPECT_TRUE(
      same(apply("take %a, %b axis 1", {kMatrix, index}, "tensor<2x2xf32>"),
           {3, 1, 6, 4}));
  EXPECT_TRUE(
      same(apply("take %a, %b axis 0", {kMatrix, {"tensor<1x2xi32>", {1, 1}}},
                 "tensor<1x2x3xf32>"),
           {4, 5, 6, 4, 5, 6}));
  EXPECT_TRUE(same(apply("take %a, %b axis 0 padding_idx 1",
                         {kMatrix, {"tensor<i32>", {1}}}, "tensor<3xf32>"),
                   {4, 5, 6}));
  EXPECT_TRUE(same(apply("take %a, %b axis 0", {kMatrix, {"tensor<0xi32>", {}}},
                         "tensor<0x3xf32>"),
                   {}));
}

TEST(Indexing, GatherAlongEachAxis) {
  EXPECT_TRUE(same(apply("gather %a, %b axis 1",
                         {kMatrix, {"tensor<2x2xi64>", {0, 2, 1, 1}}},
                         "tensor<2x2xf32>"),
                   {1, 3, 5, 5}));
  EXPECT_TRUE(
      same(apply("gather %a, %b axis 0",
                 {kMatrix, {"tensor<1x3xi32>", {1, 0, 1}}}, "tensor<1x3xf32>"),
           {4, 2, 6}));
}

TEST(Indexing, OutOfBoundsReadsNothing) {
  Written index{"tensor<3xi64>", {-1, 3, 0x1p40}};
  Written floats{"tensor<3xf32>", {1, 2, 3}};
  Written integers{"tensor<3xi32>", {1, 2, 3}};
  for (const char *op : {"take %a, %b axis 0", "gather %a, %b axis 0"}) {
    EXPECT_TRUE(
        same(apply(op, {floats, index}, "tensor<3xf32>"), {kNaN, kNaN, kNaN}));
    EXPECT_TRUE(same(apply(op, {integers, index}, "tensor<3xi32>"), {0, 0, 0}));
  }
  EXPECT_TRUE(same(apply("take %a, %b axis 0",
                         {{"tensor<0x2xf32>", {}}, {"tensor<1xi32>", {0}}},
                         "tensor<1x2xf32>"),
                   {kNaN, kNaN}));
  for (const char *op :
       {"scatter_rows %a, %b axis 0", "scatter_add %a, %b axis 0"})
    EXPECT_TRUE(same(apply(op, {index, floats}, "tensor<3xf32>"), {0, 0, 0}));
}

TEST(Indexing, ScatterRowsAdds) {
  EXPECT_TRUE(same(apply("scatter_rows %a, %b axis 0",
                         {{"tensor<3xi32>", {1, 0, 1}},
                          {"tensor<3x2xf32>", {1, 2, 3, 4, 5, 6}}},
                         "tensor<3x2xf32>"),
                   {3, 4, 6, 8, 0, 0}));
  EXPECT_TRUE(
      same(apply("scatter_rows %a, %b axis 1",
                 {{"tensor<2xi64>", {1, 1}}, {"tensor<2x2xf32>", {1, 2, 3, 4}}},
                 "tensor<2x2xf32>"),
           {0, 3, 0, 7}));
  EXPECT_TRUE(
      same(apply("scatter_rows %a, %b axis 0",
                 {{"tensor<2xi32>", {0, 0}}, {"tensor<2xi8>", {127, 1}}},
                 "tensor<1xi8>"),
           {-128}));
}

TEST(Indexing, ScatterRoundsTheSumOnce) {
  // In f16 each of the 4096 additions of 1 beyond 2048 would be lost.
  std::string updates = "tensor<4096xf16>";
  EXPECT_TRUE(same(apply("scatter_rows %a, %b axis 0",
                         {{"tensor<4096xi32>", std::vector<double>(4096, 0.0)},
                          {updates, std::vector<double>(4096, 1.0)}},
                         "tensor<1xf16>"),
                   {4096}));
}

TEST(Indexing, ScatterAddAlongEachAxis) {
  EXPECT_TRUE(same(apply("scatter_add %a, %b axis 1",
                         {{"tensor<2x2xi64>", {0, 2, 1, 1}},
                          {"tensor<2x2xf32>", {1, 2, 3, 4}}},
                         "tensor<2x3xf32>"),
                   {1, 0, 2, 0, 7, 0}));
}

TEST(Indexing, OneHotOfEachType) {
  Written index{"tensor<3xi32>", {1, -1, 2}};
  EXPECT_TRUE(same(apply("one_hot %a", {index}, "tensor<3x2xf32>"),
                   {0, 1, 0, 0, 0, 0}));
  EXPECT_TRUE(
      same(apply("one_hot %a", {index}, "tensor<3x2xi1>"), {0, 1, 0, 0, 0, 0}));
  EXPECT_TRUE(same(apply("one_hot %a", {{"tensor<i64>", {2}}}, "tensor<3xi8>"),
                   {0, 0, 1}));
}

TEST(Indexing, FirstOutsideIsTheFirstInRowMajorOrder) {
  auto find = [](const std::string &bounds, const Written &index) {
    Program program("func.func @f(%a: " + index.type +
                    ") -> (tensor<i64>, tensor<i64>) {\n"
                    "%p, %e = amp.first_outside %a " +
                    bounds + " : " + index.type +
                    "\nreturn %p, %e : tensor<i64>, tensor<i64>\n}\n");
    auto results = program.run("f", {program.tensor(index)});
    EXPECT_TRUE(succeeded(results)) << program.errors();
    return std::pair((*results)[0].number(0), (*results)[1].number(0));
  };
  Written index{"tensor<2x3xi32>", {0, -100, 2, 3, -1, 7}};
  EXPECT_EQ(find("low 0 high 3 ignore -100", index), std::pair(3.0, 3.0));
  EXPECT_EQ(find("low 0 high 3", index), std::pair(1.0, -100.0));
  EXPECT_EQ(find("low -100 high 7", index), std::pair(5.0, 7.0));
  EXPECT_EQ(find("low -100 high 8", index), std::pair(-1.0, 0.0));
  EXPECT_EQ(find("low 0 high 4", {"tensor<i64>", {4}}), std::pair(0.0, 4.0));
}

// G05: the padding row gets nothing, however many indices there are.
TEST(Cases, G05PaddingIndexIsDropped) {
  for (size_t zeros : {3, 1000, 5000}) {
    std::vector<double> index(zeros, 0.0);
    index.insert(index.end(), {1, 1, 2});
    std::string count = std::to_string(index.size());
    EXPECT_TRUE(same(apply("scatter_rows %a, %b axis 0 padding_idx 0",
                           {{"tensor<" + count + "xi64>", index},
                            {"tensor<" + count + "xf32>",
                             std::vector<double>(index.size(), 1.0)}},
                           "tensor<5xf32>"),
                     {0, 2, 1, 0, 0}));
  }
}

} // namespace
