#include "test/hostgpu/driver/Launch.h"
#include "test/hostgpu/driver/Signals.h"

#include <cstring>
#include <sys/mman.h>

using namespace ampc::hostgpu;

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kDynamicBytes = 256 * 1024;
/// Grids up to this many blocks are shuffled, larger ones run in either
/// direction.
constexpr uint64_t kShuffledBlocks = 1 << 16;

/// The runner of the kernel that runs now: one at a time, under the driver's
/// lock.
LaunchRunner *active = nullptr;
std::string failureText;

std::string text(const ampc_host_index &index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + ")";
}

} // namespace

void ampc::hostgpu::fail(const std::string &what) {
  failureText = what;
  sigjmp_buf *exit = kernelExit;
  kernelExit = nullptr;
  siglongjmp(*exit, 2);
}

namespace ampc::hostgpu {
/// What kernels call.
struct Callbacks {
  static void barrier(int line) { active->block.barrier(line); }
  static unsigned long warp(int operation, unsigned mask, unsigned long value,
                            int argument, int width, int line) {
    return active->block.meet(operation, mask, value, argument, width, line);
  }
  static void access(const void *address, unsigned bytes, int isWrite) {
    active->judge(address, bytes, isWrite);
  }
};
} // namespace ampc::hostgpu

int LaunchRunner::currentThread() const {
  if (asFibers)
    return block.current();
  const ampc_host_state &state = *launched->module->table().state;
  return int(state.thread.x +
             state.block_size.x *
                 (state.thread.y + state.block_size.y * state.thread.z));
}

void LaunchRunner::judge(const void *address, unsigned bytes, bool isWrite) {
  int thread = currentThread();
  if (sharedChecks.covers(address)) {
    std::string wrong =
        sharedChecks.access(address, bytes, isWrite, thread, clock);
    if (!wrong.empty())
      fail(wrong);
    return;
  }
  if (memory.inWindow(address)) {
    std::string wrong =
        deviceChecks.access(address, bytes, isWrite, thread, clock);
    if (!wrong.empty())
      fail(wrong + memory.describe(address));
    return;
  }
  auto *at = static_cast<const std::byte *>(address);
  auto *here = static_cast<const std::byte *>(__builtin_frame_address(0));
  bool onStack = stacks.contains(address) || (at >= here && at < callerFrame);
  if (!onStack && !pinned.around(address))
    fail((isWrite ? "writes " : "reads ") + std::to_string(bytes) +
         " bytes at " + memory.describe(address) +
         " and neither shared nor local either");
}

std::string LaunchRunner::where() const {
  const ampc_host_state &state = *launched->module->table().state;
  return std::string("kernel '") + launched->kernel->name + "', block " +
         text(state.block) + ", thread " + text(state.thread);
}

