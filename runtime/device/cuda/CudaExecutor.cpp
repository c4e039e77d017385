// Opens a plan on a CUDA device and runs its entries.
#include "runtime/device/cuda/CudaExecutor.h"
#include "runtime/device/FitCheck.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace ampc::rt::cuda {

template <class T>
static unsigned sizeOfVector(const T *vector) {
  return vector ? vector->size() : 0;
}

Expected<std::unique_ptr<CudaExecutor>>
CudaExecutor::create(const PlanFile &file, std::span<const size_t> watched,
                     Allocator &allocator, const CudaOptions &options) {
  AMPC_ASSIGN(std::unique_ptr<Context> context, Context::open(options.device));
  std::unique_ptr<CudaExecutor> result(
      new CudaExecutor(file, watched, std::move(context)));
  AMPC_TRY(result->checkTarget());
  AMPC_TRY(result->makeStream(result->stream));
  AMPC_TRY(result->makeStream(result->copies));
  AMPC_ASSIGN(DiskCache cache, DiskCache::open(options.cache));
  AMPC_ASSIGN(result->kernels, Kernels::load(*result->context, file, cache));
  result->layOutPorts();
  AMPC_TRY(result->openBlas(options));
  AMPC_TRY(result->tryEpilogues(allocator));
  AMPC_TRY(result->allocateBuffers(allocator));
  for (unsigned i = 0; i < file.plan().entries()->size(); ++i)
    AMPC_TRY(
        result->prepare(*file.plan().entries()->Get(i), result->entries[i]));
  result->tuning.write(options.note);
  AMPC_ASSIGN(result->workspace,
              DeviceBlock::allocate(*result->context, result->stream.get(),
                                    allocator, MemoryKind::Workspace,
                                    result->workspaceBytes));
  AMPC_TRY(result->allocateArrivals(allocator));
  AMPC_TRY(result->synchronize());
  if (options.graphs && result->context->api().hasGraphs())
    for (Entry &entry : result->entries)
      result->capture(entry);
  return result;
}

CudaExecutor::~CudaExecutor() {
  // What the members give back is the device's: it must be idle and current.
  if (!context->enter())
    return;
  for (const Owned<Stream> *each : {&copies, &stream})
    if (*each)
      (void)context->api().synchronize(each->get());
}

Expected<void> CudaExecutor::checkTarget() const {
  std::string level = file.plan().target_level()->str();
  int wanted = 0;
  bool good = level.starts_with("sm_");
  if (good) {
    const char *end = level.data() + level.size();
    auto [stop, error] = std::from_chars(level.data() + 3, end, wanted);
    good = error == std::errc() && stop == end;
  }
  if (!good)
    return fail(Code::BadInput, file.name(),
                fmt::format("unknown target level 'cuda:{}'", level));
  if (context->device().arch < wanted)
    return fail(Code::Environment, file.name(),
                fmt::format("the plan is compiled for cuda:{}, {} is sm_{}; "
                            "compile with --target cuda:sm_{}",
                            level, context->device().text(),
                            context->device().arch, context->device().arch));
  return {};
}

/// Whether some entry multiplies matrices: the library is opened only then.
static bool hasContractions(const fb::Plan &plan) {
  for (const fb::Entry *entry : *plan.entries())
    for (unsigned i = 0; i < sizeOfVector(entry->instructions()); ++i)
      if (entry->instructions()->Get(i)->op_as_Contraction())
        return true;
  return false;
}

Expected<void> CudaExecutor::openBlas(const CudaOptions &options) {
  if (!hasContractions(file.plan()))
    return {};
  AMPC_ASSIGN(blas, Blas::open(*context));
  if (!options.tuning.empty())
    tuning = TuningRecord::open(
        options.tuning, blas.tuningKey(context->device()), options.note);
  return {};
}

Expected<void> CudaExecutor::makeStream(Owned<Stream> &to) {
  Stream handle = nullptr;
  AMPC_TRY(
      context->check(context->api().createStream(&handle, kStreamNonBlocking),
                     "a stream cannot be made"));
  to = {handle, context->api().destroyStream};
  return {};
}

