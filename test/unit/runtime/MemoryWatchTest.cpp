// Growth of memory while a run trains: what is told, what is not, and once.
#include "runtime/train/MemoryWatch.h"
#include "runtime/api/Runtime.h"
#include "runtime/core/SystemMemory.h"
#include "test/unit/runtime/TestPlans.h"

#include <functional>

namespace ampc::rt::test {
namespace {

constexpr uint64_t kMiB = uint64_t(1) << 20;

/// The warnings of a run of `steps` windows whose samples are `at(step)`.
std::vector<std::string>
warnings(uint64_t steps, const std::function<MemorySample(uint64_t step)> &at) {
  MemoryWatch watch;
  std::vector<std::string> told;
  for (uint64_t step = 1; step <= steps; ++step)
    if (watch.is_due(step))
      if (std::optional<std::string> text = watch.see(at(step)))
        told.push_back(*text);
  return told;
}

TEST(MemoryWatch, SaysNothingOfARunThatStaysAsItIs) {
  EXPECT_TRUE(warnings(100000, [](uint64_t step) {
                return MemorySample{step, 5000, 100 * kMiB};
              }).empty());
  // A last incomplete batch of a validation takes memory, once.
  EXPECT_TRUE(warnings(1000, [](uint64_t step) {
                return MemorySample{step, step < 500 ? 5000u : 9000u,
                                    step < 500 ? 100 * kMiB : 200 * kMiB};
              }).empty());
  // Memory that is given back; a heap that settles; a system that is silent.
  EXPECT_TRUE(warnings(1000, [](uint64_t step) {
                return MemorySample{step, 5000, (step / 16 % 4) * 100 * kMiB};
              }).empty());
  EXPECT_TRUE(warnings(1000, [](uint64_t step) {
                return MemorySample{step, 5000, 100 * kMiB + step};
              }).empty());
  EXPECT_TRUE(warnings(1000, [](uint64_t step) {
                return MemorySample{step, 5000, 0};
              }).empty());
}

TEST(MemoryWatch, TellsOnceOfGrowthThatGoesOn) {
  std::vector<std::string> told = warnings(1000, [](uint64_t step) {
    return MemorySample{step, 5000, 100 * kMiB + step * kMiB};
  });
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0],
            "memory grows: from step 1 to step 81 the process took 83886080 "
            "bytes more, now 189792256; the session holds 5000 as before, so "
            "that something beside it keeps memory");
  // Whatever a session takes beyond its plan is wrong, however little.
  told = warnings(1000, [](uint64_t step) {
    return MemorySample{step, 5000 + step, 100 * kMiB};
  });
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0], "memory grows: from step 1 to step 81 the session took 80 "
                     "bytes more, now 5081");
}

TEST(MemoryWatch, SeesASlowLeakOfALongRun) {
  std::vector<std::string> told = warnings(20000, [](uint64_t step) {
    return MemorySample{step, 5000, 100 * kMiB + step * 4096};
  });
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("the process took"), std::string::npos) << told[0];
}

TEST(SystemMemory, TellsWhatTheProcessOccupies) {
  std::optional<uint64_t> before = residentMemory();
  ASSERT_TRUE(before);
  std::vector<char> more(64 * kMiB, 1);
  asm volatile("" : : "r"(more.data()) : "memory"); // it is there
  EXPECT_GE(*residentMemory(), *before + 60 * kMiB);
  EXPECT_EQ(residentMemory("/none"), std::nullopt);
}

/// A session that keeps memory at every step.
class GrowingStepper final : public Stepper {
public:
  GrowingStepper(Session session, uint64_t bytes)
      : session(std::move(session)), bytes(bytes) {}

  std::string model_name() const override { return session.model_name(); }
  bool has_entry(EntryKind entry) const override {
    return session.has_entry(entry);
  }
  std::vector<Port> inputs(EntryKind entry) const override {
    return session.inputs(entry);
  }
  std::vector<Port> outputs(EntryKind entry) const override {
    return session.outputs(entry);
  }
  std::vector<std::string> extra_names() const override {
    return session.extra_names();
  }
  Expected<void> step(const Batch &batch) override {
    kept.emplace_back(bytes, 1);
    return session.step(batch);
  }
  Expected<std::optional<StepResult>> poll() override { return session.poll(); }
  Expected<void> sync() override { return session.sync(); }
  Expected<std::vector<NamedTensor>> run(EntryKind entry,
                                         const Batch &batch) override {
    return session.run(entry, batch);
  }
  Expected<EvalResult> eval(DataSource &data, uint64_t batches) override {
    return session.eval(data, batches);
  }
  Expected<void> save(const std::string &path, bool overwrite,
                      const std::string &data) override {
    return session.save(path, overwrite, data);
  }
  Expected<void> load(const std::string &path) override {
    return session.load(path);
  }
  Expected<void> load_weights(const std::string &path, bool partial) override {
    return session.load_weights(path, partial);
  }
  std::vector<std::string> variables() const override {
    return session.variables();
  }
  Expected<Tensor> read(const std::string &name) const override {
    return session.read(name);
  }
  Expected<void> write(const std::string &name,
                       const TensorView &value) override {
    return session.write(name, value);
  }
  Expected<std::vector<NamedTensor>> probes() const override {
    return session.probes();
  }
  int64_t iteration() const override { return session.iteration(); }
  MemoryReport memory() const override { return session.memory(); }

private:
  Session session;
  uint64_t bytes;
  std::vector<std::vector<char>> kept;
};

/// The warnings of training 150 steps that keep `bytes` each.
std::vector<std::string> trainKeeping(uint64_t bytes) {
  GrowingStepper stepper(
      must(Session::open(must(Plan::from_bytes(regressionBytes())), {})),
      bytes);
  DataLine line{{"x", "t"}, "normal:3", false};
  auto data =
      must(open_data({&line, 1}, stepper.inputs(EntryKind::TrainStep), {}));
  std::vector<std::string> told;
  TrainOptions options;
  options.steps = 150;
  options.warn = [&](const std::string &text) { told.push_back(text); };
  must(train(stepper, *data, options, {}));
  return told;
}

TEST(Trainer, WarnsOnceOfMemoryThatGrows) {
  EXPECT_TRUE(trainKeeping(0).empty());
  std::vector<std::string> told = trainKeeping(kMiB / 2);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].find("memory grows: from step "), 0u) << told[0];
  EXPECT_NE(told[0].find(" the process took "), std::string::npos) << told[0];
}

TEST(Session, TellsWhatItHolds) {
  Session session =
      must(Session::open(must(Plan::from_bytes(regressionBytes())), {}));
  EXPECT_EQ(session.memory().current_bytes,
            session.memory().planned_peak_bytes);
}

} // namespace
} // namespace ampc::rt::test
