// Every form of kernel as CUDA text, compiled by NVRTC for every architecture.
// Needs the toolkit's library and no GPU; without the library the tests are
// skipped and say so.
#include "test/kernels/Nvrtc.h"
#include "codegen/emit/EmitPlan.h"
#include "test/unit/codegen/Program.h"

#include <gtest/gtest.h>

using namespace ampc;
using namespace ampc::test;

namespace {

/// The compiler says nothing about the kernels of `module`; `maySpill`: but
/// that they need more registers than there are.
void expectCompiles(const std::string &module, bool maySpill = false) {
  if (!hasNvrtc())
    GTEST_SKIP() << "skipped: NVRTC not found";
  mlir::OwningOpRef<mlir::ModuleOp> parsed = parse(module);
  auto text = emitCudaText(*parsed, {});
  ASSERT_TRUE(mlir::succeeded(text));
  for (const char *architecture : kArchitectures)
    EXPECT_EQ(complaintAbout(*text, architecture, maySpill), "") << *text;
}

} // namespace

TEST(Nvrtc, BiasReluAndItsMask) {
  expectCompiles(groupModule("map", "256, 4096", {"256x4096xf32", "4096xf32"},
                             {"256x4096xf32", "256x4096xi1"}, R"(
      %z = amp.constant dense<0.0> : tensor<256x4096xf32>
      %b = amp.broadcast %a1 along [1] : tensor<4096xf32> -> tensor<256x4096xf32>
      %0 = amp.add %a0, %b : tensor<256x4096xf32>
      %1 = amp.maximum %0, %z : tensor<256x4096xf32>
      %2 = amp.compare le %1, %z : tensor<256x4096xf32>
      amp.yield %1, %2 : tensor<256x4096xf32>, tensor<256x4096xi1>)"));
}

TEST(Nvrtc, EveryElementwiseOp) {
  std::string f = "tensor<64xf32>", d = "tensor<64xf64>", i = "tensor<64xi32>",
              l = "tensor<64xi64>";
  std::string body, yields, types;
  std::vector<std::string> results;
  int count = 0;
  auto add = [&](const std::string &op, const std::string &type,
                 const std::string &result) {
    std::string name = "%v" + std::to_string(count++);
    body += name + " = " + op + " : " + type + "\n";
    yields += (yields.empty() ? "" : ", ") + name;
    types += (types.empty() ? "tensor<64x" : ", tensor<64x") + result + ">";
    results.push_back("64x" + result);
  };
  for (const char *op : {"add", "sub", "mul", "div", "maximum", "minimum"}) {
    add(std::string("amp.") + op + " %a0, %a0", f, "f32");
    add(std::string("amp.") + op + " %a1, %a1", d, "f64");
  }
  for (const char *op : {"add", "sub", "mul", "maximum", "minimum"})
    for (int k : {2, 3, 4})
      add(std::string("amp.") + op + " %a" + std::to_string(k) + ", %a" +
              std::to_string(k),
          k == 2   ? i
          : k == 3 ? l
                   : "tensor<64xi8>",
          k == 2   ? "i32"
          : k == 3 ? "i64"
                   : "i8");
  for (const char *op : {"neg", "exp", "sqrt"}) {
    add(std::string("amp.") + op + " %a0", f, "f32");
    add(std::string("amp.") + op + " %a1", d, "f64");
  }
  for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    add(std::string("amp.compare ") + predicate + " %a0, %a0", f, "i1");
    add(std::string("amp.compare ") + predicate + " %a2, %a2", i, "i1");
    add(std::string("amp.compare ") + predicate + " %a5, %a5", "tensor<64xi1>",
        "i1");
  }
  add("amp.select %a5, %a0, %a0", f, "f32");
  expectCompiles(groupModule(
      "map", "64", {"64xf32", "64xf64", "64xi32", "64xi64", "64xi8", "64xi1"},
      results, body + "amp.yield " + yields + " : " + types));
}