Expected<void> CudaExecutor::makeEvent(Owned<Event> &to) {
  Event handle = nullptr;
  AMPC_TRY(context->check(context->api().createEvent(&handle, kEventNoTiming),
                          "an event cannot be made"));
  to = {handle, context->api().destroyEvent};
  return {};
}

uint64_t CudaExecutor::batchBytes() const {
  return portBytes() + watchedBytes() * file.plan().entries()->size();
}

uint64_t CudaExecutor::plannedBytes() const {
  uint64_t bytes = file.plan().variable_bytes() + file.plan().constant_bytes() +
                   arenaBytes() + batchBytes() + workspaceBytes;
  for (const Entry &entry : entries)
    bytes += entry.arrived.size();
  return bytes;
}

void CudaExecutor::layOutPorts() {
  const fb::Plan &plan = file.plan();
  uint64_t next = 0;
  auto place = [&](const auto *list, Ports &ports) {
    ports.begin = next;
    for (unsigned i = 0; i < sizeOfVector(list); ++i) {
      ports.offsets.push_back(ports.bytes);
      ports.bytes += padded(list->Get(i)->bytes());
    }
    next += ports.bytes;
  };
  entries.resize(plan.entries()->size());
  for (unsigned e = 0; e < plan.entries()->size(); ++e) {
    const fb::Entry &source = *plan.entries()->Get(e);
    Entry &entry = entries[e];
    entry.name = source.name()->str();
    place(source.inputs(), entry.inputs);
    place(source.outputs(), entry.outputs);
    entry.watchedOffset = entry.outputs.bytes;
    entry.outputs.bytes += watchedBytes();
    next += watchedBytes();
  }
}

Expected<void> CudaExecutor::allocateBuffers(Allocator &allocator) {
  const fb::Plan &plan = file.plan();
  size_t available = 0, all = 0;
  AMPC_TRY(context->check(context->api().memoryInfo(&available, &all),
                          "its free memory is not told"));
  AMPC_TRY(checkFit(file,
                    {plan.variable_bytes() + plan.constant_bytes(),
                     arenaBytes(), batchBytes()},
                    available, context->device().text()));
  auto allocate = [&](MemoryKind kind, uint64_t bytes) {
    return DeviceBlock::allocate(*context, stream.get(), allocator, kind,
                                 bytes);
  };
  AMPC_ASSIGN(variables,
              allocate(MemoryKind::Variables, plan.variable_bytes()));
  AMPC_ASSIGN(constants,
              allocate(MemoryKind::Variables, plan.constant_bytes()));
  AMPC_ASSIGN(arena, allocate(MemoryKind::Arena, arenaBytes()));
  AMPC_ASSIGN(batches, allocate(MemoryKind::Batch, batchBytes()));
  if (plan.constant_bytes())
    AMPC_TRY(context->check(
        context->api().copyToDevice(constants.address(),
                                    file.section(SectionKind::Constants).data(),
                                    plan.constant_bytes(), stream.get()),
        "the constants cannot be copied"));
  for (unsigned e = 0; e < plan.entries()->size(); ++e)
    AMPC_TRY(makeHostBuffers(*plan.entries()->Get(e), entries[e]));
  return {};
}

/// Whether an entry writes a variable. Of the others the last run is looked at
/// before the next one begins.
static bool writesVariables(const fb::Plan &plan, const fb::Entry &entry) {
  for (unsigned i = 0; i < sizeOfVector(entry.instructions()); ++i) {
    const fb::Instruction &instruction = *entry.instructions()->Get(i);
    auto isVariable = [](const fb::Place *place) {
      return place->space() == fb::Space::Variable;
    };
    if (auto *launch = instruction.op_as_Launch()) {
      auto *written = plan.kernels()->Get(launch->kernel())->arg_written();
      for (unsigned a = 0; a < sizeOfVector(launch->args()); ++a)
        if (written->Get(a) && isVariable(launch->args()->Get(a)))
          return true;
    } else if (auto *op = instruction.op_as_Contraction();
               op && isVariable(op->c())) {
      return true;
    } else if (auto *copy = instruction.op_as_Copy();
               copy && isVariable(copy->dst())) {
      return true;
    } else if (auto *fill = instruction.op_as_Fill();
               fill && isVariable(fill->dst())) {
      return true;
    }
  }
  return false;
}

