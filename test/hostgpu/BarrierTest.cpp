// What a missing barrier, a barrier that threads part at and a warp operation
// that lanes do not meet in look like: named by the checks for every seed, and
// wrong numbers for some seed where the checks are off.
#include "test/hostgpu/Harness.h"

#include <cstdlib>

namespace ampc::hostgpu::test {
namespace {

constexpr int kThreads = 128, kRows = 4;

/// Each row of x reversed, through shared memory; the barriers are parameters.
std::string reverseText(bool afterWrite, bool afterRead) {
  return std::string(R"(
extern "C" __global__ __launch_bounds__(128) void reverse(const float *x, float *y, int rows) {
  AMPC_SHARED(float, row_values, 128);
  for (int row = 0; row < rows; ++row) {
    row_values[threadIdx.x] = x[row * 128 + threadIdx.x];
    )") + (afterWrite ? "__syncthreads();" : "") +
         R"(
    y[row * 128 + threadIdx.x] = row_values[127 - threadIdx.x];
    )" + (afterRead ? "__syncthreads();" : "") +
         R"(
  }
  __syncthreads();
}
)";
}

class Barriers : public DeviceTest {
protected:
  std::vector<float> input() {
    std::vector<float> x(kThreads * kRows);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i);
    return x;
  }

  /// Runs the reversal; empty when the device failed.
  std::vector<float> reverse(bool afterWrite, bool afterRead) {
    CUfunction function = kernel(reverseText(afterWrite, afterRead), "reverse");
    CUdeviceptr x = upload(input()), y = allocate(kThreads * kRows * 4);
    EXPECT_EQ(synchronize(), CUDA_SUCCESS);
    CUresult launched = launch(function, 1, kThreads, {x, y, kRows});
    if (launched != CUDA_SUCCESS || synchronize() != CUDA_SUCCESS)
      return {};
    return download<float>(y, kThreads * kRows);
  }
  bool isReversed(const std::vector<float> &y) {
    for (int i = 0; i < kThreads * kRows; ++i)
      if (y[size_t(i)] !=
          float(i / kThreads * kThreads + kThreads - 1 - i % kThreads))
        return false;
    return true;
  }

  /// Runs a kernel without arguments; the report of its failure.
  std::string failure(const std::string &body, unsigned threads = 64) {
    CUfunction function = kernel(
        "extern \"C\" __global__ void broken(int *out) {\n" + body + "\n}",
        "broken");
    CUdeviceptr out = allocate(4096 * 4);
    EXPECT_EQ(synchronize(), CUDA_SUCCESS);
    CUresult result = launch(function, 1, threads, {out});
    if (result == CUDA_SUCCESS)
      result = synchronize();
    EXPECT_EQ(result, CUDA_ERROR_LAUNCH_FAILED);
    return report();
  }
};

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << text

TEST_F(Barriers, CompleteKernelRuns) {
  for (int seed = 1; seed <= 8; ++seed) {
    startSeed(seed);
    std::vector<float> y = reverse(true, true);
    ASSERT_FALSE(y.empty()) << report();
    EXPECT_TRUE(isReversed(y)) << seed;
  }
}

TEST_F(Barriers, ReadAfterWriteIsNamedForEverySeed) {
  for (int seed = 1; seed <= 8; ++seed) {
    startSeed(seed);
    EXPECT_TRUE(reverse(false, true).empty()) << seed;
    EXPECT_HAS(report(), "shared array 'row_values'");
    EXPECT_HAS(report(), "kernel 'reverse', block (0, 0, 0), thread (");
  }
}

TEST_F(Barriers, WriteAfterReadIsNamedForEverySeed) {
  for (int seed = 1; seed <= 8; ++seed) {
    startSeed(seed);
    EXPECT_TRUE(reverse(true, false).empty()) << seed;
    EXPECT_HAS(report(), "with no barrier between them: byte ");
    EXPECT_HAS(report(), "shared array 'row_values'");
  }
}

TEST_F(Barriers, WithoutChecksTheNumbersAreWrong) {
  int wrongRead = 0, wrongWrite = 0;
  for (int seed = 1; seed <= 8; ++seed) {
    start({{"AMPC_HOSTGPU_SEED", std::to_string(seed)},
           {"AMPC_HOSTGPU_CHECK", "off"}});
    std::vector<float> complete = reverse(true, true);
    ASSERT_FALSE(complete.empty()) << report();
    EXPECT_TRUE(isReversed(complete)) << seed;
    wrongRead += !isReversed(reverse(false, true));
    wrongWrite += !isReversed(reverse(true, false));
  }
  EXPECT_GE(wrongRead, 4);
  EXPECT_GE(wrongWrite, 4);
}

