// Runs the entries of a session: steps and their results, evaluation.
#include "runtime/api/SessionImpl.h"
#include "runtime/train/InputChecks.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt {

static double scalarAt(DType type, const std::byte *from) {
  double value = 0;
  auto good =
      convert(type, from, DType::F64, reinterpret_cast<std::byte *>(&value), 1);
  return good ? value : 0; // 8-bit floats are refused when the session opens
}

/// Whether an entry that takes `ports` takes `batch`.
static bool takes(std::span<const Port> ports, const Batch &batch) {
  return std::all_of(ports.begin(), ports.end(), [&](const Port &port) {
    const TensorView *view = batch.find(port.name);
    return view && view->dtype == port.dtype &&
           std::equal(view->shape.begin(), view->shape.end(),
                      port.shape.begin(), port.shape.end());
  });
}

Expected<void> Session::Impl::feed(EntryKind kind, const Batch &batch,
                                   MicroBatch micro) {
  EntryState &state = entry(kind);
  if (!state.present)
    return fail(Code::Usage, plan.model_name(),
                fmt::format("the plan has no entry '{}'", name_of(kind)));
  for (size_t i = 0; i < state.inputs.size(); ++i) {
    const Port &port = state.inputs[i];
    AMPC_ASSIGN(TensorView view, micro_view(port, batch, micro, name_of(kind)));
    AMPC_TRY(check_input(port, view));
    AMPC_ASSIGN(std::byte * to, executor->input(state.number, i));
    if (!view.bytes.empty())
      std::memcpy(to, view.bytes.data(), view.bytes.size());
  }
  return {};
}

Expected<Executor::Run> Session::Impl::begin(EntryKind kind, const Batch &batch,
                                             MicroBatch micro) {
  AMPC_TRY(feed(kind, batch, micro));
  const EntryState &state = entry(kind);
  AMPC_ASSIGN(Executor::Run run, executor->begin(state.number));
  if (!state.fault)
    return run;
  AMPC_TRY(executor->wait(run));
  FaultRecord record;
  std::memcpy(record.data(), executor->output(run, state.outputs.size()),
              sizeof record);
  AMPC_TRY(check_fault(*state.fault, record));
  return run;
}

Expected<Executor::Run> Session::Impl::run(EntryKind kind, const Batch &batch) {
  AMPC_ASSIGN(Executor::Run run, begin(kind, batch));
  AMPC_TRY(executor->wait(run));
  return run;
}

Expected<Executor::Run> Session::Impl::window(const Batch &batch) {
  finding.reset();
  Executor::Run last;
  auto begun = [&](EntryKind kind, MicroBatch micro) -> Expected<void> {
    AMPC_ASSIGN(last, begin(kind, batch, micro));
    if (kind != probed())
      return {};
    lastProbed = last;
    if (probes.empty() || finding)
      return {};
    AMPC_TRY(executor->wait(last));
    finding = firstNotFinite(last);
    return {};
  };
  if (!accumulates) {
    AMPC_TRY(begun(EntryKind::TrainStep, {}));
    return last;
  }
  AMPC_ASSIGN(uint64_t count,
              count_micro_batches(entry(EntryKind::TrainStep).inputs, batch,
                                  plan.train_defaults().accumulate));
  Expected<void> done = run_window(count, stop, begun);
  if (!done) {
    AMPC_TRY(abandonWindow());
    return tl::unexpected(std::move(done).error());
  }
  return last;
}

Expected<void> Session::Impl::step(const Batch &batch) {
  if (underWay == kRunsKept) { // the next one would overwrite the oldest
    AMPC_TRY(executor->wait(runs[oldest]));
    AMPC_TRY(collect(false));
  }
  AMPC_ASSIGN(Executor::Run last, window(batch));
  runs[(oldest + underWay++) % kRunsKept] = last;
  return collect(/*all=*/!probes.empty()); // a finding is the last window's
}

Expected<void> Session::Impl::abandonWindow() {
  AMPC_TRY(variables->setInteger(state::kMicro, 0));
  return variables->setInteger(state::kMicros, 0);
}

Expected<void> Session::Impl::collect(bool all) {
  while (underWay) {
    const Executor::Run &run = runs[oldest];
    if (all)
      AMPC_TRY(executor->wait(run));
    AMPC_ASSIGN(bool done, executor->isDone(run));
    if (!done)
      return {};
    record(run);
    oldest = (oldest + 1) % kRunsKept;
    --underWay;
  }
  return {};
}

void Session::Impl::dropResults() {
  underWay = 0;
  while (ring->pop())
    ;
}

