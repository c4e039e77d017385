// The software NVRTC: options, messages, images, the cache.
#include "test/hostgpu/Harness.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace ampc::hostgpu::test {
namespace {

const char *const kOne = R"(
// extern "C" __global__ void commented(int *x) {}
extern "C" __global__ void declared(int *x);
extern "C" __global__ __launch_bounds__(2 * 64, 2) void one(int *x) { x[0] = 1; }
extern "C" __global__ void declared(int *x) { x[0] = 2; }
static const char *text = "extern \"C\" __global__ void quoted(int *x) {}";
__global__ void mangled(int *x) { x[0] = 3; }
)";

std::vector<std::string> options(const std::string &arch,
                                 std::vector<std::string> more = {}) {
  more.insert(more.begin(), "--gpu-architecture=" + arch);
  return more;
}

class Compiler : public DeviceTest {
protected:
  CUresult load(const std::string &image, CUmodule &module) {
    return lib().cuModuleLoadData(&module, image.data());
  }
};

TEST_F(Compiler, KnowsTheArchitectures) {
  int count = 0;
  ASSERT_EQ(lib().nvrtcGetNumSupportedArchs(&count), 0);
  std::vector<int> archs(size_t(count), 0);
  ASSERT_EQ(lib().nvrtcGetSupportedArchs(archs.data()), 0);
  EXPECT_EQ(archs.front(), 75);
  EXPECT_EQ(archs.back(), 121);
  for (int arch : archs)
    EXPECT_EQ(compile(kOne, options("sm_" + std::to_string(arch))).result, 0);
  EXPECT_EQ(compile(kOne, {"-arch=sm_90a", "-std=c++17", "-fmad=false"}).result,
            0);
  EXPECT_EQ(compile(kOne, {"-arch", "sm_80"}).result, 0);
  for (const char *arch : {"sm_70", "sm_81", "sm_", "80", ""})
    EXPECT_EQ(compile(kOne, options(arch)).result, 5) << arch;
}

TEST_F(Compiler, RefusesOptionsItDoesNotKnow) {
  EXPECT_EQ(compile(kOne, options("sm_80",
                                  {"--diag-suppress=177", "--ptxas-options=-v",
                                   "-default-device", "--no-cache"}))
                .result,
            0);
  for (const char *option : {"--use_fast_math", "-O3", "fmad", "--fmad=maybe",
                             "--std=c++98", "-default-device=1"}) {
    Program program = compile(kOne, options("sm_80", {option}));
    EXPECT_EQ(program.result, 5) << option;
    EXPECT_NE(program.log, "") << option;
  }
}

TEST_F(Compiler, ErrorsNameTheLineOfTheText) {
  Program program = compile("\nextern \"C\" __global__ void f(float *x) {\n"
                            "  x[0] = missing;\n}\n",
                            options("sm_80"), "gpt.cu");
  EXPECT_EQ(program.result, 6);
  EXPECT_EQ(program.log.find("gpt.cu(3): error: "), 0u) << program.log;
  EXPECT_NE(program.log.find("missing"), std::string::npos) << program.log;
  EXPECT_NE(
      program.log.find("1 error detected in the compilation of \"gpt.cu\"."),
      std::string::npos)
      << program.log;
  EXPECT_TRUE(program.cubin.empty());
  // Lines follow the text's own directives.
  program = compile("#line 42 \"gpt.amp\"\nint x = y;\n", options("sm_80"));
  EXPECT_EQ(program.log.find("gpt.amp(42): error: "), 0u) << program.log;
  EXPECT_STREQ(lib().nvrtcGetErrorString(6), "NVRTC_ERROR_COMPILATION");
}

TEST_F(Compiler, HasNoHeaders) {
  EXPECT_EQ(compile("#include <math.h>\n", options("sm_80")).result, 6);
  EXPECT_EQ(compile("float x = INFINITY;\n", options("sm_80")).result, 6);
}

