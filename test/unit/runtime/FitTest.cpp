// What the system gives, and the refusal of plans that need more.
#include "runtime/core/SystemMemory.h"
#include "runtime/device/FitCheck.h"
#include "test/unit/runtime/TestPlans.h"

#include <filesystem>
#include <fstream>

namespace ampc::rt::test {
namespace {

/// Writes files of a system below a folder; gives that folder.
std::string systemOf(const std::string &name,
                     const std::map<std::string, std::string> &files) {
  std::string root = temporary(name);
  for (auto &[path, text] : files) {
    std::filesystem::path full = root + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  return root;
}

constexpr const char *kMemory = "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n";

TEST(SystemMemory, IsTheLeastOfMachineAndGroups) {
  EXPECT_EQ(availableMemory(systemOf("empty", {{"/proc/none", ""}})),
            std::nullopt);
  EXPECT_EQ(availableMemory(systemOf("alone", {{"/proc/meminfo", kMemory}})),
            8000u * 1024);
  std::map<std::string, std::string> unified = {
      {"/proc/meminfo", kMemory},
      {"/proc/self/cgroup", "0::/outer/inner\n"},
      {"/sys/fs/cgroup/outer/inner/memory.max", "max\n"},
      {"/sys/fs/cgroup/outer/inner/memory.current", "500\n"},
      {"/sys/fs/cgroup/outer/memory.max", "1000000\n"},
      {"/sys/fs/cgroup/outer/memory.current", "700000\n"},
      {"/sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 200000\n"}};
  EXPECT_EQ(availableMemory(systemOf("unified", unified)), 500000u);
  std::map<std::string, std::string> split = {
      {"/proc/meminfo", kMemory},
      {"/proc/self/cgroup", "5:cpu:/a\n4:memory:/a\n0::/\n"},
      {"/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3000\n"},
      {"/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4000\n"}};
  EXPECT_EQ(availableMemory(systemOf("split", split)), 0u);
}

TEST(FitCheck, NamesTheLargestTensor) {
  PlanFile file = must(PlanFile::fromBytes(regressionBytes()));
  EXPECT_TRUE(checkFit(file, {100, 20, 3}, 123));
  EXPECT_TRUE(checkFit(file, {100, 20, 3}, std::nullopt));
  Error error = errorOf(checkFit(file, {100, 20, 3}, 122));
  EXPECT_EQ(error.code, Code::DoesNotFit);
  EXPECT_EQ(error.message,
            "the model needs 123 bytes (variables 100, arena 20, batches 3), "
            "122 are available; the largest tensor is 'x', f32[8, 4], of 128 "
            "bytes");
}

// A loop computes what it writes: all slices of it, and nothing of what it
// reads.
TEST(FitCheck, NamesWhatALoopWrites) {
  fb::PlanT plan = regression();
  plan.entries[0]->arena_bytes = 4096;
  fb::ForeachT &loop = firstLoop(plan);
  plan.entries[0]->instructions[1]->label = "attention";
  auto read = std::make_unique<fb::SlicesT>();
  read->first = std::make_unique<fb::Place>(fb::Space::Arena, 0, 2048);
  read->bytes = 2048;
  loop.slices.push_back(std::move(read));
  auto largest = [&](int threads = 0) {
    PlanFile file =
        must(PlanFile::fromBytes(must(writePlan(plan, regressionSections()))));
    std::string text =
        errorOf(checkFit(file, {100, 20, 3, threads}, 122)).message;
    return text.substr(text.find("the largest tensor is"));
  };
  EXPECT_EQ(largest(), "the largest tensor is 'x', f32[8, 4], of 128 bytes");
  loop.count = loop.slices[0]->count = 2;
  EXPECT_EQ(largest(), "the largest tensor is what 'attention' computes, of "
                       "192 bytes");
  EXPECT_EQ(largest(4), "the largest tensor is the scratch memory of "
                        "'attention' on 4 threads, of 256 bytes");
  PlanFile file =
      must(PlanFile::fromBytes(must(writePlan(plan, regressionSections()))));
  EXPECT_TRUE(checkFit(file, {100, 20, 3, 4}, 379));
  EXPECT_NE(errorOf(checkFit(file, {100, 20, 3, 4}, 378))
                .message.find("(variables 100, arena 20, batches 3, scratch "
                              "memory 256), 378 are available"),
            std::string::npos);
}

} // namespace
} // namespace ampc::rt::test