Expected<void> CudaExecutor::makeHostBuffers(const fb::Entry &source,
                                             Entry &entry) {
  for (size_t i = 0; i < entry.given.size(); ++i) {
    AMPC_ASSIGN(entry.given[i],
                HostBlock::allocate(*context, entry.inputs.bytes));
    AMPC_TRY(makeEvent(entry.taken[i]));
  }
  size_t kept = writesVariables(file.plan(), source) ? kRunsKept : 1;
  entry.results.resize(kept);
  entry.done.resize(kept);
  for (size_t i = 0; i < kept; ++i) {
    AMPC_ASSIGN(entry.results[i],
                HostBlock::allocate(*context, entry.outputs.bytes));
    AMPC_TRY(makeEvent(entry.done[i]));
  }
  return {};
}

Expected<void> CudaExecutor::allocateArrivals(Allocator &allocator) {
  for (unsigned i = 0; i < file.plan().entries()->size(); ++i) {
    Entry &entry = entries[i];
    uint64_t budget = file.plan().memory_budget();
    bool fits = budget == 0 || plannedBytes() + entry.inputs.bytes <= budget;
    if (!fits || !writesVariables(file.plan(), *file.plan().entries()->Get(i)))
      continue;
    AMPC_TRY(makeEvent(entry.moved));
    Expected<DeviceBlock> block =
        DeviceBlock::allocate(*context, stream.get(), allocator,
                              MemoryKind::Batch, entry.inputs.bytes);
    if (block)
      entry.arrived = std::move(*block);
    else if (block.error().code != Code::DoesNotFit)
      return tl::unexpected(block.error());
  }
  return {};
}

Result CudaExecutor::sendInputs(Entry &entry) {
  const DriverApi &api = context->api();
  Address to = batches.address() + entry.inputs.begin;
  const std::byte *from = entry.given[entry.nextInput].data();
  Event taken = entry.taken[entry.nextInput].get();
  Result result = 0;
  auto then = [&](auto call, auto... arguments) {
    if (result == 0)
      result = call(arguments...);
  };
  if (!entry.arrived.size()) {
    then(api.copyToDevice, to, from, entry.inputs.bytes, stream.get());
    then(api.recordEvent, taken, stream.get());
  } else {
    Address at = entry.arrived.address();
    // An event that was never recorded has happened.
    then(api.awaitEvent, copies.get(), entry.moved.get(), 0u);
    then(api.copyToDevice, at, from, entry.inputs.bytes, copies.get());
    then(api.recordEvent, taken, copies.get());
    then(api.awaitEvent, stream.get(), taken, 0u);
    then(api.copy, to, at, entry.inputs.bytes, stream.get());
    then(api.recordEvent, entry.moved.get(), stream.get());
  }
  entry.nextInput = (entry.nextInput + 1) % entry.given.size();
  entry.isFree = false;
  return result;
}

Expected<void> CudaExecutor::synchronize() const {
  return context->check(context->api().synchronize(stream.get()),
                        "what was enqueued fails");
}

Expected<void> CudaExecutor::hold(Expected<void> done) {
  if (!done && !lost)
    lost = done.error();
  return done;
}

Expected<std::byte *> CudaExecutor::input(size_t number, size_t index) {
  if (lost)
    return tl::unexpected(*lost);
  Entry &entry = entries[number];
  if (!entry.isFree) {
    AMPC_TRY(context->enter());
    // An event that was never recorded has happened.
    AMPC_TRY(hold(context->check(
        context->api().waitEvent(entry.taken[entry.nextInput].get()),
        "a run begun earlier fails")));
    entry.isFree = true;
  }
  return entry.given[entry.nextInput].data() + entry.inputs.offsets[index];
}

