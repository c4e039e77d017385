// Device memory watched byte by byte (AMPC_HOSTGPU_CHECK=full).
#include "test/hostgpu/Harness.h"

namespace ampc::hostgpu::test {
namespace {

class DeviceChecks : public DeviceTest {
protected:
  void SetUp() override { start({{"AMPC_HOSTGPU_CHECK", "full"}}); }

  /// Runs two blocks of 64 threads over `x` (zeros) and `fresh` (unwritten).
  CUresult run(const std::string &body) {
    start({{"AMPC_HOSTGPU_CHECK", "full"}});
    CUfunction function =
        kernel("extern \"C\" __global__ void f(int *x, int *fresh) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                   body + "\n}",
               "f");
    CUdeviceptr x = upload(std::vector<int>(256, 0)), fresh = allocate(1024);
    EXPECT_EQ(synchronize(), CUDA_SUCCESS);
    CUresult result = launch(function, 2, 64, {x, fresh});
    return result != CUDA_SUCCESS ? result : synchronize();
  }
  void expectFound(const std::string &body, const std::string &what) {
    EXPECT_EQ(run(body), CUDA_ERROR_LAUNCH_FAILED) << body;
    EXPECT_NE(report().find(what), std::string::npos) << report();
  }
};

TEST_F(DeviceChecks, KernelsThatKeepApartRun) {
  for (const char *body :
       {"x[i] = i; fresh[i] = x[i] + 1; fresh[i] += x[i + 128];",
        "x[i] = i; __syncthreads(); fresh[i] = x[i ^ 63];",
        "x[i] = i; __syncwarp(); fresh[i] = x[i ^ 31];",
        "int y = x[0]; __syncthreads(); fresh[i] = y + x[1];",
        "AMPC_SHARED(int, s, 64); s[threadIdx.x] = x[i]; __syncthreads();"
        "fresh[i] = s[63 - threadIdx.x];"})
    EXPECT_EQ(run(body), CUDA_SUCCESS) << body << "\n" << report();
}

TEST_F(DeviceChecks, UnwrittenMemoryIsNamed) {
  expectFound("x[i] = fresh[i + (i == 5)] + (i < 5 ? 0 : 1);",
              "reads what nobody wrote: device address");
}

TEST_F(DeviceChecks, CopiesCarryWhatIsWritten) {
  CUfunction function = kernel("extern \"C\" __global__ void f(int *x, int *y) "
                               "{ y[0] = x[threadIdx.x]; }",
                               "f");
  CUdeviceptr x = upload(std::vector<int>{1}), y = allocate(8), z = allocate(4);
  lib().cuMemcpyDtoDAsync_v2(y, x, 4, nullptr);
  launch(function, 1, 1, {y, z});
  EXPECT_EQ(synchronize(), CUDA_SUCCESS) << report();
  lib().cuMemcpyDtoDAsync_v2(x, y + 4, 4, nullptr);
  launch(function, 1, 1, {x, z});
  EXPECT_EQ(synchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(DeviceChecks, ThreadsOfABlockNeedABarrier) {
  expectFound("x[i] = i; fresh[i] = x[i ^ 63];",
              ", with no barrier between them: device address");
  expectFound("x[threadIdx.x / 2] = i;", " wrote, with no barrier");
  expectFound("int y = x[i ^ 1]; x[i] = y;", ", with no barrier");
}

TEST_F(DeviceChecks, BlocksOfALaunchKeepApart) {
  expectFound("x[threadIdx.x] = i;", " of another block wrote");
  expectFound("__syncthreads(); if (blockIdx.x == 0) x[i] = 1; else "
              "fresh[i] = x[i - 64];",
              " of another block ");
  expectFound(
      "fresh[i] = x[0]; __syncthreads(); if (threadIdx.x == 0) x[0] = 1;",
      " of another block ");
}

TEST_F(DeviceChecks, OfLaunchesTheStreamTakesCare) {
  CUfunction function = kernel(
      "extern \"C\" __global__ void f(int *x) { x[threadIdx.x ^ 1] += 1; }",
      "f");
  CUdeviceptr x = upload(std::vector<int>(32, 0));
  for (int i = 0; i < 3; ++i)
    launch(function, 1, 32, {x});
  EXPECT_EQ(synchronize(), CUDA_SUCCESS) << report();
  EXPECT_EQ(download<int>(x, 32), std::vector<int>(32, 3));
}

} // namespace
} // namespace ampc::hostgpu::test
