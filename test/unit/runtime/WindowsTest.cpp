// Windows of several micro-batches: which batches each has, how they are
// stacked and found again.
#include "runtime/train/Windows.h"
#include "test/unit/runtime/TestPlans.h"

namespace ampc::rt::test {
namespace {

/// Batches of two samples of two numbers, and a scalar: all hold the index.
class Counted final : public DataSource {
public:
  Counted(std::optional<uint64_t> inEpoch, bool flows)
      : inEpoch(inEpoch), flows(flows) {}

  Expected<const Batch *> batch(uint64_t index) override {
    asked.push_back(index);
    for (float &value : x.as<float>())
      value = float(index);
    s.as<float>()[0] = float(index);
    current.set("x", x);
    current.set("s", s);
    return &current;
  }
  std::optional<uint64_t> batches() const override { return inEpoch; }
  uint64_t left_over() const override { return 1; }
  bool flows_on() const override { return flows; }
  uint64_t batch_size() const override { return 2; }
  std::string describe() const override { return "counted"; }

  std::vector<uint64_t> asked;

private:
  std::optional<uint64_t> inEpoch;
  bool flows;
  Tensor x = must(Tensor::zeros(DType::F32, std::vector<int64_t>{2, 2})),
         s = must(Tensor::zeros(DType::F32, std::vector<int64_t>{}));
  Batch current;
};

using Indices = std::vector<uint64_t>;

/// The batches of windows `from` and the next of `data`.
std::vector<Indices> windowsOf(Counted &data, uint64_t most, uint64_t from,
                               uint64_t count) {
  WindowedData windows(data, most);
  std::vector<Indices> found;
  for (uint64_t i = from; i < from + count; ++i) {
    data.asked.clear();
    must(windows.batch(i));
    EXPECT_EQ(windows.samples(i), 2 * data.asked.size());
    found.push_back(data.asked);
  }
  return found;
}

TEST(WindowedData, CutsAnEpochsLastWindowShort) {
  Counted data(5, false);
  EXPECT_EQ(windowsOf(data, 2, 0, 4),
            (std::vector<Indices>{{0, 1}, {2, 3}, {4}, {5, 6}}));
  EXPECT_EQ(windowsOf(data, 2, 5, 1), (std::vector<Indices>{{9}}));
  EXPECT_EQ(windowsOf(data, 8, 1, 1), (std::vector<Indices>{{5, 6, 7, 8, 9}}));
  WindowedData windows(data, 2);
  EXPECT_EQ(windows.batches(), 3u);
  EXPECT_EQ(windows.batch_size(), 4u);
  EXPECT_EQ(windows.left_over(), 1u);
  EXPECT_EQ(windows.describe(), "counted, 2 batches a step");
}

TEST(WindowedData, CutsNoneWhereEpochsFlowOnOrThereIsNoEnd) {
  for (auto [inEpoch, flows] :
       {std::pair(std::optional<uint64_t>(5), true), {std::nullopt, false}}) {
    Counted data(inEpoch, flows);
    EXPECT_EQ(windowsOf(data, 2, 2, 2), (std::vector<Indices>{{4, 5}, {6, 7}}));
    EXPECT_EQ(WindowedData(data, 2).batches(), std::nullopt);
  }
}

TEST(WindowedData, StacksMicroBatches) {
  Counted data(3, false);
  WindowedData windows(data, 2);
  const Batch *batch = must(windows.batch(0));
  EXPECT_TRUE(
      std::ranges::equal(batch->find("x")->shape, std::vector<int64_t>{4, 2}));
  EXPECT_TRUE(
      std::ranges::equal(batch->find("s")->shape, std::vector<int64_t>{2}));
  Port x{"x", PortKind::Input, DType::F32, {2, 2}},
      s{"s", PortKind::Input, DType::F32, {}};
  std::vector<Port> ports{x, s};
  ASSERT_EQ(must(count_micro_batches(ports, *batch, 2)), 2u);
  for (uint64_t i = 0; i < 2; ++i)
    for (const Port &port : ports) {
      TensorView view = must(micro_view(port, *batch, {i, 2}, "step"));
      EXPECT_TRUE(std::ranges::equal(view.shape, port.shape));
      float first;
      std::memcpy(&first, view.bytes.data(), sizeof first);
      EXPECT_EQ(first, float(i));
    }
  batch = must(windows.batch(1)); // the one that is left
  EXPECT_EQ(must(count_micro_batches(ports, *batch, 2)), 1u);
  must(micro_view(x, *batch, {0, 1}, "step"));
  must(micro_view(s, *batch, {0, 1}, "step"));
}

TEST(WindowedData, OneBatchIsItself) {
  Counted data(3, false);
  WindowedData windows(data, 1);
  EXPECT_EQ(must(windows.batch(7)), must(data.batch(7)));
}

TEST(MicroBatches, WhatIsNoWindowIsSaid) {
  Tensor three = must(Tensor::zeros(DType::F32, std::vector<int64_t>{3, 2})),
         six = must(Tensor::zeros(DType::F32, std::vector<int64_t>{6, 2})),
         none = must(Tensor::zeros(DType::F32, std::vector<int64_t>{0, 2}));
  Port x{"x", PortKind::Input, DType::F32, {2, 2}},
      y{"y", PortKind::Input, DType::F32, {2, 2}};
  std::vector<Port> ports{x, y};
  for (auto [tensor, shape] :
       {std::pair(&three, "3, 2"), {&six, "6, 2"}, {&none, "0, 2"}}) {
    Batch batch;
    batch.set("x", *tensor);
    EXPECT_EQ(errorOf(count_micro_batches(ports, batch, 2)).message,
              "'x' is f32[" + std::string(shape) +
                  "]; a window has 1 to 2 micro-batches of f32[2, 2]");
  }
  Batch batch;
  batch.set("x", six);
  batch.set("y", three);
  EXPECT_EQ(must(count_micro_batches(ports, batch, 3)), 3u);
  EXPECT_EQ(errorOf(micro_view(y, batch, {0, 3}, "step")).message,
            "'y' is f32[3, 2] (24 bytes), expected f32[2, 2] 3 times along the "
            "first axis");
}

TEST(RunWindow, StopsBetweenMicroBatches) {
  std::atomic<bool> stop = false;
  std::vector<std::pair<EntryKind, uint64_t>> ran;
  auto run = [&](EntryKind entry, MicroBatch micro) -> Expected<void> {
    ran.emplace_back(entry, micro.index);
    stop = ran.size() == 3;
    return {};
  };
  EXPECT_EQ(errorOf(run_window(2, &stop, run)).code, Code::Interrupted);
  EXPECT_EQ(ran.size(), 3u);
  ran.clear();
  must(run_window(2, nullptr, run));
  EXPECT_EQ(ran, (std::vector<std::pair<EntryKind, uint64_t>>{
                     {EntryKind::Window, 0},
                     {EntryKind::Window, 1},
                     {EntryKind::MicroStep, 0},
                     {EntryKind::MicroStep, 1},
                     {EntryKind::ApplyStep, 0}}));
}

} // namespace
} // namespace ampc::rt::test
