// Kernels as the generator writes them, run by the software device: maps,
// grid-stride loops, block reductions, warp operations.
#include "test/hostgpu/Harness.h"

#include <cmath>

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

} // namespace
} // namespace ampc::hostgpu::test
