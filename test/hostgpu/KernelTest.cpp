// Kernels as the generator writes them, run by the software device: maps,
// grid-stride loops, block reductions, warp operations.
#include "test/hostgpu/Harness.h"

#include <cmath>
#include <set>

namespace ampc::hostgpu::test {
namespace {

const char *const kAdd = R"(
extern "C" __global__ __launch_bounds__(256) void add(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, long long n) {
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
    c[i] = a[i] + b[i];
}
)";

// One row a block: partial sums of threads, a tree of shuffles, then of warps.
const char *const kSum = R"(
#define AMPC_DEVICE static __device__ __forceinline__
AMPC_DEVICE float ampc_warp_sum(float value) {
  for (int step = 16; step; step /= 2)
    value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}
extern "C" __global__ __launch_bounds__(256) void sum(const float *__restrict__ x, float *__restrict__ y, int rows, int n) {
  AMPC_SHARED(float, partial, 32);
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float value = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) value += x[(long long)row * n + i];
    value = ampc_warp_sum(value);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
      value = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
      value = ampc_warp_sum(value);
      if (threadIdx.x == 0) y[row] = value;
    }
    __syncthreads();
  }
}
)";

std::vector<float> numbers(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(int(i * 37 % 101) - 50);
  return values;
}

class Kernels : public DeviceTest {};

TEST_F(Kernels, AddWithAnyGridAndSeed) {
  std::vector<float> a = numbers(1000), b = numbers(2000);
  b.resize(1000);
  for (int seed = 1; seed <= 4; ++seed) {
    startSeed(seed);
    CUfunction add = kernel(kAdd, "add");
    CUdeviceptr da = upload(a), db = upload(b);
    for (unsigned grid : {1u, 3u, 4u, 9u}) {
      CUdeviceptr dc = allocate(4000);
      ASSERT_EQ(launch(add, grid, 256, {da, db, dc, 1000}), CUDA_SUCCESS);
      std::vector<float> c = download<float>(dc, 1000);
      for (size_t i = 0; i < c.size(); ++i)
        ASSERT_EQ(c[i], a[i] + b[i]) << i;
    }
  }
}

TEST_F(Kernels, BlockReduction) {
  const int rows = 7, n = 1000;
  std::vector<float> x = numbers(size_t(rows * n));
  for (int seed = 1; seed <= 4; ++seed) {
    startSeed(seed);
    CUfunction sum = kernel(kSum, "sum");
    CUdeviceptr dx = upload(x);
    for (unsigned threads : {32u, 64u, 256u}) {
      CUdeviceptr dy = allocate(rows * 4);
      ASSERT_EQ(launch(sum, 3, threads, {dx, dy, rows, n}), CUDA_SUCCESS);
      std::vector<float> y = download<float>(dy, rows);
      for (int row = 0; row < rows; ++row) {
        float expected = 0; // small integers: any order is exact
        for (int i = 0; i < n; ++i)
          expected += x[size_t(row * n + i)];
        EXPECT_EQ(y[size_t(row)], expected) << row;
      }
    }
  }
}

