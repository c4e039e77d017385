// Sessions on the CPU.
#include "runtime/api/Session.h"
#include "runtime/api/ResultRing.h"
#include "runtime/api/Runtime.h"
#include "runtime/api/Variables.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/train/Evaluation.h"
#include "runtime/train/InputChecks.h"
#include "runtime/train/Windows.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <mutex>

#ifndef AMPC_VERSION
#error "the build defines AMPC_VERSION"
#endif

namespace ampc::rt {

const char *runtime_version() { return AMPC_VERSION; }

namespace {

/// An entry with its ports, as a step needs them.
struct EntryState {
  bool present = false;
  size_t number = 0;
  std::vector<Port> inputs, outputs;
  std::optional<Port> fault; ///< the output after `outputs`
};

double scalarAt(DType type, const std::byte *from) {
  double value = 0;
  auto good =
      convert(type, from, DType::F64, reinterpret_cast<std::byte *>(&value), 1);
  return good ? value : 0; // 8-bit floats are refused when the session opens
}

/// Sets the pool's size the first time anybody opens a session, and when a
/// number is asked for.
Expected<void> sizePool(int threads) {
  static std::mutex mutex;
  static bool sized = false;
  std::lock_guard lock(mutex);
  if (sized && threads == 0)
    return {};
  AMPC_TRY(ThreadPool::instance().resize(threads));
  sized = true;
  return {};
}

} // namespace

struct Session::Impl {
  Impl(Plan plan, const SessionOptions &options)
      : plan(std::move(plan)), options(options),
        allocator(options.memory_limit) {}

  EntryState &entry(EntryKind kind) {
    return entries[static_cast<size_t>(kind)];
  }
  Expected<void> feed(EntryKind kind, const Batch &batch, MicroBatch micro);
  /// Runs an entry on `batch`, or on one of the micro-batches in it; a fault is
  /// an error.
  Expected<void> run(EntryKind kind, const Batch &batch, MicroBatch micro = {});
  /// Runs the entries of one step.
  Expected<void> window(const Batch &batch);
  /// Lets the next micro-batch begin a window.
  void abandonWindow();
  double output(const EntryState &entry, size_t index) const;
  void record();
  /// What the probes of the step, or of its last micro-batch, tell.
  std::optional<Finding> firstNotFinite() const;
  /// The entry that has the step's probes.
  EntryKind probed() const {
    return accumulates ? EntryKind::MicroStep : EntryKind::TrainStep;
  }
  /// A copy of output `index` of an entry.
  Expected<Tensor> outputCopy(const EntryState &entry, size_t index) const;
  /// Runs an entry of numbers that writes no variable.
  Expected<void> numbers(EntryKind kind, const Batch &batch,
                         std::span<double> values);
  /// Runs eval_step on evaluation batch `index`.
  Expected<void> evalStep(const Batch &batch, uint64_t index,
                          std::span<double> values);
  /// What runs eval_step on batches as short as `batch`.
  Expected<EvalRun::Step> remainderStep(const Batch &batch);
  /// Takes the values of `other`'s variables of the same names.
  Expected<void> adopt(const Impl &other);
  /// The variable that random ops read, where the plan has it.
  uint64_t currentSeed() const {
    return uint64_t(variables->integer(state::kSeed, int64_t(seed)));
  }