double Session::Impl::output(const Executor::Run &run, const EntryState &state,
                             size_t index) const {
  return scalarAt(state.outputs[index].dtype, executor->output(run, index));
}

void Session::Impl::record(const Executor::Run &run) {
  const EntryState &state = entry(reporting());
  auto bytes = [&](Watched which) -> const std::byte * {
    std::optional<size_t> place = watched[size_t(which)];
    return place ? executor->watched(run, *place) : nullptr;
  };
  auto integer = [&](Watched which, int64_t otherwise) {
    if (const std::byte *from = bytes(which))
      std::memcpy(&otherwise, from, sizeof otherwise);
    return otherwise;
  };
  auto number = [&](Watched which) -> std::optional<float> {
    const std::byte *from = bytes(which);
    return from ? std::optional(float(scalarAt(DType::F32, from)))
                : std::nullopt;
  };
  StepResult &result = ring->back();
  windows = result.iteration = integer(Watched::Iteration, windows + 1);
  int64_t update = integer(Watched::Update, lastUpdate + 1);
  result.applied = update != lastUpdate;
  lastUpdate = update;
  result.lr = number(Watched::Rate).value_or(0.0f);
  result.scale = number(Watched::Scale);
  outputs.fill(result,
               [&](size_t port) { return float(output(run, state, port)); });
  result.finding = std::exchange(finding, std::nullopt);
  ring->push();
}

std::optional<Finding>
Session::Impl::firstNotFinite(const Executor::Run &run) const {
  const EntryState &state = entry(probed());
  return probes.first_not_finite([&](size_t port) {
    const std::byte *at = executor->output(run, port);
    DType type = state.outputs[port].dtype;
    return ProbeReader::Range{scalarAt(type, at),
                              scalarAt(type, at + sizeOf(type))};
  });
}

Expected<Tensor> Session::Impl::outputCopy(const Executor::Run &run,
                                           const EntryState &state,
                                           size_t index) const {
  const Port &port = state.outputs[index];
  AMPC_ASSIGN(Tensor tensor, Tensor::zeros(port.dtype, port.shape));
  if (!tensor.bytes().empty())
    std::memcpy(tensor.bytes().data(), executor->output(run, index),
                tensor.bytes().size());
  return tensor;
}

Expected<void> Session::Impl::numbers(EntryKind kind, const Batch &batch,
                                      std::span<double> values) {
  AMPC_ASSIGN(Executor::Run done, run(kind, batch));
  const EntryState &state = entry(kind);
  for (size_t i = 0; i < state.outputs.size(); ++i)
    values[i] = output(done, state, i);
  return {};
}

Expected<void> Session::Impl::evalStep(const Batch &batch, uint64_t index,
                                       std::span<double> values) {
  AMPC_TRY(variables->setInteger(state::kEvalIndex, int64_t(index)));
  return numbers(EntryKind::EvalStep, batch, values);
}

Expected<void> Session::Impl::adopt(const Impl &other) {
  for (const VariableSlot &slot : variables->all()) {
    const VariableSlot *from = other.variables->find(slot.name);
    if (!from || from->dtype != slot.dtype || from->shape != slot.shape)
      return fail(Code::Usage, plan.model_name(),
                  fmt::format("variable '{}' is {} in batches of another size",
                              slot.name, typeText(slot.dtype, slot.shape)));
    AMPC_TRY(
        other.variables->look(*from, [&](std::span<const std::byte> bytes) {
          return variables->write(slot, bytes);
        }));
  }
  return {};
}

Expected<EvalRun::Step> Session::Impl::remainderStep(const Batch &batch) {
  if (!remainder || !takes(remainder->inputs(EntryKind::EvalStep), batch)) {
    remainder.reset();
    AMPC_ASSIGN(Plan shorter, options.plan_for(batch));
    SessionOptions settings = options;
    settings.plan_for = {};
    settings.threads = 0;
    if (options.memory_limit)
      settings.memory_limit =
          options.memory_limit -
          std::min(options.memory_limit - 1, allocator.current());
    AMPC_ASSIGN(Session opened, Session::open(shorter, settings));
    const EntryState &mine = entry(EntryKind::EvalStep);
    const EntryState &its = opened.impl->entry(EntryKind::EvalStep);
    if (!takes(its.inputs, batch) || its.outputs.size() != mine.outputs.size())
      return fail(Code::Usage, plan.model_name(),
                  "the model for batches of another size is another one");
    remainder = std::make_unique<Session>(std::move(opened));
  }
  AMPC_TRY(remainder->impl->adopt(*this));
  return [this](const Batch &last, uint64_t index, std::span<double> values) {
    return remainder->impl->evalStep(last, index, values);
  };
}

} // namespace ampc::rt