TEST_F(Kernels, WarpOperations) {
  // out[operation * 32 + lane]
  CUfunction function = kernel(R"(
extern "C" __global__ void warp(int *out) {
  int lane = threadIdx.x, all = 0xffffffff;
  out[0 * 32 + lane] = __shfl_sync(all, lane * 10, 3);
  out[1 * 32 + lane] = __shfl_up_sync(all, lane, 2);
  out[2 * 32 + lane] = __shfl_down_sync(all, lane, 5);
  out[3 * 32 + lane] = __shfl_xor_sync(all, lane, 9);
  out[4 * 32 + lane] = __shfl_sync(all, lane, lane + 1, 8);
  out[5 * 32 + lane] = __shfl_down_sync(all, lane, 3, 8);
  out[6 * 32 + lane] = (int)__ballot_sync(all, lane % 3 == 0);
  out[7 * 32 + lane] = __all_sync(all, lane < 32) * 2 + __any_sync(all, lane > 31);
  long long wide = __shfl_sync(all, (long long)lane << 33, 7);
  out[8 * 32 + lane] = (int)(wide >> 33);
  double real = __shfl_xor_sync(all, lane * 0.5, 1);
  out[9 * 32 + lane] = (int)(real * 2);
  unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  out[10 * 32 + lane] = __shfl_xor_sync(half, lane, 15);
  __syncwarp();
}
)",
                               "warp");
  CUdeviceptr out = allocate(11 * 32 * 4);
  ASSERT_EQ(launch(function, 1, 32, {out}), CUDA_SUCCESS);
  std::vector<int> got = download<int>(out, 11 * 32);
  for (int lane = 0; lane < 32; ++lane) {
    int segment = lane / 8 * 8;
    const int expected[] = {30,
                            lane < 2 ? lane : lane - 2,
                            lane + 5 < 32 ? lane + 5 : lane,
                            lane ^ 9,
                            segment + (lane + 1) % 8,
                            lane % 8 + 3 < 8 ? lane + 3 : lane,
                            0x49249249,
                            2,
                            7,
                            lane ^ 1,
                            lane ^ 15};
    for (int operation = 0; operation < 11; ++operation)
      EXPECT_EQ(got[size_t(operation * 32 + lane)], expected[operation])
          << operation << ", lane " << lane;
  }
}

TEST_F(Kernels, BlocksOfThreeDimensions) {
  for (const char *meet : {"", "__syncthreads();"}) {
    CUfunction function = kernel(std::string(R"(
extern "C" __global__ void index(int *out) {
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  )") + meet + R"(
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.z;
}
)",
                                 "index");
    CUdeviceptr out = allocate(24 * 12 * 4);
    void *arguments[] = {&out};
    ASSERT_EQ(lib().cuLaunchKernel(function, 2, 2, 3, 4, 3, 2, 0, nullptr,
                                   arguments, nullptr),
              CUDA_SUCCESS);
    std::vector<int> got = download<int>(out, 24 * 12);
    for (int i = 0; i < 24 * 12; ++i) {
      int thread = i % 24, block = i / 24;
      EXPECT_EQ(got[size_t(i)], thread % 4 + thread / 4 % 3 * 10 +
                                    thread / 12 * 100 + block / 4 * 1000);
    }
  }
}

TEST_F(Kernels, BlocksComeInEveryKindOfOrder) {
  std::set<std::vector<int>> orders;
  const std::vector<int> forward = {0, 1, 2, 3, 4}, reverse = {4, 3, 2, 1, 0};
  for (int seed = 1; seed <= 12; ++seed) {
    startSeed(seed);
    CUfunction function = kernel(R"(
extern "C" __global__ void enter(int *order, int *count) { order[count[0]++] = blockIdx.x; }
)",
                                 "enter");
    CUdeviceptr order = allocate(20), count = upload(std::vector<int>{0});
    ASSERT_EQ(launch(function, 5, 1, {order, count}), CUDA_SUCCESS);
    orders.insert(download<int>(order, 5));
  }
  EXPECT_TRUE(orders.count(forward));
  EXPECT_TRUE(orders.count(reverse));
  EXPECT_GT(orders.size(), 2u);
}

TEST_F(Kernels, OneWarpRunsAheadAndLanesComeInAnyOrder) {
  std::set<int> firstWarps, firstLanes;
  for (int seed = 1; seed <= 12; ++seed) {
    startSeed(seed);
    CUfunction function = kernel(R"(
extern "C" __global__ void enter(int *order, int *count) {
  for (int i = 0; i < 2; ++i) {
    order[count[0]++] = threadIdx.x;
    __syncwarp();
  }
  __syncthreads();
}
)",
                                 "enter");
    CUdeviceptr order = allocate(256 * 4), count = upload(std::vector<int>{0});
    ASSERT_EQ(launch(function, 1, 128, {order, count}), CUDA_SUCCESS);
    std::vector<int> entered = download<int>(order, 256);
    // A warp is through before another begins.
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(entered[size_t(i)] / 32, entered[size_t(i / 64 * 64)] / 32)
          << i;
    firstWarps.insert(entered[0] / 32);
    firstLanes.insert(entered[0] % 32);
  }
  EXPECT_GT(firstWarps.size(), 2u);
  EXPECT_GT(firstLanes.size(), 4u);
}

