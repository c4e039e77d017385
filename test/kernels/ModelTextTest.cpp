// The CUDA text of whole models: each kernel on its own, as the runtime
// compiles it, through NVRTC without a word about it, spills included. One
// architecture a kernel in turn; all of them with AMPC_NVRTC_ALL=1. And how
// many kernels there are: layers that are alike share them.
#include "test/kernels/ModelPlans.h"
#include "test/kernels/Nvrtc.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

using namespace ampc;
using namespace ampc::test;

namespace {

class ModelText : public testing::TestWithParam<KernelModel> {};

/// Calls `work` with each number below `count`, on a few threads.
template <class Work>
void forEach(size_t count, Work work) {
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(2u, std::thread::hardware_concurrency());
       ++i)
    threads.emplace_back([&] {
      for (size_t number = next++; number < count; number = next++)
        work(number);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

TEST_P(ModelText, CompilesForEveryArchitecture) {
  if (!hasNvrtc())
    GTEST_SKIP() << "skipped: NVRTC not found";
  std::set<std::string> texts;
  for (const char *precision : {"f32", "bf16", "f16"}) {
    rt::PlanFile plan = compileForCuda(GetParam(), precision);
    for (unsigned i = 0; i < plan.plan().kernels()->size(); ++i)
      texts.insert(sourceOf(plan, i));
  }
  std::vector<std::string> sources(texts.begin(), texts.end());
  bool all = std::getenv("AMPC_NVRTC_ALL") != nullptr;
  size_t count = std::size(kArchitectures);
  std::mutex lock;
  forEach(sources.size() * (all ? count : 1), [&](size_t number) {
    const std::string &source = sources[all ? number / count : number];
    std::string complaint =
        complaintAbout(source, kArchitectures[number % count]);
    std::lock_guard<std::mutex> guard(lock);
    EXPECT_EQ(complaint, "") << source.substr(source.rfind("extern \"C\""));
  });
}

INSTANTIATE_TEST_SUITE_P(Models, ModelText, testing::ValuesIn(kernelModels()),
                         [](const auto &info) { return info.param.name; });

TEST(ModelText, LayersThatAreAlikeShareKernels) {
  // The encoder's layers draw numbers of their own.
  for (const char *path :
       {"examples/char_gpt.amp", "test/models/encoder.amp"}) {
    auto kernels = [&](const char *layers) {
      KernelModel model{"layers", path, {{"width", "64"}, {"layers", layers}}};
      return compileForCuda(model, "bf16").plan().kernels()->size();
    };
    size_t few = kernels("2"), many = kernels("48");
    EXPECT_GT(few, 20u) << path;
    EXPECT_LE(double(many), 1.3 * double(few)) << path;
  }
}
