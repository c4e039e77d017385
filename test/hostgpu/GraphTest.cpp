// Stream capture and graphs: replays, edges, and what a capture forbids.
#include "test/hostgpu/Harness.h"

#include <cstring>
#include <functional>
#include <set>
#include <thread>

namespace ampc::hostgpu::test {
namespace {

const char *const kSteps = R"(
extern "C" __global__ void scale(float *x, float by) { x[threadIdx.x] *= by; }
extern "C" __global__ void shift(float *x, const float *by) { x[threadIdx.x] += by[0]; }
)";

uint64_t bits(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof(word));
  return word;
}

class Graphs : public DeviceTest {
protected:
  void begin(CUstream stream, int mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) {
    ASSERT_EQ(lib().cuStreamBeginCapture_v2(stream, mode), CUDA_SUCCESS);
  }
  CUgraphExec end(CUstream stream) {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    EXPECT_EQ(lib().cuStreamEndCapture(stream, &graph), CUDA_SUCCESS)
        << report();
    EXPECT_EQ(lib().cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(lib().cuGraphDestroy(graph), CUDA_SUCCESS);
    return exec;
  }
  /// The end of a capture that a wrong call has spoiled.
  void expectLost(CUstream stream) {
    CUgraph graph = nullptr;
    EXPECT_EQ(lib().cuStreamEndCapture(stream, &graph),
              CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(synchronize(), CUDA_SUCCESS); // the device itself is well
  }
};

TEST_F(Graphs, ReplaysEqualLaunches) {
  std::vector<float> values = {1, 2, 3, 4};
  CUfunction scale = kernel(kSteps, "scale"), shift = kernel(kSteps, "shift");
  CUdeviceptr direct = upload(values), replayed = upload(values),
              by = allocate(4);
  CUstream one = stream();
  synchronize();
  auto step = [&](CUdeviceptr x) {
    EXPECT_EQ(lib().cuMemsetD32Async(by, unsigned(bits(0.5f)), 1, one),
              CUDA_SUCCESS);
    EXPECT_EQ(launch(scale, 1, 4, {x, bits(1.5f)}, one), CUDA_SUCCESS);
    EXPECT_EQ(launch(shift, 1, 4, {x, by}, one), CUDA_SUCCESS);
  };
  begin(one);
  step(replayed);
  CUgraphExec exec = end(one);
  EXPECT_EQ(download<float>(replayed, 4), values); // captured, not run
  for (int i = 0; i < 3; ++i) {
    step(direct);
    ASSERT_EQ(lib().cuGraphLaunch(exec, one), CUDA_SUCCESS);
  }
  ASSERT_EQ(lib().cuStreamSynchronize(one), CUDA_SUCCESS);
  EXPECT_EQ(download<float>(direct, 4), download<float>(replayed, 4));
  EXPECT_NE(download<float>(direct, 4), values);
  EXPECT_EQ(lib().cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(lib().cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Graphs, ForkAndJoinByEvents) {
  std::set<float> joined, loose;
  for (int seed = 1; seed <= 12; ++seed) {
    startSeed(seed);
    CUfunction scale = kernel(kSteps, "scale"), shift = kernel(kSteps, "shift");
    CUdeviceptr x = upload(std::vector<float>{1}),
                by = upload(std::vector<float>{1});
    CUstream one = stream(), two = stream();
    CUevent fork = event(), join = event();
    synchronize();
    // by is doubled in the second stream, then x grows by it in the first.
    for (bool wait : {true, false}) {
      begin(one);
      lib().cuEventRecord(fork, one);
      ASSERT_EQ(lib().cuStreamWaitEvent(two, fork, 0), CUDA_SUCCESS);
      ASSERT_EQ(launch(scale, 1, 1, {by, bits(2)}, two), CUDA_SUCCESS);
      lib().cuEventRecord(join, two);
      if (wait)
        ASSERT_EQ(lib().cuStreamWaitEvent(one, join, 0), CUDA_SUCCESS);
      ASSERT_EQ(launch(shift, 1, 1, {x, by}, one), CUDA_SUCCESS);
      if (!wait)
        ASSERT_EQ(lib().cuStreamWaitEvent(one, join, 0), CUDA_SUCCESS);
      CUgraphExec exec = end(one);
      lib().cuMemsetD32Async(x, unsigned(bits(1)), 1, nullptr);
      lib().cuMemsetD32Async(by, unsigned(bits(1)), 1, nullptr);
      synchronize();
      ASSERT_EQ(lib().cuGraphLaunch(exec, one), CUDA_SUCCESS);
      ASSERT_EQ(synchronize(), CUDA_SUCCESS);
      (wait ? joined : loose).insert(download<float>(x, 1)[0]);
    }
  }
  EXPECT_EQ(joined, std::set<float>{3});
  EXPECT_EQ(loose, (std::set<float>{2, 3})); // the edge that is missing shows
}

TEST_F(Graphs, WorkThatIsNotJoinedIsRefused) {
  CUfunction scale = kernel(kSteps, "scale");
  CUdeviceptr x = upload(std::vector<float>{1});
  CUstream one = stream(), two = stream();
  CUevent fork = event();
  begin(one);
  lib().cuEventRecord(fork, one);
  lib().cuStreamWaitEvent(two, fork, 0);
  launch(scale, 1, 1, {x, bits(2)}, two);
  CUgraph graph = nullptr;
  EXPECT_EQ(lib().cuStreamEndCapture(two, &graph),
            CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  expectLost(one);
  begin(one);
  lib().cuEventRecord(fork, one);
  lib().cuStreamWaitEvent(two, fork, 0);
  launch(scale, 1, 1, {x, bits(2)}, two);
  EXPECT_EQ(lib().cuStreamEndCapture(one, &graph),
            CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

TEST_F(Graphs, WaitingAndAllocatingAreRefused) {
  CUstream one = stream(), other = stream();
  CUdeviceptr x = allocate(4);
  CUmodule module = nullptr;
  void *pinned = nullptr;
  const std::string image = "none";
  const std::vector<std::function<CUresult()>> calls = {
      [&] { return lib().cuStreamSynchronize(one); },
      [&] { return lib().cuStreamQuery(one); },
      [&] { return lib().cuCtxSynchronize(); },
      [&] { return lib().cuMemAlloc_v2(&x, 4); },
      [&] { return lib().cuMemFree_v2(x); },
      [&] { return lib().cuMemHostAlloc(&pinned, 4, 0); },
      [&] { return lib().cuModuleLoadData(&module, image.data()); },
      [&] { return lib().cuStreamDestroy_v2(one); }};
  for (const auto &call : calls) {
    begin(one);
    EXPECT_EQ(lib().cuStreamSynchronize(other), CUDA_SUCCESS);
    EXPECT_EQ(call(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(lib().cuMemsetD8Async(x, 0, 4, one),
              CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    expectLost(one);
  }
}

TEST_F(Graphs, ModesDecideWhoMayAllocate) {
  CUstream one = stream();
  auto allocateElsewhere = [&](int mode) {
    CUcontext context = nullptr;
    EXPECT_EQ(lib().cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    begin(one, mode);
    CUresult result = CUDA_SUCCESS;
    std::thread([&] {
      CUdeviceptr x = 0;
      lib().cuCtxSetCurrent(context);
      result = lib().cuMemAlloc_v2(&x, 4);
    }).join();
    CUgraph graph = nullptr;
    lib().cuStreamEndCapture(one, &graph);
    EXPECT_EQ(lib().cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    return result;
  };
  EXPECT_EQ(allocateElsewhere(CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(allocateElsewhere(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
            CUDA_SUCCESS);
  begin(one, CU_STREAM_CAPTURE_MODE_RELAXED);
  CUdeviceptr x = 0;
  EXPECT_EQ(lib().cuMemAlloc_v2(&x, 4), CUDA_SUCCESS);
  EXPECT_NE(end(one), nullptr);
}

TEST_F(Graphs, CapturesEndWhereTheyBegan) {
  CUstream one = stream();
  CUgraph graph = nullptr;
  EXPECT_EQ(lib().cuStreamEndCapture(one, &graph), CUDA_ERROR_ILLEGAL_STATE);
  begin(one);
  EXPECT_EQ(lib().cuStreamBeginCapture_v2(one, 0), CUDA_ERROR_ILLEGAL_STATE);
  CUcontext context = nullptr;
  lib().cuDevicePrimaryCtxRetain(&context, 0);
  CUresult result = CUDA_SUCCESS;
  std::thread([&] {
    lib().cuCtxSetCurrent(context);
    result = lib().cuStreamEndCapture(one, &graph);
  }).join();
  EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  lib().cuDevicePrimaryCtxRelease_v2(0);
  EXPECT_NE(end(one), nullptr); // an empty graph
  EXPECT_EQ(lib().cuStreamBeginCapture_v2(nullptr, 0),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_F(Graphs, EventsKeepToTheirCapture) {
  CUstream one = stream(), two = stream();
  CUevent inside = event(), outside = event();
  lib().cuEventRecord(outside, two);
  begin(one);
  EXPECT_EQ(lib().cuStreamWaitEvent(one, outside, 0),
            CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  expectLost(one);
  begin(one);
  lib().cuEventRecord(inside, one);
  EXPECT_EQ(lib().cuEventQuery(inside), CUDA_ERROR_CAPTURED_EVENT);
  begin(two);
  EXPECT_EQ(lib().cuStreamWaitEvent(two, inside, 0),
            CUDA_ERROR_STREAM_CAPTURE_MERGE);
  CUgraph graph = nullptr;
  EXPECT_EQ(lib().cuStreamEndCapture(one, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  expectLost(two);
}

TEST_F(Graphs, TheLegacyStreamStaysOut) {
  CUstream blocking = stream(CU_STREAM_DEFAULT);
  CUdeviceptr x = allocate(4);
  begin(blocking);
  EXPECT_EQ(lib().cuMemsetD8Async(x, 0, 4, nullptr),
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  expectLost(blocking);
}

} // namespace
} // namespace ampc::hostgpu::test