TEST_F(Kernels, DynamicSharedMemory) {
  CUfunction function = kernel(R"(
extern "C" __global__ void rotate(const int *x, int *y) {
  AMPC_DYNAMIC_SHARED(int, values);
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = values[(threadIdx.x + 1) % blockDim.x];
}
)",
                               "rotate");
  std::vector<int> x(96), y(96);
  for (int i = 0; i < 96; ++i)
    x[size_t(i)] = y[size_t((i + 95) % 96)] = i;
  CUdeviceptr dx = upload(x), dy = allocate(96 * 4);
  ASSERT_EQ(launch(function, 1, 96, {dx, dy}, nullptr, 96 * 4), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(dy, 96), y);
}

TEST_F(Kernels, HalfConversionsOfEveryValue) {
  CUfunction function = kernel(R"(
extern "C" __global__ void widen(float *out) {
  for (int i = threadIdx.x; i < 65536; i += blockDim.x) out[i] = ampc_host_f16_to_f32((unsigned short)i);
}
)",
                               "widen");
  CUfunction narrow = kernel(R"(
extern "C" __global__ void narrow(const float *x, unsigned short *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = ampc_host_f32_to_f16(x[i]);
}
)",
                             "narrow");
  CUdeviceptr out = allocate(65536 * 4);
  ASSERT_EQ(launch(function, 1, 32, {out}), CUDA_SUCCESS);
  std::vector<float> wide = download<float>(out, 65536);
  for (int i = 0; i < 65536; ++i) {
    int exponent = i >> 10 & 31, mantissa = i & 1023;
    float magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                      : exponent
                          ? std::ldexp(float(1024 + mantissa), exponent - 25)
                          : std::ldexp(float(mantissa), -24);
    float expected = i & 0x8000 ? -magnitude : magnitude;
    if (std::isnan(expected))
      ASSERT_TRUE(std::isnan(wide[size_t(i)])) << i;
    else
      ASSERT_EQ(wide[size_t(i)], expected) << i;
  }
  // Each value, the middle to the next and what stands beside the middle.
  std::vector<float> x;
  std::vector<unsigned short> expected;
  for (int i = 0; i < 0x7c00; ++i) {
    float low = wide[size_t(i)];
    float high = i + 1 == 0x7c00 ? 65536.0f : wide[size_t(i + 1)];
    float middle = low + (high - low) / 2;
    for (float value : {low, std::nextafter(middle, low), middle,
                        std::nextafter(middle, high)}) {
      bool up = value > middle || (value == middle && i % 2);
      x.push_back(value);
      expected.push_back((unsigned short)(i + up));
      x.push_back(-value);
      expected.push_back((unsigned short)((i + up) | 0x8000));
    }
  }
  for (float value : {65520.0f, 1e30f, INFINITY}) {
    x.push_back(value);
    expected.push_back(0x7c00);
  }
  x.push_back(NAN);
  expected.push_back(0x7fff);
  CUdeviceptr dx = upload(x), dy = allocate(x.size() * 2);
  ASSERT_EQ(launch(narrow, 1, 32, {dx, dy, x.size()}), CUDA_SUCCESS);
  std::vector<unsigned short> got = download<unsigned short>(dy, x.size());
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(got[i], expected[i]) << x[i];
}

TEST_F(Kernels, ManyBlocksThreadsAndLaunches) {
  CUfunction function = kernel(R"(
extern "C" __global__ void count(int *x) {
  for (int i = blockIdx.x; i < 5; i += gridDim.x) {
    int value = __shfl_sync(0xffffffffu, threadIdx.x == 0, 0);
    __syncthreads();
    if (threadIdx.x == 1023) x[i] += value + (threadIdx.x < 32 ? 0 : 1);
    __syncthreads();
  }
}
)",
                               "count");
  CUdeviceptr x = upload(std::vector<int>(5, 0));
  CUstream one = stream();
  synchronize();
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(launch(function, 3, 1024, {x}, one), CUDA_SUCCESS);
  ASSERT_EQ(synchronize(), CUDA_SUCCESS) << report();
  for (int value : download<int>(x, 5))
    EXPECT_EQ(value, 200);
}

} // namespace
} // namespace ampc::hostgpu::test
