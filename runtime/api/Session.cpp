// The public members of a session.
#include "runtime/api/Session.h"
#include "runtime/api/Runtime.h"
#include "runtime/api/SessionImpl.h"
#include "runtime/train/InputChecks.h"

#include <algorithm>
#include <fmt/format.h>

#ifndef AMPC_VERSION
#error "the build defines AMPC_VERSION"
#endif

namespace ampc::rt {

const char *runtime_version() { return AMPC_VERSION; }

Session::Session(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

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
  if (impl->waiting() == kResultRing)
    return fail(
        Code::Usage, "step",
        fmt::format("{} results are waiting; poll() takes them", kResultRing));
  if (impl->fault)
    return tl::unexpected(*impl->fault);
  Expected<void> begun = impl->step(batch);
  if (!begun && begun.error().code == Code::BadInput) {
    impl->fault = fault_of(begun.error(), iteration() + 1);
    return tl::unexpected(*impl->fault);
  }
  return begun;
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
  AMPC_TRY(impl->collect(false));
  return impl->ring->pop();
}

Expected<void> Session::sync() {
  AMPC_CHECK_OPEN();
  return impl->collect(true);
}

Expected<std::vector<NamedTensor>> Session::run(EntryKind kind,
                                                const Batch &batch) {
  AMPC_CHECK_OPEN();
  if (writes_variables(kind))
    return fail(
        Code::Usage, "run",
        fmt::format("{} writes variables; step() runs it", name_of(kind)));
  AMPC_ASSIGN(Executor::Run done, impl->run(kind, batch));
  const EntryState &state = impl->entry(kind);
  std::vector<NamedTensor> out;
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    AMPC_ASSIGN(Tensor tensor, impl->outputCopy(done, state, i));
    out.push_back({state.outputs[i].name, std::move(tensor)});
  }
  return out;
}

Expected<std::vector<NamedTensor>> Session::probes() const {
  AMPC_CHECK_OPEN();
  const EntryState &state = impl->entry(impl->probed());
  std::vector<NamedTensor> out;
  if (impl->lastProbed)
    AMPC_TRY(impl->executor->wait(*impl->lastProbed));
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    const Port &port = state.outputs[i];
    if (port.kind != PortKind::Probe)
      continue;
    AMPC_ASSIGN(Tensor tensor,
                impl->lastProbed ? impl->outputCopy(*impl->lastProbed, state, i)
                                 : Tensor::zeros(port.dtype, port.shape));
    out.push_back({port.name, std::move(tensor)});
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
  return write_checkpoint(path, impl->variables->saved(), *impl->variables,
                          {impl->plan.model_hash(), impl->currentSeed(), data},
                          overwrite);
}

Expected<void> Session::load(const std::string &path) {
  AMPC_CHECK_OPEN();
  AMPC_ASSIGN(CheckpointInfo checkpoint,
              read_checkpoint(path, impl->variables->saved(), *impl->variables,
                              impl->plan.model_hash()));
  impl->fault.reset();
  impl->seed = checkpoint.seed;
  AMPC_TRY(impl->variables->setInteger(state::kSeed, int64_t(checkpoint.seed)));
  AMPC_TRY(impl->abandonWindow());
  impl->windows = impl->variables->integer(state::kIteration, 0);
  impl->lastUpdate = impl->variables->integer(state::kUpdate, 0);
  impl->dropResults(); // of the run that is left behind
  return impl->variables->refreshCopies();
}

Expected<void> Session::load_weights(const std::string &path, bool partial) {
  AMPC_CHECK_OPEN();
  AMPC_TRY(read_weights(path, impl->variables->weights(), *impl->variables,
                        partial));
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
  AMPC_ASSIGN(Tensor value, Tensor::zeros(slot->dtype, slot->shape));
  AMPC_TRY(impl->variables->look(
      *slot, [&](std::span<const std::byte> from) -> Expected<void> {
        std::ranges::copy(from, value.bytes().begin());
        return {};
      }));
  return value;
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
              value.bytes.size() == *countOf(slot->shape) * sizeOf(slot->dtype);
  if (!same)
    return fail(Code::Usage, name,
                fmt::format("the variable is {}, the value {} ({} bytes)",
                            typeText(slot->dtype, slot->shape),
                            typeText(value.dtype, value.shape),
                            value.bytes.size()));
  AMPC_TRY(impl->collect(true)); // results are of the state before
  AMPC_TRY(impl->variables->write(*slot, value.bytes));
  impl->lastUpdate = impl->variables->integer(state::kUpdate, impl->lastUpdate);
  return impl->variables->refreshCopies(slot);
}

Expected<void> Session::set_learning_rate(float rate) {
  AMPC_CHECK_OPEN();
  const VariableSlot *slot = impl->variables->find(state::kRate);
  if (!slot)
    return fail(Code::Usage, impl->plan.model_name(),
                "the plan has no learning rate");
  return impl->variables->write(*slot, std::as_bytes(std::span(&rate, 1)));
}

SessionCounters Session::counters() const {
  if (!impl)
    return {};
  return {impl->variables->integer(state::kIteration,
                                   impl->windows + int64_t(impl->underWay)),
          impl->variables->integer(state::kUpdate, impl->lastUpdate),
          impl->variables->integer(state::kMicro, 0), impl->waiting()};
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
