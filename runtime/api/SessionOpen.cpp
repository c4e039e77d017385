// Opens sessions: the device, the entries, the variables.
#include "runtime/api/Devices.h"
#include "runtime/api/SessionImpl.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/device/cpu/CpuExecutor.h"
#include "runtime/device/cuda/CudaExecutor.h"

#include <fmt/format.h>
#include <mutex>

namespace ampc::rt {

/// Sets the pool's size the first time anybody opens a session on the CPU, and
/// when a number is asked for.
static Expected<void> sizePool(int threads) {
  static std::mutex mutex;
  static bool sized = false;
  std::lock_guard lock(mutex);
  if (sized && threads == 0)
    return {};
  AMPC_TRY(ThreadPool::instance().resize(threads));
  sized = true;
  return {};
}

Expected<void> Session::Impl::openExecutor() {
  const PlanFile &file = *plan.file();
  std::vector<size_t> numbers;
  constexpr const char *names[kWatched] = {state::kIteration, state::kUpdate,
                                           state::kRate, state::kScale};
  auto *list = file.plan().variables();
  for (size_t i = 0; i < kWatched; ++i)
    for (unsigned v = 0; list && v < list->size(); ++v)
      if (list->Get(v)->name()->string_view() == names[i]) {
        watched[i] = numbers.size();
        numbers.push_back(v);
      }
  std::string kind = file.plan().target_kind()->str();
  if (kind != "cpu" && kind != "cuda")
    return fail(
        Code::BadInput, file.name(),
        fmt::format("plan for target '{}', expected 'cpu' or 'cuda'", kind));
  AMPC_ASSIGN(DeviceName device, parse_device(options.device));
  if (device.kind != "auto" && device.kind != kind)
    return fail(Code::Usage, "--device",
                fmt::format("'{}' does not run {}, which is compiled for {}; "
                            "compile it with --target {}, or run it on {}",
                            options.device, file.name(), kind, device.kind,
                            kind));
  if (kind == "cuda") {
    cuda::CudaOptions settings{device.number, options.cuda_graphs,
                               options.kernel_cache};
    // A plan that is no file is compiled again each time: nothing stands
    // beside.
    if (std::string path = file.path(); !path.empty())
      settings.tuning = path + ".tune";
    settings.note = options.note;
    AMPC_ASSIGN(executor,
                cuda::CudaExecutor::create(file, numbers, allocator, settings));
    return {};
  }
  AMPC_TRY(sizePool(options.threads));
  AMPC_ASSIGN(executor,
              CpuExecutor::create(file, numbers, allocator,
                                  CpuFeatures::probe(options.cpu_level_limit)));
  return {};
}

Expected<void> Session::Impl::prepare() {
  for (size_t i = 0; i < kEntryKinds; ++i) {
    auto kind = EntryKind(i);
    EntryState &state = entry(kind);
    state.present = plan.has_entry(kind);
    state.number = executor->entry(name_of(kind)).value_or(0);
    state.inputs = plan.inputs(kind);
    state.outputs = plan.outputs(kind);
    state.fault = plan.fault(kind);
  }
  AMPC_ASSIGN(outputs, classify_outputs(entry(EntryKind::TrainStep).outputs,
                                        plan.file()->name()));
  probes = ProbeReader(entry(probed()).outputs);
  ring = std::make_unique<ResultRing>(outputs.extras.size());
  AMPC_ASSIGN(variables, Variables::create(*plan.file(), *executor));
  seed = options.seed.value_or(plan.train_defaults().seed);
  AMPC_TRY(variables->initialise(seed));
  lastUpdate = variables->integer(state::kUpdate, 0);
  return {};
}

Expected<Session> Session::open(const Plan &plan,
                                const SessionOptions &options) {
  auto impl = std::make_unique<Impl>(plan, options);
  AMPC_TRY(impl->openExecutor());
  AMPC_TRY(impl->prepare());
  return Session(std::move(impl));
}

} // namespace ampc::rt