TEST(Nvrtc, EveryMathFunctionAndLogic) {
  std::string body, yields, types;
  std::vector<std::string> results;
  int count = 0;
  auto add = [&](const std::string &op, const std::string &element) {
    std::string name = "%v" + std::to_string(count++),
                type = "tensor<64x" + element + ">";
    body += name + " = amp." + op + " : " + type + "\n";
    yields += (yields.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + type;
    results.push_back("64x" + element);
  };
  const std::vector<std::pair<std::string, std::string>> numbers = {
      {"%a0", "f32"}, {"%a1", "f64"}, {"%a2", "i32"}, {"%a3", "i64"}};
  for (const auto &[value, element] : numbers) {
    bool isFloat = element[0] == 'f';
    for (const char *op :
         {"log", "log1p", "tanh", "erf", "sin", "cos", "floor"})
      if (isFloat)
        add(std::string(op) + " " + value, element);
    if (isFloat)
      add("pow " + value + ", " + value, element);
    for (const char *op : {"abs ", "sign "})
      add(op + value, element);
    for (const char *op : {"floor_div ", "remainder "})
      add(op + value + ", " + value, element);
  }
  for (const char *op : {"and", "or", "xor"})
    add(std::string(op) + " %a4, %a4", "i1");
  add("not %a4", "i1");
  expectCompiles(groupModule("map", "64",
                             {"64xf32", "64xf64", "64xi32", "64xi64", "64xi1"},
                             results,
                             body + "amp.yield " + yields + " : " + types),
                 /*maySpill=*/true);
}

TEST(Nvrtc, MovementsAndLookups) {
  expectCompiles(groupModule(
      "map", "6, 8", {"8x6xf32", "6x4xf32", "20x8xf32", "6xi64", "6x3xbf16"},
      {"6x8xf32", "6x8xf32", "6x8xf32", "6x8xbf16", "6x8xi32"}, R"(
      %0 = amp.transpose %a0 perm [1, 0] : tensor<8x6xf32> -> tensor<6x8xf32>
      %1 = amp.concat %a1, %a1 axis 1 : tensor<6x4xf32>, tensor<6x4xf32> -> tensor<6x8xf32>
      %2 = amp.take %a2, %a3 axis 0 : tensor<20x8xf32>, tensor<6xi64> -> tensor<6x8xf32>
      %3 = amp.pad %a4 low [0, 1] high [0, 2] interior [0, 1] value 1.0 : tensor<6x3xbf16> -> tensor<6x8xbf16>
      %4 = amp.iota : tensor<8xi32>
      %5 = amp.broadcast %4 along [1] : tensor<8xi32> -> tensor<6x8xi32>
      amp.yield %0, %1, %2, %3, %5 : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xbf16>, tensor<6x8xi32>)"));
}

TEST(Nvrtc, EveryCast) {
  const std::vector<std::string> elements = {
      "f64",    "f32", "f16", "bf16", "f8E4M3FN",
      "f8E5M2", "i1",  "i8",  "i32",  "i64"};
  std::string body, yields, types;
  std::vector<std::string> inputs, results;
  for (const std::string &from : elements)
    inputs.push_back("64x" + from);
  int count = 0;
  for (size_t from = 0; from < elements.size(); ++from)
    for (const std::string &to : elements) {
      if (elements[from] == to)
        continue;
      std::string name = "%v" + std::to_string(count++),
                  type = "tensor<64x" + to + ">";
      body += name + " = amp.cast %a" + std::to_string(from) +
              " origin user : tensor<64x" + elements[from] + "> -> " + type +
              "\n";
      yields += (yields.empty() ? "" : ", ") + name;
      types += (types.empty() ? "" : ", ") + type;
      results.push_back("64x" + to);
    }
  expectCompiles(groupModule("map", "64", inputs, results,
                             body + "amp.yield " + yields + " : " + types));
}

TEST(Nvrtc, RandomNumbers) {
  expectCompiles(groupModule("map", "1000", {"i64", "i64", "i64"},
                             {"1000xf32", "1000xf32"}, R"(
      %0 = amp.random uniform(%a0, %a1, %a2) mode eval site 5 : tensor<1000xf32>
      %1 = amp.random normal(%a0, %a1, %a2) mode eval site 6 : tensor<1000xf32>
      amp.yield %0, %1 : tensor<1000xf32>, tensor<1000xf32>)"));
}

TEST(Nvrtc, ReductionsOfEveryTypeAndKind) {
  // Rows of two steps and a rest, and columns of many blocks of rows.
  for (const char *kind : {"row", "column"}) {
    bool isRow = kind == std::string("row");
    std::string from = isRow ? "8x131" : "3000x20", to = isRow ? "8" : "20";
    for (const char *element : {"f32", "f64", "i32", "i64"}) {
      std::string body, yields, types;
      std::vector<std::string> results;
      std::string input = from + "x" + element,
                  result = "tensor<" + to + "x" + element + ">";
      for (const char *reduce : {"sum", "prod", "max", "min"}) {
        std::string name = std::string("%") + reduce;
        body += name + " = amp.reduce " + reduce + " %a0 over [" +
                (isRow ? "1" : "0") + "] order " + kind + " accumulate " +
                (element == std::string("i32") ? "i64" : element) +
                " : tensor<" + input + "> -> " + result + "\n";
        yields += (yields.empty() ? "" : ", ") + name;
        types += (types.empty() ? "" : ", ") + result;
        results.push_back(to + "x" + element);
      }
      expectCompiles(groupModule(kind, isRow ? "8, 131" : "3000, 20", {input},
                                 results,
                                 body + "amp.yield " + yields + " : " + types));
    }
  }
}

TEST(Nvrtc, ScattersOfEveryForm) {
  for (const char *element : {"f32", "f64", "i32", "i64"}) {
    auto tensor = [&](const std::string &shape) {
      return "tensor<" + shape + "x" + element + ">";
    };
    // Tiles of rows, columns, and few positions.
    expectCompiles(groupModule(
        "scatter", "100, 300", {"100xi64", "100x300x" + std::string(element)},
        {"5000x300x" + std::string(element)},
        "%0 = amp.scatter_rows %a0, %a1 axis 0 : tensor<100xi64>, " +
            tensor("100x300") + " -> " + tensor("5000x300") +
            "\namp.yield %0 : " + tensor("5000x300")));
    for (const char *shape : {"30x70", "5x70"})
      expectCompiles(groupModule(
          "scatter", shape == std::string("30x70") ? "30, 70" : "5, 70",
          {std::string(shape) + "xi32", std::string(shape) + "x" + element},
          {"7x70x" + std::string(element)},
          "%0 = amp.scatter_add %a0, %a1 axis 0 : tensor<" +
              std::string(shape) + "xi32>, " + tensor(shape) + " -> " +
              tensor("7x70") + "\namp.yield %0 : " + tensor("7x70")));
  }
}

TEST(Nvrtc, WideMapsOfNarrowTypes) {
  // Eight elements a thread.
  expectCompiles(groupModule(
      "map", "1024, 1024", {"1024x1024xbf16", "1024x1024xf16", "1024x1024xi1"},
      {"1024x1024xbf16", "1024x1024xf16", "1024x1024xf8E4M3FN"}, R"(
      %0 = amp.exp %a0 : tensor<1024x1024xbf16>
      %1 = amp.select %a2, %a1, %a1 : tensor<1024x1024xf16>
      %2 = amp.cast %a1 origin user : tensor<1024x1024xf16> -> tensor<1024x1024xf8E4M3FN>
      amp.yield %0, %1, %2 : tensor<1024x1024xbf16>, tensor<1024x1024xf16>, tensor<1024x1024xf8E4M3FN>)"));
}

TEST(Nvrtc, TensorsThatNeedWideIndices) {
  // 2^31 elements: a map, rows and columns.
  const std::string space = "65536, 32768", type = "tensor<65536x32768xf32>";
  expectCompiles(
      groupModule("map", space, {"65536x32768xf32"}, {"65536x32768xf32"},
                  "%0 = amp.neg %a0 : " + type + "\namp.yield %0 : " + type));
  for (const char *kind : {"row", "column"}) {
    bool isRow = kind == std::string("row");
    std::string to = isRow ? "65536xf32" : "32768xf32",
                result = "tensor<" + to + ">";
    expectCompiles(groupModule(kind, space, {"65536x32768xf32"}, {to},
                               std::string("%0 = amp.reduce sum %a0 over [") +
                                   (isRow ? "1" : "0") + "] order " + kind +
                                   " accumulate f32 : " + type + " -> " +
                                   result + "\namp.yield %0 : " + result));
  }
}
