// Every form of map kernel as CUDA text, compiled by NVRTC to cubin for three
// architectures. Needs the toolkit's library and no GPU; without the library
// the tests are skipped and say so.
#include "codegen/emit/EmitPlan.h"
#include "test/unit/codegen/Program.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace ampc;
using namespace ampc::test;

namespace {

/// The few entry points of NVRTC that compiling needs.
struct Nvrtc {
  using Handle = void *;
  int (*create)(Handle *, const char *, const char *, int, const char *const *,
                const char *const *) = nullptr;
  int (*compile)(Handle, int, const char *const *) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*logSize)(Handle, size_t *) = nullptr;
  int (*log)(Handle, char *) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;

  bool load(const std::string &folder) {
    // By absolute path NVRTC finds its built-in functions only when they are
    // loaded already. The
    // `.alt` libraries are other builds: the name must end in a version.
    std::error_code error;
    std::string library, builtins;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         it != end && !error; it.increment(error)) {
      llvm::StringRef name = llvm::sys::path::filename(it->path());
      if (name.contains(".alt"))
        continue;
      if (name.starts_with("libnvrtc-builtins.so."))
        builtins = std::max(builtins, it->path());
      else if (name.starts_with("libnvrtc.so."))
        library = std::max(library, it->path());
    }
    if (library.empty())
      return false;
    if (!builtins.empty())
      dlopen(builtins.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void *handle = dlopen(library.c_str(), RTLD_NOW);
    if (!handle)
      return false;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(handle, name));
      return function != nullptr;
    };
    return find(create, "nvrtcCreateProgram") &&
           find(compile, "nvrtcCompileProgram") &&
           find(destroy, "nvrtcDestroyProgram") &&
           find(logSize, "nvrtcGetProgramLogSize") &&
           find(log, "nvrtcGetProgramLog") &&
           find(cubinSize, "nvrtcGetCUBINSize");
  }
};

/// NVRTC from CUDA_HOME or the toolkit's usual places; null when it is nowhere.
const Nvrtc *nvrtc() {
  static Nvrtc functions;
  static bool found = [] {
    std::vector<std::string> folders;
    if (const char *home = std::getenv("CUDA_HOME"))
      for (const char *below : {"/lib64", "/lib", "/targets/x86_64-linux/lib"})
        folders.push_back(std::string(home) + below);
    folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/opt/cuda/lib64",
                                   "/usr/lib/x86_64-linux-gnu", "/usr/lib64"});
    for (const std::string &folder : folders)
      if (functions.load(folder))
        return true;
    return false;
  }();
  return found ? &functions : nullptr;
}

void expectCompiles(const std::string &module) {
  const Nvrtc *library = nvrtc();
  if (!library)
    GTEST_SKIP() << "skipped: NVRTC not found";
  mlir::OwningOpRef<mlir::ModuleOp> parsed = parse(module);
  auto text = emitCudaText(*parsed, {});
  ASSERT_TRUE(mlir::succeeded(text));
  for (const char *arch : {"sm_75", "sm_80", "sm_90"}) {
    Nvrtc::Handle program = nullptr;
    ASSERT_EQ(library->create(&program, text->c_str(), "kernels.cu", 0, nullptr,
                              nullptr),
              0);
    std::string target = std::string("-arch=") + arch;
    const char *options[] = {target.c_str(), "--std=c++17",
                             "--fmad=false", "-default-device",
                             "--no-cache",   "--diag-suppress=177"};
    int result = library->compile(program, std::size(options), options);
    size_t size = 0;
    library->logSize(program, &size);
    std::string log(size, 0);
    library->log(program, log.data());
    EXPECT_EQ(result, 0) << arch << "\n" << log << "\n" << *text;
    size_t cubin = 0;
    if (result == 0)
      library->cubinSize(program, &cubin);
    EXPECT_GT(cubin, 1000u) << arch;
    library->destroy(&program);
  }
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
  expectCompiles(groupModule(
      "map", "64", {"64xf32", "64xf64", "64xi32", "64xi64", "64xi1"}, results,
      body + "amp.yield " + yields + " : " + types));
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
