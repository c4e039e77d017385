// Tensors: attributes and bytes of every element type, and the walks over them.
#include "test/unit/reference/Parse.h"

#include "ir/reference/Indexing.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace ampc::test;
using ampc::reference::Tensor;

namespace {

TEST(Tensor, ZerosOfEveryElementType) {
  Program program("module {}");
  for (const char *element : {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2",
                              "i1", "i8", "i32", "i64"}) {
    Tensor tensor(program.type("tensor<2x3x" + std::string(element) + ">"));
    EXPECT_EQ(tensor.size(), 6);
    EXPECT_TRUE(same(numbersOf(tensor), std::vector<double>(6, 0.0)));
  }
}

TEST(Tensor, BytesAreLittleEndian) {
  Program program("module {}");
  auto bytes = [&](const Written &written) {
    std::vector<char> raw = program.tensor(written).toBytes();
    return std::vector<uint8_t>(raw.begin(), raw.end());
  };
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(bytes({"tensor<1xf32>", {1}}), (Bytes{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(bytes({"tensor<2xbf16>", {1, -2}}),
            (Bytes{0x80, 0x3f, 0x00, 0xc0}));
  EXPECT_EQ(bytes({"tensor<1xf16>", {kInf}}), (Bytes{0x00, 0x7c}));
  EXPECT_EQ(bytes({"tensor<2xi1>", {1, 0}}), (Bytes{1, 0}));
  EXPECT_EQ(bytes({"tensor<1xi32>", {-2}}), (Bytes{0xfe, 0xff, 0xff, 0xff}));
  EXPECT_EQ(bytes({"tensor<1xf8E5M2>", {1}}), (Bytes{0x3c}));
}

TEST(Tensor, BytesRoundTrip) {
  Program program("module {}");
  for (const Written &written : std::vector<Written>{
           {"tensor<4xf64>", {1e300, -0.0, kNaN, 0x1p-1074}},
           {"tensor<4xf32>", {0x1p-149, -kInf, kNaN, 0x1.fffffep127}},
           {"tensor<3xf16>", {65504, 0x1p-24, -0.0}},
           {"tensor<2x2xi8>", {-128, 127, 0, -1}},
           {"tensor<2xi64>", {-9007199254740992.0, 3}},
           {"tensor<0xf32>", {}}}) {
    Tensor tensor = program.tensor(written);
    FailureOr<Tensor> again = Tensor::ofBytes(tensor.type(), tensor.toBytes());
    ASSERT_TRUE(succeeded(again));
    EXPECT_TRUE(same(numbersOf(*again), numbersOf(tensor))) << written.type;
  }
}

TEST(Tensor, BytesOfAnotherLengthFail) {
  Program program("module {}");
  EXPECT_TRUE(failed(
      Tensor::ofBytes(program.type("tensor<2xf32>"), std::vector<char>(7))));
  EXPECT_TRUE(failed(
      Tensor::ofBytes(program.type("tensor<2xi1>"), std::vector<char>(1))));
}

TEST(Tensor, I64StaysExact) {
  Program program("module {}");
  int64_t large = INT64_MAX - 1;
  Tensor tensor =
      Tensor::ofIntegers(program.type("tensor<2xi64>"), {large, -large});
  FailureOr<Tensor> again = Tensor::ofElements(tensor.toElements());
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(again->integers(), (std::vector<int64_t>{large, -large}));
}

TEST(Tensor, ElementsRoundTrip) {
  Program program("module {}");
  for (const char *text :
       {"dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>",
        "dense<2.5> : tensor<2x2xbf16>", "dense<[true, false]> : tensor<2xi1>",
        "dense<-3> : tensor<4xi8>", "dense<[0x0001, 0x7C00]> : tensor<2xf16>",
        "dense<> : tensor<0x3xf64>", "dense<true> : tensor<i1>",
        "dense<[448.0, 0.015625]> : tensor<2xf8E4M3FN>"}) {
    auto elements =
        cast<ElementsAttr>(parseAttribute(text, &program.context()));
    FailureOr<Tensor> tensor = Tensor::ofElements(elements);
    ASSERT_TRUE(succeeded(tensor)) << text;
    EXPECT_EQ(Attribute(tensor->toElements()), Attribute(elements)) << text;
  }
}

TEST(Tensor, ResourceElementsAreRead) {
  Program program(R"(func.func @f() -> tensor<2xf32> {
    %r = amp.constant dense_resource<blob> : tensor<2xf32>
    return %r : tensor<2xf32>
  }
  {-# dialect_resources: {builtin: {blob: "0x040000000000803F000000C0"}} #-})");
  FailureOr<SmallVector<Tensor>> results = program.run("f", {});
  ASSERT_TRUE(succeeded(results)) << program.errors();
  EXPECT_TRUE(same(numbersOf((*results)[0]), {1, -2}));
}

TEST(Tensor, ResourceOfAnotherLengthIsAnError) {
  Program program(R"(func.func @f() -> tensor<3xf32> {
    %r = amp.constant dense_resource<blob> : tensor<3xf32>
    return %r : tensor<3xf32>
  }
  {-# dialect_resources: {builtin: {blob: "0x040000000000803F000000C0"}} #-})");
  EXPECT_TRUE(failed(program.run("f", {})));
  EXPECT_NE(program.errors().find("lists no elements"), std::string::npos)
      << program.errors();
}

TEST(Tensor, WalkFollowsStrides) {
  std::vector<int64_t> offsets;
  ampc::reference::walkStrided({2, 3}, {0, 10}, [&](int64_t i, int64_t offset) {
    EXPECT_EQ(static_cast<size_t>(i), offsets.size());
    offsets.push_back(offset);
  });
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 10, 20, 0, 10, 20}));
  int64_t visits = 0;
  ampc::reference::walkStrided({}, {}, [&](int64_t, int64_t) { ++visits; });
  EXPECT_EQ(visits, 1);
  ampc::reference::walkStrided({4, 0}, {1, 1},
                               [&](int64_t, int64_t) { ++visits; });
  EXPECT_EQ(visits, 1);
}

} // namespace
