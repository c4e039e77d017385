// Device and pinned memory: bounds, poison, exhaustion, and faults that stay.
#include "test/hostgpu/Harness.h"

#include <cstring>

namespace ampc::hostgpu::test {
namespace {

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << text

class Memory : public DeviceTest {
protected:
  /// Runs `x[index] = 1` or `y[0] = x[index]` in thread 5 of block 1.
  CUresult touch(bool write, CUdeviceptr x, long long index) {
    CUfunction function = kernel(R"(
extern "C" __global__ void touch(float *x, float *y, long long index, int write) {
  if (blockIdx.x != 1 || threadIdx.x != 5) return;
  if (write) x[index] = 1; else y[0] = x[index];
}
)",
                                 "touch");
    CUdeviceptr y = allocate(4);
    CUresult result =
        launch(function, 2, 32, {x, y, uint64_t(index), uint64_t(write)});
    return result != CUDA_SUCCESS ? result : synchronize();
  }
};

TEST_F(Memory, IsNotANumberUntilWritten) {
  CUdeviceptr x = allocate(1000);
  for (float value : download<float>(x, 250))
    EXPECT_NE(value, value);
  start({{"AMPC_HOSTGPU_POISON", "0x11"}});
  EXPECT_EQ(download<unsigned>(allocate(4), 1)[0], 0x11111111u);
}

TEST_F(Memory, AnotherPoisonTellsWhoReadsIt) {
  const std::string text = R"(
extern "C" __global__ void sum(const int *x, int *y, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  y[0] = sum;
}
)";
  // The buffer has 8 numbers, of which 7 are written.
  auto run = [&](const char *poison, int n) {
    start({{"AMPC_HOSTGPU_POISON", poison}});
    CUdeviceptr x = allocate(32), y = allocate(4);
    EXPECT_EQ(lib().cuMemsetD32Async(x, 5, 7, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(launch(kernel(text, "sum"), 1, 1, {x, y, uint64_t(n)}),
              CUDA_SUCCESS);
    return download<int>(y, 1)[0];
  };
  EXPECT_EQ(run("0xff", 7), run("0x55", 7));
  EXPECT_NE(run("0xff", 8), run("0x55", 8));
}

TEST_F(Memory, ReadsAndWritesPastTheEndAreNamed) {
  for (bool write : {false, true}) {
    startSeed(1);
    CUdeviceptr x = allocate(1024);
    EXPECT_EQ(touch(write, x, 255), CUDA_SUCCESS);
    EXPECT_EQ(touch(write, x, 256), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_HAS(report(), "kernel 'touch', block (1, 0, 0), thread (5, 0, 0): ");
    EXPECT_HAS(report(),
               write ? "writes device address" : "reads device address");
    EXPECT_HAS(report(), "0 bytes past the end of the 1024 bytes at");
  }
}

TEST_F(Memory, AFarAddressIsNamed) {
  CUdeviceptr x = allocate(1024);
  EXPECT_EQ(touch(false, x, -(1 << 20)), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Memory, WritesIntoTheSlackAreFound) {
  // 40 bytes: behind them the allocation is filled up to its alignment.
  CUdeviceptr x = allocate(40);
  EXPECT_EQ(touch(true, x, 10), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_HAS(report(), "kernel 'touch': a write 0 bytes past the end of the 40 "
                       "bytes");
  startSeed(1);
  EXPECT_EQ(touch(true, allocate(40), -1), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_HAS(report(), "bytes before the 40 bytes at");
}

TEST_F(Memory, UseAfterFreeIsNamed) {
  CUdeviceptr x = allocate(1024);
  ASSERT_EQ(lib().cuMemFree_v2(x), CUDA_SUCCESS);
  EXPECT_EQ(touch(false, x, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Memory, NullIsNamed) {
  EXPECT_EQ(touch(false, 0, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_HAS(report(), "reads address 0x0");
}

TEST_F(Memory, PageableMemoryIsNoArgument) {
  float host = 0;
  EXPECT_EQ(touch(true, reinterpret_cast<uint64_t>(&host), 0),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_HAS(report(), "argument 0 is a pageable host address");
  startSeed(1);
  void *pinned = nullptr;
  ASSERT_EQ(lib().cuMemHostAlloc(&pinned, 4, 0), CUDA_SUCCESS);
  EXPECT_EQ(touch(true, reinterpret_cast<uint64_t>(pinned), 0), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<float *>(pinned), 1.0f);
}

TEST_F(Memory, TheHostCannotTouchIt) {
  CUdeviceptr x = allocate(4);
  EXPECT_DEATH(*reinterpret_cast<volatile float *>(x) = 1, "");
}

TEST_F(Memory, FaultsStayUntilTheContextGoes) {
  CUdeviceptr x = allocate(1024);
  EXPECT_EQ(touch(true, x, 256), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr y = 0;
  CUstream stream = nullptr;
  EXPECT_EQ(lib().cuMemAlloc_v2(&y, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(lib().cuStreamCreate(&stream, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(lib().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  startSeed(1);
  EXPECT_EQ(touch(true, allocate(1024), 0), CUDA_SUCCESS);
}

TEST_F(Memory, DivisionByZeroAndTrapsEndTheLaunch) {
  CUfunction function = kernel(R"(
extern "C" __global__ void divide(int *x) { x[0] = 7 / x[1]; }
)",
                               "divide");
  CUdeviceptr x = upload(std::vector<int>{0, 0});
  launch(function, 1, 1, {x});
  EXPECT_EQ(synchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_HAS(report(), "kernel 'divide'");
}

TEST_F(Memory, AddressesAreAlignedToTheirType) {
  CUfunction function = kernel(R"(
struct alignas(16) four { float e[4]; };
extern "C" __global__ void move(const float *x, four *y) { *y = *(const four *)x; }
)",
                               "move");
  CUdeviceptr x = upload(std::vector<float>(8, 1.0f)), y = allocate(32);
  launch(function, 1, 1, {x, y});
  EXPECT_EQ(synchronize(), CUDA_SUCCESS);
  launch(function, 1, 1, {x + 8, y});
  EXPECT_EQ(synchronize(), CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_HAS(report(), "an address is not aligned to its type");
  startSeed(1);
  function = kernel(R"(
extern "C" __global__ void move(const char *x, float *y) { *y = *(const float *)(x + 2); }
)",
                    "move");
  launch(function, 1, 1, {upload(std::vector<float>(8, 1.0f)), allocate(4)});
  EXPECT_EQ(synchronize(), CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(Memory, AStackThatOverflowsIsNamed) {
  CUfunction function = kernel(R"(
__noinline__ int deep(int *x, int n) {
  volatile int local[64];
  local[n & 63] = n;
  return n == 0 ? 0 : deep(x, n - 1) + local[n & 63] + x[0];
}
extern "C" __global__ void recurse(int *x) { x[1] = deep(x, 10000); __syncthreads(); }
)",
                               "recurse");
  CUdeviceptr x = upload(std::vector<int>{1, 0});
  launch(function, 1, 32, {x});
  EXPECT_EQ(synchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_HAS(report(), "stack of 65536 bytes overflows");
}

TEST_F(Memory, ExhaustionIsReportedAndUndone) {
  start({{"AMPC_HOSTGPU_MEMORY", "1048576"}});
  size_t free = 0, total = 0;
  CUdeviceptr half = allocate(524288), more = 0;
  ASSERT_EQ(lib().cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(free, 524288u);
  EXPECT_EQ(total, 1048576u);
  EXPECT_EQ(lib().cuMemAlloc_v2(&more, 524289), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(lib().cuMemAlloc_v2(&more, 524288), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuMemFree_v2(half), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuMemAlloc_v2(&more, 524288), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuMemAlloc_v2(&more, size_t(-1)), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(synchronize(), CUDA_SUCCESS);
}

TEST_F(Memory, AnyAllocationCanFail) {
  start({{"AMPC_HOSTGPU_FAIL_ALLOC", "2"}});
  CUdeviceptr x = allocate(4);
  void *pinned = nullptr;
  EXPECT_EQ(lib().cuMemHostAlloc(&pinned, 4, 0), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(lib().cuMemHostAlloc(&pinned, 4, 0), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuMemFree_v2(x), CUDA_SUCCESS);
}

TEST_F(Memory, FreeingTwiceAndTheUnknownIsRefused) {
  CUdeviceptr x = allocate(64);
  EXPECT_EQ(lib().cuMemFree_v2(x + 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(lib().cuMemFree_v2(x), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuMemFree_v2(x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_HAS(report(), "cuMemFree of what is not allocated");
  int host = 0;
  EXPECT_EQ(lib().cuMemFreeHost(&host), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(lib().cuMemFree_v2(0), CUDA_SUCCESS);
}

TEST_F(Memory, CopiesAndFillsHaveBounds) {
  CUdeviceptr x = allocate(64);
  char host[128] = {};
  void *pinned = nullptr;
  ASSERT_EQ(lib().cuMemHostAlloc(&pinned, 32, 0), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuMemcpyHtoDAsync_v2(x, host, 65, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_HAS(report(), "cuMemcpyHtoDAsync of 65 bytes");
  EXPECT_EQ(lib().cuMemcpyHtoDAsync_v2(x + 1, pinned, 32, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(lib().cuMemcpyHtoDAsync_v2(x, pinned, 33, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_HAS(report(), "0 bytes into pinned memory of 32 bytes");
  EXPECT_EQ(lib().cuMemcpyDtoHAsync_v2(host, x + 1, 64, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(lib().cuMemcpyDtoHAsync_v2(pinned, x, 33, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      lib().cuMemcpyHtoDAsync_v2(x, reinterpret_cast<void *>(x), 4, nullptr),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(lib().cuMemcpyDtoDAsync_v2(x, x + 8, 16, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(lib().cuMemsetD8Async(x, 1, 65, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(lib().cuMemsetD32Async(x + 2, 1, 4, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(lib().cuMemsetD16Async(x, 0x0102, 4, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(download<unsigned>(x, 1)[0], 0x01020102u);
}

TEST_F(Memory, CallsNeedADeviceAndAContext) {
  stop();
  CUdeviceptr x = 0;
  EXPECT_EQ(lib().cuMemAlloc_v2(&x, 4), CUDA_ERROR_INVALID_CONTEXT);
  setenv("AMPC_HOSTGPU_DEVICES", "0", 1);
  EXPECT_EQ(lib().cuInit(0), CUDA_ERROR_NO_DEVICE);
  unsetenv("AMPC_HOSTGPU_DEVICES");
}

TEST_F(Memory, TheDeviceDescribesItself) {
  start({{"AMPC_HOSTGPU_CAPABILITY", "9.0"}, {"AMPC_HOSTGPU_SMS", "7"}});
  int value = 0;
  char name[64];
  EXPECT_EQ(lib().cuDeviceGetAttribute(
                &value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(lib().cuDeviceGetAttribute(
                &value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(lib().cuDeviceGetAttribute(&value, 9999, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(lib().cuDeviceGetName(name, sizeof(name), 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, "ampc software CUDA device");
  EXPECT_EQ(lib().cuDeviceGet(&value, 1), CUDA_ERROR_INVALID_DEVICE);
  const char *text = nullptr;
  EXPECT_EQ(lib().cuGetErrorName(CUDA_ERROR_NOT_READY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_NOT_READY");
  EXPECT_EQ(lib().cuGetErrorString(12345, &text), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
} // namespace ampc::hostgpu::test
