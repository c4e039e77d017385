// Evaluation over a data set.
#include "runtime/train/Evaluation.h"

#include <algorithm>
#include <fmt/format.h>

namespace ampc::rt {

Stepper::~Stepper() = default;

namespace {

/// The totals as the tensors that eval_finish takes.
Expected<std::vector<NamedTensor>>
totalTensors(const EvalRun &run, std::span<const double> totals) {
  std::vector<NamedTensor> tensors;
  for (const Port &port : run.totals) {
    size_t i = 0;
    while (i < run.partials.size() && run.partials[i].name != port.name)
      ++i;
    if (i == run.partials.size() || !port.shape.empty())
      return fail(Code::BadInput, name_of(EntryKind::EvalFinish),
                  fmt::format("'{}' is no total of what {} gives", port.name,
                              name_of(EntryKind::EvalStep)));
    AMPC_ASSIGN(Tensor tensor, Tensor::zeros(port.dtype, port.shape));
    AMPC_TRY(convert(DType::F64,
                     reinterpret_cast<const std::byte *>(&totals[i]),
                     port.dtype, tensor.bytes().data(), 1));
    tensors.push_back({port.name, std::move(tensor)});
  }
  return tensors;
}

/// The values by name: the total of several losses, losses, then metrics.
void sortValues(const EvalRun &run, std::span<const double> values,
                EvalResult &result) {
  for (PortKind kind : {PortKind::Loss, PortKind::Metric})
    for (size_t i = 0; i < run.values.size(); ++i) {
      const Port &port = run.values[i];
      if (port.kind != kind)
        continue;
      result.values.emplace_back(port.name, values[i]);
      if (kind == PortKind::Loss)
        result.loss += values[i];
    }
  auto isLoss = [](const Port &port) { return port.kind == PortKind::Loss; };
  if (std::ranges::count_if(run.values, isLoss) > 1)
    result.values.insert(result.values.begin(), {"loss", result.loss});
}

/// What runs the data's last incomplete batch; empty where nothing does, which
/// `result` then says.
Expected<EvalRun::Step> remainderStep(DataSource &data, const EvalRun &run,
                                      EvalResult &result) {
  if (!result.left_over || !run.remainder)
    return EvalRun::Step();
  Expected<const Batch *> batch = data.remainder();
  if (!batch && batch.error().code != Code::Usage)
    return tl::unexpected(batch.error());
  Expected<EvalRun::Step> step =
      batch ? run.remainder(**batch) : tl::unexpected(batch.error());
  if (step)
    return step;
  result.left_over_reason = step.error().text();
  return EvalRun::Step();
}

} // namespace

Expected<void> StoppableData::check() const {
  if (stop && stop->load(std::memory_order_relaxed))
    return fail(Code::Interrupted, data.describe(), "interrupted");
  return {};
}

Expected<const Batch *> StoppableData::batch(uint64_t index) {
  AMPC_TRY(check());
  return data.batch(index);
}

Expected<const Batch *> StoppableData::remainder() {
  AMPC_TRY(check());
  return data.remainder();
}

Expected<EvalResult> evaluate(DataSource &data, uint64_t batches,
                              const EvalRun &run) {
  EvalResult result;
  bool wholeEpoch = batches == 0;
  if (wholeEpoch) {
    std::optional<uint64_t> available = data.batches();
    if (!available)
      return fail(
          Code::Usage, data.describe(),
          "the data has no end; say how many batches to evaluate (--steps N)");
    batches = *available;
    result.left_over = data.left_over();
  }
  AMPC_ASSIGN(EvalRun::Step last, remainderStep(data, run, result));
  std::vector<double> partials(run.partials.size()), totals(partials.size());
  auto add = [&] {
    for (size_t i = 0; i < partials.size(); ++i)
      totals[i] += partials[i];
  };
  for (uint64_t i = 0; i < batches; ++i) {
    AMPC_ASSIGN(const Batch *batch, data.batch(i));
    AMPC_TRY(run.step(*batch, i, partials));
    add();
    result.samples += data.batch_size();
  }
  if (last) {
    AMPC_ASSIGN(const Batch *batch, data.remainder());
    AMPC_TRY(last(*batch, batches, partials));
    add();
    result.samples += result.left_over;
    result.left_over = 0;
  }
  AMPC_ASSIGN(std::vector<NamedTensor> tensors, totalTensors(run, totals));
  Batch batch;
  for (const NamedTensor &total : tensors)
    batch.set(total.name, total.tensor);
  std::vector<double> values(run.values.size());
  AMPC_TRY(run.finish(batch, values));
  sortValues(run, values, result);
  return result;
}

} // namespace ampc::rt
