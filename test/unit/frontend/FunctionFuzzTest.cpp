// Every built-in function on arguments drawn from a pool of odd values: it ends
// with errors or with a module that verifies, never otherwise.
#include "test/unit/frontend/Load.h"

#include "ir/frontend/model/FunctionTable.h"
#include "mlir/IR/Verifier.h"

#include <random>

using namespace ampc::model;

namespace {

constexpr const char *kInputs = "  input s: f32[]\n"
                                "  input v: f32[4]\n"
                                "  input x: f32[4, 6]\n"
                                "  input y: bf16[2, 1, 6]\n"
                                "  input q: f32[2, 4, 3, 6]\n"
                                "  input e: f32[0, 3]\n"
                                "  input i: i64[4]\n"
                                "  input j: i8[4, 6]\n"
                                "  input b: bool[4, 6]\n"
                                "  input d: f64[4, 6]\n";

constexpr const char *kPool[] = {"s",
                                 "v",
                                 "x",
                                 "x",
                                 "y",
                                 "q",
                                 "e",
                                 "i",
                                 "i",
                                 "j",
                                 "b",
                                 "d",
                                 "0",
                                 "1",
                                 "2",
                                 "3",
                                 "-1",
                                 "-7",
                                 "6",
                                 "0.5",
                                 "-2.5",
                                 "1e300",
                                 "1e-300",
                                 "none",
                                 "true",
                                 "false",
                                 "\"sum\"",
                                 "\"tanh\"",
                                 "f16",
                                 "i32",
                                 "[]",
                                 "[0]",
                                 "[1, 0]",
                                 "[x, x]",
                                 "[v, i]",
                                 "[2, -1]",
                                 "[4, 6]",
                                 "[1, 1]",
                                 "[-3, 2]",
                                 "[[1, 2], [3]]",
                                 "281474976710656",
                                 "-9223372036854775807",
                                 "9223372036854775807",
                                 "[4611686018427387904, 4]"};

TEST(FunctionFuzz, EveryFunctionSurvivesOddArguments) {
  FunctionTable functions;
  std::vector<std::string> names;
  functions.forEachName([&](llvm::StringRef name) {
    if (functions.find(name))
      names.push_back(name.str());
  });
  llvm::sort(names); // the table has no order
  std::mt19937 random(1);
  unsigned made = 0;
  for (const std::string &name : names) {
    size_t formals = functions.find(name)->formals.size();
    for (int round = 0; round < 40; ++round) {
      std::string call = name + "(";
      for (size_t i = 0; i < formals && (i == 0 || random() % 8); ++i)
        call +=
            (i ? ", " : "") + std::string(kPool[random() % std::size(kPool)]);
      std::string text = "model m {\n" + std::string(kInputs) +
                         "  r = " + call + ")\n  output o = v\n}\n";
      Loaded loaded(text);
      EXPECT_EQ(loaded.diagnostics.failed(), !loaded.module) << call;
      if (!loaded.module)
        continue;
      ++made;
      EXPECT_TRUE(mlir::succeeded(mlir::verify(*loaded.module))) << call;
    }
  }
  EXPECT_GT(made, 500u);
}

} // namespace