  Plan plan;
  SessionOptions options;
  bool accumulates = plan.accumulates();
  const std::atomic<bool> *stop = nullptr; ///< between micro-batches
  Allocator allocator;
  std::unique_ptr<CpuExecutor> executor;
  std::optional<Variables> variables;
  std::array<EntryState, kEntryKinds> entries;
  std::unique_ptr<ResultRing> ring;
  uint64_t seed = 0;              ///< of a plan without a seed variable
  StepOutputs outputs;            ///< of a step
  ProbeReader probes{{}};         ///< of a step
  std::optional<Finding> finding; ///< the first of the window
  std::optional<Error> fault;     ///< of a window: no later one runs (N32)
  int64_t windows = 0;            ///< counted here for plans without counters
  int64_t lastUpdate = 0;         ///< to see whether a window was applied
  /// Of the last incomplete batch that was evaluated; made when it is needed.
  std::unique_ptr<Session> remainder;
};

namespace {

/// Whether an entry that takes `ports` takes `batch`.
bool takes(std::span<const Port> ports, const Batch &batch) {
  return std::all_of(ports.begin(), ports.end(), [&](const Port &port) {
    const TensorView *view = batch.find(port.name);
    return view && view->dtype == port.dtype &&
           std::equal(view->shape.begin(), view->shape.end(),
                      port.shape.begin(), port.shape.end());
  });
}

} // namespace

/// Copies the batch into the entry's input buffers.
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
    if (!view.bytes.empty())
      std::memcpy(executor->input(state.number, i), view.bytes.data(),
                  view.bytes.size());
  }
  return {};
}

Expected<void> Session::Impl::run(EntryKind kind, const Batch &batch,
                                  MicroBatch micro) {
  AMPC_TRY(feed(kind, batch, micro));
  const EntryState &state = entry(kind);
  AMPC_TRY(executor->run(state.number));
  if (!state.fault)
    return {};
  FaultRecord record;
  std::memcpy(record.data(),
              executor->output(state.number, state.outputs.size()),
              sizeof record);
  return check_fault(*state.fault, record);
}

Expected<void> Session::Impl::window(const Batch &batch) {
  finding.reset();
  auto look = [&] {
    if (!probes.empty() && !finding)
      finding = firstNotFinite();
  };
  if (!accumulates) {
    AMPC_TRY(run(EntryKind::TrainStep, batch));
    look();
    return {};
  }
  AMPC_ASSIGN(uint64_t count,
              count_micro_batches(entry(EntryKind::TrainStep).inputs, batch,
                                  plan.train_defaults().accumulate));
  Expected<void> done = run_window(
      count, stop, [&](EntryKind kind, MicroBatch micro) -> Expected<void> {
        AMPC_TRY(run(kind, batch, micro));
        if (kind == EntryKind::MicroStep)
          look();
        return {};
      });
  if (!done)
    abandonWindow();
  return done;
}

void Session::Impl::abandonWindow() {
  variables->setInteger(state::kMicro, 0);
  variables->setInteger(state::kMicros, 0);
}

/// Value of a scalar output as the entry gives it.
double Session::Impl::output(const EntryState &state, size_t index) const {
  return scalarAt(state.outputs[index].dtype,
                  executor->output(state.number, index));
}

/// Writes the window's result into the ring.
void Session::Impl::record() {
  const EntryState &state =
      entry(accumulates ? EntryKind::ApplyStep : EntryKind::TrainStep);
  auto value = [&](size_t port) { return float(output(state, port)); };
  StepResult &result = ring->back();
  ++windows;
  windows = result.iteration = variables->integer(state::kIteration, windows);
  int64_t update = variables->integer(state::kUpdate, lastUpdate + 1);
  result.applied = update != lastUpdate;
  lastUpdate = update;
  const VariableSlot *rate = variables->find(state::kRate);
  result.lr = rate ? float(scalarAt(rate->dtype, rate->bytes.data())) : 0.0f;
  const VariableSlot *scale = variables->find(state::kScale);
  result.scale =
      scale ? std::optional(float(scalarAt(scale->dtype, scale->bytes.data())))
            : std::nullopt;
  outputs.fill(result, value);
  result.finding = std::move(finding);
  ring->push();
}

std::optional<Finding> Session::Impl::firstNotFinite() const {
  const EntryState &state = entries[size_t(probed())];
  return probes.first_not_finite([&](size_t port) {
    const std::byte *at = executor->output(state.number, port);
    DType type = state.outputs[port].dtype;
    return ProbeReader::Range{scalarAt(type, at),
                              scalarAt(type, at + sizeOf(type))};
  });
}