bool LaunchRunner::prepareDynamic(size_t bytes) {
  if (!dynamicPages) {
    void *pages = mmap(nullptr, kDynamicBytes + kPage, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
      return false;
    dynamicPages = static_cast<std::byte *>(pages);
    mprotect(dynamicPages + kDynamicBytes, kPage, PROT_NONE);
  }
  dynamicShared = dynamicPages + kDynamicBytes - (bytes + 15) / 16 * 16;
  return true;
}

void LaunchRunner::orderBlocks(uint64_t count, Random &random) {
  order.clear();
  uint32_t kind = random.below(3);
  reverse = kind == 1;
  if (kind != 2 || count > kShuffledBlocks)
    return;
  order.resize(count);
  for (uint32_t i = 0; i < count; ++i)
    order[i] = i;
  for (size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[random.below(uint32_t(i))]);
}

Failure LaunchRunner::run(const Launch &launch, Random &random,
                          uint8_t poison) {
  if (!prepareDynamic(launch.dynamicBytes))
    return {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            "no memory for dynamic shared memory"};
  launched = &launch;
  active = this;
  callerFrame = static_cast<const std::byte *>(__builtin_frame_address(0));
  orderBlocks(uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z, random);
  Failure failure = runBlocks(launch, random, poison);
  kernelExit = nullptr;
  active = nullptr;
  if (failure.code == CUDA_SUCCESS)
    failure = checkRedzones(launch);
  launched = nullptr;
  return failure;
}

Failure LaunchRunner::runBlocks(const Launch &launch, Random &random,
                                uint8_t poison) {
  const ampc_host_module &module = launch.module->table();
  ampc_host_state &state = *module.state;
  state.block_size = launch.block;
  state.grid_size = launch.grid;
  state.dynamic_shared = dynamicShared;
  state.device_begin = reinterpret_cast<unsigned long>(memory.windowBegin());
  // A kernel that is watched byte by byte has no memory of its own.
  state.device_bytes = deviceChecks.isOn ? 0 : memory.windowBytes();
  state.barrier = Callbacks::barrier;
  state.warp = Callbacks::warp;
  state.access = Callbacks::access;
  asFibers = module.meets_begin != module.meets_end;

  std::vector<uint64_t> values = launch.arguments;
  std::vector<void *> arguments(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    arguments[i] = &values[i];
    const ampc_host_parameter &parameter = launch.kernel->parameters[i];
    if (!parameter.is_pointer || !values[i])
      continue;
    if (DeviceMemory::isDeviceAddress(values[i]))
      values[i] = reinterpret_cast<uint64_t>(DeviceMemory::toKernel(values[i]));
    else if (!pinned.around(reinterpret_cast<void *>(values[i])))
      return {CUDA_ERROR_ILLEGAL_ADDRESS,
              std::string("kernel '") + launch.kernel->name + "': argument " +
                  std::to_string(i) + " is a pageable host address"};
  }

  // Everything with a destructor stands above: the jump skips none.
  sigjmp_buf exit;
  if (int how = sigsetjmp(exit, 0)) {
    if (how == 2)
      return {CUDA_ERROR_LAUNCH_FAILED, where() + ": " + failureText};
    const Fault &fault = kernelFault;
    if (fault.isMisaligned)
      return {CUDA_ERROR_MISALIGNED_ADDRESS,
              where() + ": an address is not aligned to its type, or is one "
                        "of the device that was no argument"};
    if (fault.signal != SIGSEGV && fault.signal != SIGBUS)
      return {CUDA_ERROR_LAUNCH_FAILED,
              where() + ": " + strsignal(fault.signal)};
    if (stacks.overflowed(fault.address) >= 0)
      return {CUDA_ERROR_LAUNCH_FAILED,
              where() + ": the thread's stack of " +
                  std::to_string(FiberStacks::kStackBytes) +
                  " bytes overflows"};
    return {CUDA_ERROR_ILLEGAL_ADDRESS,
            where() + (fault.isWrite ? ": writes " : ": reads ") +
                memory.describe(fault.address)};
  }
  kernelExit = &exit;

  const unsigned threads = launch.block.x * launch.block.y * launch.block.z;
  const size_t sharedBytes = size_t(module.shared_end - module.shared_begin);
  const uint64_t blocks =
      uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
  clock.beginLaunch();
  sharedChecks.begin(module, dynamicShared, launch.dynamicBytes);
  for (uint64_t i = 0; i < blocks; ++i) {
    uint64_t index = !order.empty() ? order[i] : reverse ? blocks - 1 - i : i;
    state.block = {unsigned(index % launch.grid.x),
                   unsigned(index / launch.grid.x % launch.grid.y),
                   unsigned(index / launch.grid.x / launch.grid.y)};
    if (sharedBytes)
      std::memset(module.shared_begin, poison, sharedBytes);
    if (launch.dynamicBytes)
      std::memset(dynamicShared, poison, (launch.dynamicBytes + 15) / 16 * 16);
    clock.beginBlock(int(threads));
    if (asFibers)
      block.run(state, *launch.kernel, arguments.data(), random);
    else
      launch.kernel->loop(arguments.data(), random.below(threads),
                          random.below(2) ? 1 : threads - 1, threads);
  }
  return {};
}

Failure LaunchRunner::checkRedzones(const Launch &launch) const {
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    if (!launch.kernel->parameters[i].is_pointer ||
        !DeviceMemory::isDeviceAddress(launch.arguments[i]))
      continue;
    const Allocation *allocation =
        memory.around(DeviceMemory::toKernel(launch.arguments[i]));
    if (!allocation)
      continue;
    if (std::optional<std::string> damage = memory.damage(*allocation))
      return {CUDA_ERROR_ILLEGAL_ADDRESS,
              std::string("kernel '") + launch.kernel->name + "': " + *damage};
  }
  return {};
}
