// Streams and events: order where it is asked for, and none where it is not.
#include "test/hostgpu/Harness.h"

#include <set>
#include <thread>

namespace ampc::hostgpu::test {
namespace {

const char *const kSet = R"(
extern "C" __global__ void set(int *x, int value) { x[0] = value; }
extern "C" __global__ void copy(int *to, const int *from) { to[0] = from[0]; }
)";

class Streams : public DeviceTest {
protected:
  CUfunction set() { return kernel(kSet, "set"); }
  CUfunction copy() { return kernel(kSet, "copy"); }
  int read(CUdeviceptr x) { return download<int>(x, 1)[0]; }
  int *pinned() {
    void *data = nullptr;
    EXPECT_EQ(lib().cuMemHostAlloc(&data, sizeof(int), 0), CUDA_SUCCESS);
    return static_cast<int *>(data);
  }

  /// One stream writes x, the other copies it to y; what y holds for each seed.
  std::set<int> handOver(bool wait) {
    std::set<int> seen;
    for (int seed = 1; seed <= 16; ++seed) {
      startSeed(seed);
      CUfunction write = set(), take = copy();
      CUdeviceptr x = upload(std::vector<int>{0}), y = allocate(4);
      CUstream first = stream(), second = stream();
      CUevent done = event();
      EXPECT_EQ(synchronize(), CUDA_SUCCESS); // the upload's stream is another
      EXPECT_EQ(launch(write, 1, 1, {x, 7}, first), CUDA_SUCCESS);
      EXPECT_EQ(lib().cuEventRecord(done, first), CUDA_SUCCESS);
      if (wait)
        EXPECT_EQ(lib().cuStreamWaitEvent(second, done, 0), CUDA_SUCCESS);
      EXPECT_EQ(launch(take, 1, 1, {y, x}, second), CUDA_SUCCESS);
      EXPECT_EQ(lib().cuStreamSynchronize(second), CUDA_SUCCESS);
      seen.insert(read(y));
    }
    return seen;
  }
};

TEST_F(Streams, KeepTheirOrder) {
  for (int seed = 1; seed <= 4; ++seed) {
    startSeed(seed);
    CUfunction write = set();
    CUdeviceptr x = allocate(4);
    CUstream one = stream();
    for (uint64_t i = 0; i < 50; ++i)
      ASSERT_EQ(launch(write, 1, 1, {x, i}, one), CUDA_SUCCESS);
    ASSERT_EQ(lib().cuStreamSynchronize(one), CUDA_SUCCESS);
    EXPECT_EQ(read(x), 49);
  }
}

TEST_F(Streams, AWaitOrdersTwo) { EXPECT_EQ(handOver(true), std::set<int>{7}); }

TEST_F(Streams, AMissingWaitShows) {
  EXPECT_EQ(handOver(false), (std::set<int>{0, 7}));
}

TEST_F(Streams, AMissingSynchronizeShows) {
  std::set<int> seen;
  for (int seed = 1; seed <= 16; ++seed) {
    startSeed(seed);
    CUfunction write = set();
    CUdeviceptr x = allocate(4);
    CUstream one = stream();
    int *host = pinned();
    *host = 1;
    ASSERT_EQ(launch(write, 1, 1, {x, 7}, one), CUDA_SUCCESS);
    ASSERT_EQ(lib().cuMemcpyDtoHAsync_v2(host, x, 4, one), CUDA_SUCCESS);
    seen.insert(*host);
    ASSERT_EQ(lib().cuStreamSynchronize(one), CUDA_SUCCESS);
    EXPECT_EQ(*host, 7);
  }
  EXPECT_TRUE(seen.count(1));
}

TEST_F(Streams, PinnedMemoryIsReadWhenTheCopyRuns) {
  std::set<int> seen;
  for (int seed = 1; seed <= 16; ++seed) {
    startSeed(seed);
    CUdeviceptr x = allocate(4);
    CUstream one = stream();
    int *host = pinned();
    *host = 1;
    ASSERT_EQ(lib().cuMemcpyHtoDAsync_v2(x, host, 4, one), CUDA_SUCCESS);
    *host = 2; // too early
    ASSERT_EQ(lib().cuStreamSynchronize(one), CUDA_SUCCESS);
    seen.insert(read(x));
  }
  EXPECT_EQ(seen, (std::set<int>{1, 2}));
}

TEST_F(Streams, PageableMemoryIsReadByTheCall) {
  for (int seed = 1; seed <= 8; ++seed) {
    startSeed(seed);
    CUdeviceptr x = allocate(4);
    CUstream one = stream();
    int host = 1;
    ASSERT_EQ(lib().cuMemcpyHtoDAsync_v2(x, &host, 4, one), CUDA_SUCCESS);
    host = 2;
    ASSERT_EQ(lib().cuMemcpyDtoHAsync_v2(&host, x, 4, one), CUDA_SUCCESS);
    EXPECT_EQ(host, 1); // and written before the call returns
  }
}

TEST_F(Streams, TheLegacyStreamWaitsForBlockingOnes) {
  for (int seed = 1; seed <= 8; ++seed) {
    startSeed(seed);
    CUfunction write = set(), take = copy();
    CUdeviceptr x = upload(std::vector<int>{0}), y = allocate(4),
                z = allocate(4);
    CUstream one = stream(CU_STREAM_DEFAULT), two = stream(CU_STREAM_DEFAULT);
    launch(write, 1, 1, {x, 7}, one);
    launch(take, 1, 1, {y, x}, nullptr);
    launch(take, 1, 1, {z, y}, two);
    ASSERT_EQ(lib().cuStreamSynchronize(two), CUDA_SUCCESS);
    EXPECT_EQ(read(z), 7);
  }
}

TEST_F(Streams, QueriesLetTimePass) {
  CUfunction write = set();
  CUdeviceptr x = allocate(4);
  CUstream one = stream();
  CUevent done = event();
  EXPECT_EQ(lib().cuEventQuery(done), CUDA_SUCCESS); // never recorded
  for (uint64_t i = 0; i < 20; ++i)
    launch(write, 1, 1, {x, i}, one);
  lib().cuEventRecord(done, one);
  int waited = 0;
  while (lib().cuEventQuery(done) == CUDA_ERROR_NOT_READY)
    ASSERT_LT(++waited, 100);
  EXPECT_GT(waited, 0);
  EXPECT_EQ(lib().cuStreamQuery(one), CUDA_SUCCESS);
}

TEST_F(Streams, QueuesHaveAnEnd) {
  CUfunction write = set();
  CUdeviceptr x = allocate(4);
  CUstream one = stream();
  for (uint64_t i = 0; i < 3000; ++i)
    ASSERT_EQ(launch(write, 1, 1, {x, i}, one), CUDA_SUCCESS);
  int waited = 0;
  while (lib().cuStreamQuery(one) == CUDA_ERROR_NOT_READY)
    ASSERT_LT(++waited, 1100);
}

TEST_F(Streams, ThreadsHaveTheirOwn) {
  CUfunction write = set(), take = copy();
  CUcontext context = nullptr;
  ASSERT_EQ(lib().cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  auto work = [&](int base, int *last) {
    CUdeviceptr x = 0, y = 0;
    CUstream one = nullptr;
    bool good =
        lib().cuMemAlloc_v2(&x, 4) == CUDA_ERROR_INVALID_CONTEXT &&
        lib().cuCtxSetCurrent(context) == CUDA_SUCCESS &&
        lib().cuMemAlloc_v2(&x, 4) == CUDA_SUCCESS &&
        lib().cuMemAlloc_v2(&y, 4) == CUDA_SUCCESS &&
        lib().cuStreamCreate(&one, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
    for (int i = 0; good && i < 200; ++i)
      good =
          launch(write, 1, 1, {x, uint64_t(base + i)}, one) == CUDA_SUCCESS &&
          launch(take, 1, 1, {y, x}, one) == CUDA_SUCCESS &&
          lib().cuMemcpyDtoHAsync_v2(last, y, 4, one) == CUDA_SUCCESS &&
          *last == base + i;
    EXPECT_TRUE(good) << base;
  };
  int first = 0, second = 0;
  std::thread other(work, 1000, &first);
  std::thread another(work, 5000, &second);
  other.join();
  another.join();
  EXPECT_EQ(first, 1199);
  EXPECT_EQ(second, 5199);
  EXPECT_EQ(lib().cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
}

TEST_F(Streams, EventsTakeTime) {
  CUfunction write = set();
  CUdeviceptr x = allocate(4);
  CUevent begin = event(), end = event(), plain = nullptr;
  float elapsed = -1;
  EXPECT_EQ(lib().cuEventElapsedTime(&elapsed, begin, end),
            CUDA_ERROR_INVALID_HANDLE);
  lib().cuEventRecord(begin, nullptr);
  launch(write, 1, 1, {x, 1});
  lib().cuEventRecord(end, nullptr);
  EXPECT_EQ(lib().cuEventSynchronize(end), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuEventElapsedTime(&elapsed, begin, end), CUDA_SUCCESS);
  EXPECT_GE(elapsed, 0.0f);
  ASSERT_EQ(lib().cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  lib().cuEventRecord(plain, nullptr);
  EXPECT_EQ(lib().cuEventElapsedTime(&elapsed, begin, plain),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Streams, HandlesThatAreGoneAreRefused) {
  CUstream one = stream();
  CUevent done = event();
  EXPECT_EQ(lib().cuStreamDestroy_v2(one), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuStreamSynchronize(one), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(lib().cuStreamDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(lib().cuEventDestroy_v2(done), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuEventRecord(done, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Streams, AFailureDropsWhatIsQueued) {
  CUfunction write = set();
  CUdeviceptr x = upload(std::vector<int>{0});
  ASSERT_EQ(synchronize(), CUDA_SUCCESS);
  CUstream one = stream();
  launch(write, 1, 1, {x + 4096, 1}, one);
  for (int i = 0; i < 10; ++i)
    launch(write, 1, 1, {x, 1}, one);
  EXPECT_EQ(lib().cuStreamSynchronize(one), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(lib().cuStreamQuery(one), CUDA_ERROR_ILLEGAL_ADDRESS);
}

} // namespace
} // namespace ampc::hostgpu::test