Expected<Executor::Run> CudaExecutor::begin(size_t number) {
  if (lost)
    return tl::unexpected(*lost);
  AMPC_TRY(context->enter());
  const DriverApi &api = context->api();
  Entry &entry = entries[number];
  auto check = [&](Result result, const char *what) {
    // Any call may be the first to tell of a kernel that went wrong before.
    return Context::isLasting(result) ? reached({number, 0}, result)
                                      : hold(context->check(result, what));
  };
  if (entry.inputs.bytes)
    AMPC_TRY(check(sendInputs(entry), "the inputs cannot be copied"));
  if (entry.graph)
    AMPC_TRY(check(api.launchGraph(entry.graph.get(), stream.get()),
                   "the entry cannot be launched"));
  else
    AMPC_TRY(hold(enqueue(entry)));
  size_t slot = entry.nextResult;
  entry.nextResult = (slot + 1) % entry.results.size();
  if (entry.outputs.bytes)
    AMPC_TRY(check(api.copyToHost(entry.results[slot].data(),
                                  batches.address() + entry.outputs.begin,
                                  entry.outputs.bytes, stream.get()),
                   "the outputs cannot be copied"));
  AMPC_TRY(check(api.recordEvent(entry.done[slot].get(), stream.get()),
                 "the run cannot be followed"));
  return Run{number, slot};
}

Expected<void> CudaExecutor::reached(const Run &run, Result result) {
  if (result == 0)
    return {};
  return hold(tl::unexpected(context->error(
      result, fmt::format("entry '{}' fails", entries[run.entry].name))));
}

Expected<bool> CudaExecutor::isDone(const Run &run) {
  if (lost)
    return tl::unexpected(*lost);
  AMPC_TRY(context->enter());
  Result result =
      context->api().queryEvent(entries[run.entry].done[run.slot].get());
  if (result == kErrorNotReady)
    return false;
  AMPC_TRY(reached(run, result));
  return true;
}

Expected<void> CudaExecutor::wait(const Run &run) {
  if (lost)
    return tl::unexpected(*lost);
  AMPC_TRY(context->enter());
  return reached(
      run, context->api().waitEvent(entries[run.entry].done[run.slot].get()));
}

const std::byte *CudaExecutor::output(const Run &run, size_t index) const {
  const Entry &entry = entries[run.entry];
  return entry.results[run.slot].data() + entry.outputs.offsets[index];
}

const std::byte *CudaExecutor::watched(const Run &run, size_t index) const {
  const Entry &entry = entries[run.entry];
  return entry.results[run.slot].data() + entry.watchedOffset + 8 * index;
}

Expected<void> CudaExecutor::look(size_t index, const Look &look) const {
  if (lost)
    return tl::unexpected(*lost);
  std::vector<std::byte> bytes(valueBytes(index));
  if (!bytes.empty()) {
    AMPC_TRY(context->enter());
    AMPC_TRY(context->check(
        context->api().copyToHost(bytes.data(),
                                  variables.address() + variableOffset(index),
                                  bytes.size(), stream.get()),
        "a variable cannot be copied"));
    AMPC_TRY(synchronize());
  }
  return look(bytes);
}

Expected<void> CudaExecutor::fill(size_t index, const Fill &fill) {
  if (lost)
    return tl::unexpected(*lost);
  std::vector<std::byte> bytes(valueBytes(index));
  AMPC_TRY(fill(bytes));
  if (bytes.empty())
    return {};
  AMPC_TRY(context->enter());
  AMPC_TRY(hold(context->check(
      context->api().copyToDevice(variables.address() + variableOffset(index),
                                  bytes.data(), bytes.size(), stream.get()),
      "a variable cannot be copied")));
  return hold(synchronize());
}

bool CudaExecutor::usesGraphs() const {
  return std::ranges::all_of(entries, [](const Entry &entry) {
    return entry.graph || entry.steps.empty();
  });
}

} // namespace ampc::rt::cuda