TEST_F(Barriers, DynamicSharedMemoryIsChecked) {
  CUfunction function = kernel(R"(
extern "C" __global__ void turn(float *x) {
  AMPC_DYNAMIC_SHARED(float, values);
  values[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}
)",
                               "turn");
  CUdeviceptr x = upload(input());
  ASSERT_EQ(launch(function, 1, 64, {x}, nullptr, 256), CUDA_SUCCESS);
  EXPECT_EQ(synchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_HAS(report(), "of dynamic shared memory");
}

TEST_F(Barriers, LanesNeedABarrierOfTheirWarp) {
  const std::string before = R"(
extern "C" __global__ void turn(int *x) {
  AMPC_SHARED(int, values, 32);
  values[threadIdx.x] = threadIdx.x;
  )",
                    after = R"(
  x[threadIdx.x] = values[31 - threadIdx.x];
}
)";
  CUdeviceptr x = allocate(128);
  CUfunction good = kernel(before + "__syncwarp();" + after, "turn");
  ASSERT_EQ(launch(good, 1, 32, {x}), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(x, 32)[3], 28);
  CUfunction bad = kernel(before + after, "turn");
  launch(bad, 1, 32, {x});
  EXPECT_EQ(synchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_HAS(report(), "shared array 'values'");
}

TEST_F(Barriers, UnwrittenSharedMemoryIsNamed) {
  std::string text = failure(R"(
  AMPC_SHARED(int, values, 64);
  if (threadIdx.x != 7) values[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];)");
  EXPECT_HAS(text, "thread (7, 0, 0)");
  EXPECT_HAS(text, "reads what no thread of the block wrote: byte 28");
}

TEST_F(Barriers, UnwrittenSharedMemoryIsNotANumber) {
  start({{"AMPC_HOSTGPU_CHECK", "off"}});
  CUfunction function = kernel(R"(
extern "C" __global__ void leak(float *out) {
  AMPC_SHARED(float, values, 64);
  if (threadIdx.x > 100) values[threadIdx.x - 64] = 1;
  out[threadIdx.x] = values[threadIdx.x];
}
)",
                               "leak");
  CUdeviceptr out = allocate(256);
  ASSERT_EQ(launch(function, 2, 64, {out}), CUDA_SUCCESS);
  for (float value : download<float>(out, 64))
    EXPECT_NE(value, value);
}

TEST_F(Barriers, SharedArraysHaveBounds) {
  std::string text = failure(R"(
  AMPC_SHARED(int, first, 64);
  AMPC_SHARED(int, second, 64);
  second[threadIdx.x] = 0;
  first[threadIdx.x + (threadIdx.x == 63)] = 1;)");
  EXPECT_HAS(text, "writes outside shared memory, 0 bytes behind byte 255 of "
                   "shared array 'first'");
}

TEST_F(Barriers, EarlyExitIsNamed) {
  std::string text = failure("  if (threadIdx.x == 40) return;\n"
                             "  __syncthreads();\n"
                             "  out[threadIdx.x] = 1;");
  EXPECT_HAS(text, "thread 0 waits at the barrier of line 3, "
                   "thread 40 has ended");
}

TEST_F(Barriers, DifferentBarriersAreNamed) {
  std::string text = failure("  if (threadIdx.x < 32)\n"
                             "    __syncthreads();\n"
                             "  else\n"
                             "    __syncthreads();\n"
                             "  out[threadIdx.x] = 1;");
  EXPECT_HAS(text, "threads of one block do not meet");
}

TEST_F(Barriers, ABarrierForSomeEndsTheLaunch) {
  std::string text = failure("  if (threadIdx.x < 32)\n"
                             "    __syncthreads();\n"
                             "  out[threadIdx.x] = 1;");
  EXPECT_HAS(text, "thread 0 waits at the barrier of line 3, "
                   "thread 32 has ended");
}

TEST_F(Barriers, LanesThatDoNotMeetAreNamed) {
  std::string text =
      failure("  if (threadIdx.x < 16)\n"
              "    out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1, 1);\n"
              "  else\n"
              "    out[threadIdx.x] = __ballot_sync(0xffffffffu, 1);");
  EXPECT_HAS(text, "lanes of one warp do not meet");
}

TEST_F(Barriers, AWaitForALaneThatEndedIsNamed) {
  std::string text = failure("  if (threadIdx.x == 3) return;\n"
                             "  __syncwarp();");
  // Whether the lane ends before or after the others arrive is the seed's.
  EXPECT_TRUE(text.find("lane 3, which has ended") != std::string::npos ||
              text.find("thread 3 has ended") != std::string::npos)
      << text;
}

TEST_F(Barriers, MasksAreHeld) {
  EXPECT_HAS(failure("  out[threadIdx.x] = __ballot_sync(0xfffffffeu, 1);"),
             "the mask leaves out the lane that calls, 0");
  startSeed(1);
  EXPECT_HAS(failure("  if (threadIdx.x % 32 < 8)\n"
                     "    out[threadIdx.x] = __shfl_sync(0xffu, 1, 9);"),
             "reads lane 9, which the mask leaves out");
}

} // namespace
} // namespace ampc::hostgpu::test