TEST_F(Compiler, FindsKernelsWithCLinkage) {
  Program program = compile(kOne);
  ASSERT_EQ(program.result, 0) << program.log;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(load(program.cubin, module), CUDA_SUCCESS);
  for (const char *name : {"one", "declared"})
    EXPECT_EQ(lib().cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
  for (const char *name : {"commented", "quoted", "mangled"})
    EXPECT_EQ(lib().cuModuleGetFunction(&function, module, name),
              CUDA_ERROR_NOT_FOUND)
        << name;
  EXPECT_EQ(lib().cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(lib().cuModuleGetFunction(&function, module, "one"),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Compiler, LaunchesKeepToTheBounds) {
  CUfunction one = kernel(kOne, "one");
  int value = 0;
  EXPECT_EQ(lib().cuFuncGetAttribute(
                &value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, one),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 128);
  CUdeviceptr x = allocate(4);
  EXPECT_EQ(launch(one, 1, 128, {x}), CUDA_SUCCESS);
  for (auto [grid, block, shared] : std::vector<std::array<unsigned, 3>>{
           {1, 129, 0}, {0, 32, 0}, {1, 0, 0}, {1, 32, 48 * 1024 + 1}})
    EXPECT_EQ(launch(one, grid, block, {x}, nullptr, shared),
              CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(lib().cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, one, 128,
                                                              25 * 1024),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 4);
}

TEST_F(Compiler, ImagesAreForTheirArchitecture) {
  start({{"AMPC_HOSTGPU_CAPABILITY", "8.6"}});
  CUmodule module = nullptr;
  EXPECT_EQ(load(compile(kOne, options("sm_80")).cubin, module), CUDA_SUCCESS);
  EXPECT_EQ(load(compile(kOne, options("sm_89")).cubin, module),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(load(compile(kOne, options("sm_75")).cubin, module),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  Program portable = compile(kOne, options("compute_75"));
  EXPECT_TRUE(portable.cubin.empty());
  EXPECT_EQ(load(portable.ptx, module), CUDA_SUCCESS);
  EXPECT_EQ(load(compile(kOne, options("compute_90")).ptx, module),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load("a file of another kind", module), CUDA_ERROR_INVALID_IMAGE);
}

TEST_F(Compiler, ContractionIsAsAsked) {
  const std::string text = R"(
extern "C" __global__ void f(float *x) { x[3] = x[0] * x[1] + x[2]; }
)";
  // (1 + e)(1 - e) - 1 is -e^2 with one rounding and 0 with two.
  float e = 0x1p-20f;
  for (bool contracts : {false, true}) {
    Program program = compile(
        text, options("sm_80", {contracts ? "--fmad=true" : "--fmad=false"}));
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_EQ(load(program.cubin, module), CUDA_SUCCESS) << program.log;
    ASSERT_EQ(lib().cuModuleGetFunction(&function, module, "f"), CUDA_SUCCESS);
    CUdeviceptr x = upload(std::vector<float>{1 + e, 1 - e, -1, 0});
    launch(function, 1, 1, {x});
    EXPECT_EQ(download<float>(x, 4)[3], contracts ? -e * e : 0.0f);
  }
}

TEST_F(Compiler, ThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  std::array<Program, 4> programs;
  for (size_t i = 0; i < programs.size(); ++i)
    threads.emplace_back([&, i] {
      programs[i] = compile("extern \"C\" __global__ void f(int *x) { x[0] = " +
                            (i == 2 ? "y" : std::to_string(i)) + "; }");
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < programs.size(); ++i)
    EXPECT_EQ(programs[i].result, i == 2 ? 6 : 0) << programs[i].log;
}

TEST_F(Compiler, TheVersionFollowsTheDefinition) {
  int major = 0, minor = 0, again = 0;
  ASSERT_EQ(lib().nvrtcVersion(&major, &minor), 0);
  EXPECT_EQ(major, 13);
  ASSERT_EQ(lib().nvrtcVersion(&major, &again), 0);
  EXPECT_EQ(minor, again);
  // What was compiled for one kind of checks is not kept for another.
  for (const char *check : {"off", "full"}) {
    start({{"AMPC_HOSTGPU_CHECK", check}});
    ASSERT_EQ(lib().nvrtcVersion(&major, &again), 0);
    EXPECT_NE(minor, again) << check;
  }
}

TEST_F(Compiler, TheCacheHoldsObjectsByContent) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) /
                    ("ampc-hostgpu-cache-" + std::to_string(getpid()));
  fs::remove_all(folder);
  start({{"AMPC_HOSTGPU_CACHE", folder.string()}});
  auto files = [&] {
    return std::distance(fs::directory_iterator(folder),
                         fs::directory_iterator());
  };
  Program first = compile(kOne);
  ASSERT_EQ(first.result, 0);
  EXPECT_EQ(files(), 1);
  // Another compiler would make another object.
  setenv("AMPC_HOSTGPU_COMPILER", "/nonexistent/compiler", 1);
  Program second = compile(std::string(kOne) + "// another\n");
  EXPECT_EQ(second.result, 6);
  EXPECT_NE(second.log.find("could not be run"), std::string::npos)
      << second.log;
  unsetenv("AMPC_HOSTGPU_COMPILER");
  EXPECT_EQ(compile(kOne).cubin, first.cubin);
  EXPECT_EQ(files(), 1);
  std::ofstream(fs::directory_iterator(folder)->path()) << "kept";
  EXPECT_NE(compile(kOne).cubin, first.cubin); // it is what is read
  EXPECT_EQ(compile("int x = y;").result, 6);
  EXPECT_EQ(files(), 1); // failures are not kept
  fs::remove_all(folder);
}

} // namespace
} // namespace ampc::hostgpu::test
