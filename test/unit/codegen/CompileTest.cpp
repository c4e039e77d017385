// Compiling of several kernels: threads and kept objects change no byte, names
// are no part of what an object depends on.
#include "codegen/cpu/CpuLevel.h"
#include "codegen/emit/EmitPlan.h"
#include "test/unit/codegen/Program.h"

#include <gtest/gtest.h>
#include <map>

using namespace ampc;
using namespace ampc::test;

namespace {

/// A placed module with a chain of kernels, no two alike; `name` is the first
/// part of their names.
std::string chain(const std::string &name, int kernels) {
  std::string text =
      "module attributes {amp.stage = #amp.stage<placed>} {\n"
      "func.func @infer(%v0: tensor<64xf32> {amp.name = \"x\", amp.io = "
      "#amp.io<input>, amp.place = #amp.place<input, 0>}) -> (tensor<64xf32> "
      "{amp.name = \"y\", amp.io = #amp.io<output>}) attributes {amp.entry = "
      "#amp.entry<infer>, amp.arena_bytes = 65536 : i64} {\n";
  for (int i = 1; i <= kernels; ++i) {
    std::string before = "%v" + std::to_string(i - 1),
                after = "%v" + std::to_string(i),
                place = std::to_string(i * 256);
    text += after + " = amp.group map [64] (" + before +
            ") {amp.place = [#amp.place<arena, " + place +
            ">]} : (tensor<64xf32>) -> (tensor<64xf32>) {\n^bb0(%a: "
            "tensor<64xf32>):\n%c0 = amp.add %a, %a : tensor<64xf32>\n";
    for (int j = 1; j <= i; ++j)
      text += "%c" + std::to_string(j) + " = amp.mul %c" +
              std::to_string(j - 1) + ", %a : tensor<64xf32>\n";
    text += "amp.yield %c" + std::to_string(i) +
            " : tensor<64xf32>\n} loc(fused<\"x\">[\"" + name +
            std::to_string(i) + "\"(\"t.amp\":4:7)])\n";
  }
  return text + "return %v" + std::to_string(kernels) +
         " : tensor<64xf32>\n}\n}\n";
}

/// A product of bf16 for a target with a matrix unit.
constexpr const char *kUnitProduct =
    "module attributes {amp.stage = #amp.stage<placed>, amp.target = "
    "#amp.target<kind = \"cpu\", level = \"amx\", vector_bytes = 64, "
    "cache_bytes = 2097152, bandwidth = 10.0, launch_ns = 2000.0, fast = "
    "[bf16]>} {\n"
    "func.func @infer(%a: tensor<16x32xbf16> {amp.name = \"a\", amp.io = "
    "#amp.io<input>, amp.place = #amp.place<input, 0>}) -> (tensor<16x16xf32> "
    "{amp.name = \"y\", amp.io = #amp.io<output>}) attributes {amp.entry = "
    "#amp.entry<infer>, amp.arena_bytes = 0 : i64} {\n"
    "%y = amp.group contraction [16, 16] (%a) {amp.place = "
    "[#amp.place<output, 0>]} : (tensor<16x32xbf16>) -> tensor<16x16xf32> {\n"
    "^bb0(%x: tensor<16x32xbf16>):\n"
    "%c = amp.matmul %x, %x transpose_b accumulate f32 : tensor<16x32xbf16>, "
    "tensor<16x32xbf16> -> tensor<16x16xf32>\n"
    "amp.yield %c : tensor<16x16xf32>\n}\n"
    "return %y : tensor<16x16xf32>\n}\n}\n";

std::vector<uint8_t> planOf(const std::string &text,
                            const EmitOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
  llvm::FailureOr<std::vector<uint8_t>> bytes = emitPlan(*module, options);
  EXPECT_TRUE(mlir::succeeded(bytes));
  return mlir::succeeded(bytes) ? *bytes : std::vector<uint8_t>();
}

/// Objects in memory.
class MemoryStore : public ObjectStore {
public:
  std::optional<llvm::SmallVector<char, 0>>
  find(llvm::StringRef source) override {
    auto found = objects.find(source.str());
    if (found == objects.end())
      return std::nullopt;
    return found->second;
  }
  void store(llvm::ArrayRef<Entry> entries) override {
    for (const Entry &entry : entries)
      objects[entry.source.str()].assign(entry.object.begin(),
                                         entry.object.end());
  }
  std::map<std::string, llvm::SmallVector<char, 0>> objects;
};

struct Counted {
  size_t kernels = 0, found = 0;
  EmitOptions options(ObjectStore *store) {
    EmitOptions options;
    options.store = store;
    options.counts = [this](size_t all, size_t kept) {
      kernels = all;
      found = kept;
    };
    return options;
  }
};

} // namespace

TEST(Compile, ThreadsChangeNoByte) {
  std::string text = chain("a", 9);
  EmitOptions one;
  one.threads = 1;
  std::vector<uint8_t> serial = planOf(text, one);
  for (unsigned threads : {2, 3, 16}) {
    EmitOptions options;
    options.threads = threads;
    EXPECT_EQ(planOf(text, options), serial) << threads << " threads";
  }
}

TEST(Compile, KeptObjectsChangeNoByte) {
  std::string text = chain("a", 5);
  std::vector<uint8_t> plain = planOf(text, {});
  MemoryStore store;
  Counted counted;
  EXPECT_EQ(planOf(text, counted.options(&store)), plain);
  EXPECT_EQ(counted.kernels, 5u);
  EXPECT_EQ(counted.found, 0u);
  EXPECT_EQ(store.objects.size(), 5u);
  EXPECT_EQ(planOf(text, counted.options(&store)), plain);
  EXPECT_EQ(counted.found, 5u);
  // Some of them.
  store.objects.erase(store.objects.begin());
  EXPECT_EQ(planOf(text, counted.options(&store)), plain);
  EXPECT_EQ(counted.found, 4u);
  EXPECT_EQ(store.objects.size(), 5u) << "it is kept again";
}

TEST(Compile, ObjectsDependOnLoopsAndLevelNotOnNames) {
  MemoryStore store;
  Counted counted;
  planOf(chain("a", 3), counted.options(&store));
  planOf(chain("b", 4), counted.options(&store));
  EXPECT_EQ(counted.kernels, 4u);
  EXPECT_EQ(counted.found, 3u);
  for (const CpuLevel &level : cpuLevels()) { // the first were for the host's
    EmitOptions options = counted.options(&store);
    options.level = level.name.str();
    planOf(chain("a", 3), options);
    EXPECT_EQ(counted.found, &level == hostCpuLevel() ? 3u : 0u)
        << options.level;
  }
}

TEST(Compile, KernelsOfAPlanRun) {
  Program program(chain("a", 3), "host");
  std::vector<float> x(64);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 1 + float(i) / 64;
  auto expected = x;
  for (int kernel = 1; kernel <= 3; ++kernel)
    for (float &value : expected) {
      float result = value + value;
      for (int j = 1; j <= kernel; ++j)
        result = result * value;
      value = result;
    }
  EXPECT_EQ(valuesOf<float>(program.run("infer", {bytesOf(x)})[0]), expected);
}

TEST(Compile, MatrixUnitNeedsItsLevel) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(kUnitProduct);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(module->getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message += diagnostic.str();
                                          return mlir::success();
                                        });
  EmitOptions options;
  options.level = "avx512";
  EXPECT_TRUE(mlir::failed(emitPlan(*module, options)));
  EXPECT_EQ(message,
            "multiplies in AMX, which level avx512 lacks; expected level amx");
}