Expected<Tensor> Session::Impl::outputCopy(const EntryState &state,
                                           size_t index) const {
  const Port &port = state.outputs[index];
  AMPC_ASSIGN(Tensor tensor, Tensor::zeros(port.dtype, port.shape));
  if (!tensor.bytes().empty())
    std::memcpy(tensor.bytes().data(), executor->output(state.number, index),
                tensor.bytes().size());
  return tensor;
}

Expected<void> Session::Impl::numbers(EntryKind kind, const Batch &batch,
                                      std::span<double> values) {
  EntryState &state = entry(kind);
  AMPC_TRY(run(kind, batch));
  for (size_t i = 0; i < state.outputs.size(); ++i)
    values[i] = output(state, i);
  return {};
}

Expected<void> Session::Impl::evalStep(const Batch &batch, uint64_t index,
                                       std::span<double> values) {
  variables->setInteger(state::kEvalIndex, int64_t(index));
  return numbers(EntryKind::EvalStep, batch, values);
}

Expected<void> Session::Impl::adopt(const Impl &other) {
  for (const VariableSlot &slot : variables->all()) {
    const VariableSlot *from = other.variables->find(slot.name);
    if (!from || from->dtype != slot.dtype || from->shape != slot.shape)
      return fail(Code::Usage, plan.model_name(),
                  fmt::format("variable '{}' is {} in batches of another size",
                              slot.name, typeText(slot.dtype, slot.shape)));
    if (!slot.bytes.empty())
      std::memcpy(slot.bytes.data(), from->bytes.data(), slot.bytes.size());
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

Session::Session(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

Expected<Session> Session::open(const Plan &plan,
                                const SessionOptions &options) {
  AMPC_TRY(sizePool(options.threads));
  auto impl = std::make_unique<Impl>(plan, options);
  CpuFeatures features = CpuFeatures::probe(options.cpu_level_limit);
  AMPC_ASSIGN(impl->executor,
              CpuExecutor::create(*plan.file(), impl->allocator, features));
  for (size_t i = 0; i < kEntryKinds; ++i) {
    auto kind = EntryKind(i);
    EntryState &state = impl->entry(kind);
    std::optional<size_t> number = impl->executor->entry(name_of(kind));
    state.present = plan.has_entry(kind);
    state.number = number.value_or(0);
    state.inputs = plan.inputs(kind);
    state.outputs = plan.outputs(kind);
    state.fault = plan.fault(kind);
  }
  AMPC_ASSIGN(impl->outputs,
              classify_outputs(impl->entry(EntryKind::TrainStep).outputs,
                               plan.file()->name()));
  impl->probes = ProbeReader(impl->entry(impl->probed()).outputs);
  impl->ring = std::make_unique<ResultRing>(impl->outputs.extras.size());
  AMPC_ASSIGN(impl->variables,
              Variables::create(*plan.file(), *impl->executor));
  impl->seed = options.seed.value_or(plan.train_defaults().seed);
  AMPC_TRY(impl->variables->initialise(impl->seed));
  impl->lastUpdate = impl->variables->integer(state::kUpdate, 0);
  return Session(std::move(impl));
}

/// Every member below begins with this: a moved-from session is misuse, not a
/// crash.
#define AMPC_CHECK_OPEN()                                                      \
  if (!impl)                                                                   \
  return fail(Code::Usage, "session", "the session was moved from")

std::string Session::model_name() const {
  return impl ? impl->plan.model_name() : "";
}

bool Session::has_entry(EntryKind entry) const {
  return impl && impl->entry(entry).present;
}

std::vector<Port> Session::inputs(EntryKind entry) const {
  return impl ? impl->entry(entry).inputs : std::vector<Port>();
}

std::vector<Port> Session::outputs(EntryKind entry) const {
  return impl ? impl->entry(entry).outputs : std::vector<Port>();
}

std::vector<std::string> Session::extra_names() const {
  return impl ? impl->outputs.extra_names : std::vector<std::string>();
}

Expected<void> Session::step(const Batch &batch) {
  AMPC_CHECK_OPEN();
  if (impl->ring->full())
    return fail(
        Code::Usage, "step",
        fmt::format("{} results are waiting; poll() takes them", kResultRing));
  if (impl->fault)
    return tl::unexpected(*impl->fault);
  if (Expected<void> ran = impl->window(batch); !ran) {
    if (ran.error().code == Code::BadInput)
      impl->fault = fault_of(ran.error(), iteration() + 1);
    return tl::unexpected(impl->fault.value_or(ran.error()));
  }
  impl->record();
  return {};
}

uint64_t Session::accumulate() const {
  return impl && impl->accumulates ? impl->plan.train_defaults().accumulate : 1;
}

void Session::stop_at(const std::atomic<bool> *stop) {
  if (impl)
    impl->stop = stop;
}

Expected<std::optional<StepResult>> Session::poll() {
  AMPC_CHECK_OPEN();
  return impl->ring->pop();
}

Expected<void> Session::sync() {
  AMPC_CHECK_OPEN();
  return {}; // on the CPU a step is done when it returns
}

Expected<std::vector<NamedTensor>> Session::run(EntryKind kind,
                                                const Batch &batch) {
  AMPC_CHECK_OPEN();
  if (writes_variables(kind))
    return fail(
        Code::Usage, "run",
        fmt::format("{} writes variables; step() runs it", name_of(kind)));
  AMPC_TRY(impl->run(kind, batch));
  const EntryState &state = impl->entry(kind);
  std::vector<NamedTensor> out;
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    AMPC_ASSIGN(Tensor tensor, impl->outputCopy(state, i));
    out.push_back({state.outputs[i].name, std::move(tensor)});
  }
  return out;
}

Expected<std::vector<NamedTensor>> Session::probes() const {
  AMPC_CHECK_OPEN();
  const EntryState &state = impl->entry(impl->probed());
  std::vector<NamedTensor> out;
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    if (state.outputs[i].kind != PortKind::Probe)
      continue;
    AMPC_ASSIGN(Tensor tensor, impl->outputCopy(state, i));
    out.push_back({state.outputs[i].name, std::move(tensor)});
  }
  return out;
}

Expected<EvalResult> Session::eval(DataSource &data, uint64_t batches) {
  AMPC_CHECK_OPEN();
  for (EntryKind kind : {EntryKind::EvalStep, EntryKind::EvalFinish})
    if (!impl->entry(kind).present)
      return fail(Code::Usage, impl->plan.model_name(),
                  fmt::format("the plan has no entry '{}'", name_of(kind)));
  EvalRun entries{
      impl->entry(EntryKind::EvalStep).outputs,
      impl->entry(EntryKind::EvalFinish).inputs,
      impl->entry(EntryKind::EvalFinish).outputs,
      [&](const Batch &batch, uint64_t index, std::span<double> values) {
        return impl->evalStep(batch, index, values);
      },
      [&](const Batch &batch, std::span<double> values) {
        return impl->numbers(EntryKind::EvalFinish, batch, values);
      }};
  if (impl->options.plan_for)
    entries.remainder = [&](const Batch &batch) {
      return impl->remainderStep(batch);
    };
  return evaluate(data, batches, entries);
}

Expected<void> Session::save(const std::string &path, bool overwrite,
                             const std::string &data) {
  AMPC_CHECK_OPEN();
  return write_checkpoint(path, impl->variables->saved(),
                          {impl->plan.model_hash(), impl->currentSeed(), data},
                          overwrite);
}

Expected<void> Session::load(const std::string &path) {
  AMPC_CHECK_OPEN();
  AMPC_ASSIGN(
      CheckpointInfo checkpoint,
      read_checkpoint(path, impl->variables->saved(), impl->plan.model_hash()));
  impl->fault.reset();
  impl->seed = checkpoint.seed;
  impl->variables->setInteger(state::kSeed, int64_t(checkpoint.seed));
  impl->abandonWindow();
  impl->windows = impl->variables->integer(state::kIteration, 0);
  impl->lastUpdate = impl->variables->integer(state::kUpdate, 0);
  while (impl->ring->pop()) // results of the run that is left behind
    ;
  return impl->variables->refreshCopies();
}

Expected<void> Session::load_weights(const std::string &path, bool partial) {
  AMPC_CHECK_OPEN();
  AMPC_TRY(read_weights(path, impl->variables->weights(), partial));
  return impl->variables->refreshCopies();
}

std::vector<std::string> Session::variables() const {
  std::vector<std::string> names;
  if (impl)
    for (const VariableSlot &slot : impl->variables->all())
      names.push_back(slot.name);
  return names;
}

Expected<Tensor> Session::read(const std::string &name) const {
  AMPC_CHECK_OPEN();
  const VariableSlot *slot = impl->variables->find(name);
  if (!slot)
    return fail(Code::Usage, impl->plan.model_name(),
                fmt::format("no variable '{}'", name));
  return Tensor::copy_of({slot->dtype, slot->shape, slot->bytes});
}

Expected<void> Session::write(const std::string &name,
                              const TensorView &value) {
  AMPC_CHECK_OPEN();
  const VariableSlot *slot = impl->variables->find(name);
  if (!slot)
    return fail(Code::Usage, impl->plan.model_name(),
                fmt::format("no variable '{}'", name));
  if (const VariableSlot *source = impl->variables->sourceOf(*slot))
    return fail(Code::Usage, name,
                fmt::format("the variable is the 16-bit copy of '{}' and "
                            "follows it; write that",
                            source->name));
  bool same = value.dtype == slot->dtype &&
              std::equal(value.shape.begin(), value.shape.end(),
                         slot->shape.begin(), slot->shape.end()) &&
              value.bytes.size() == slot->bytes.size();
  if (!same)
    return fail(Code::Usage, name,
                fmt::format("the variable is {}, the value {} ({} bytes)",
                            typeText(slot->dtype, slot->shape),
                            typeText(value.dtype, value.shape),
                            value.bytes.size()));
  if (!value.bytes.empty())
    std::memcpy(slot->bytes.data(), value.bytes.data(), value.bytes.size());
  impl->lastUpdate = impl->variables->integer(state::kUpdate, impl->lastUpdate);
  return impl->variables->refreshCopies(slot);
}

Expected<void> Session::set_learning_rate(float rate) {
  AMPC_CHECK_OPEN();
  const VariableSlot *slot = impl->variables->find(state::kRate);
  if (!slot)
    return fail(Code::Usage, impl->plan.model_name(),
                "the plan has no learning rate");
  std::memcpy(slot->bytes.data(), &rate, sizeof rate);
  return {};
}

SessionCounters Session::counters() const {
  if (!impl)
    return {};
  return {impl->variables->integer(state::kIteration, impl->windows),
          impl->variables->integer(state::kUpdate, impl->lastUpdate),
          impl->variables->integer(state::kMicro, 0), impl->ring->size()};
}

int64_t Session::iteration() const { return counters().iteration; }

MemoryReport Session::memory() const {
  if (!impl)
    return {};
  MemoryReport report{impl->allocator.peak(), impl->executor->plannedBytes(),
                      impl->allocator.current()};
  if (impl->remainder) {
    MemoryReport more = impl->remainder->memory();
    report.peak_bytes += more.peak_bytes;
    report.planned_peak_bytes += more.planned_peak_bytes;
    report.current_bytes += more.current_bytes;
  }
  return report;
}

uint64_t Session::seed() const { return impl ? impl->currentSeed() : 0; }

} // namespace ampc::rt
