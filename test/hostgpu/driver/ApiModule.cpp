// Entry points of the driver: modules, functions, launches.
#include "test/hostgpu/driver/Device.h"

#include <algorithm>
#include <cstring>

using namespace ampc::hostgpu;

namespace {

constexpr size_t kSharedBytes = 48 * 1024;
constexpr int kThreads = 1024;

Function *find(CUfunction handle) {
  auto *function = reinterpret_cast<Function *>(handle);
  return device().context->functions.count(function) ? function : nullptr;
}

int maxThreads(const Function &function) {
  int bound = function.kernel->max_threads;
  return bound > 0 ? std::min(bound, kThreads) : kThreads;
}

/// Why a launch of this shape is refused; empty when it is not.
std::string refusal(const Function &function, const ampc_host_index &grid,
                    const ampc_host_index &block, size_t dynamicBytes) {
  auto numbers = [](const ampc_host_index &index) {
    return std::to_string(index.x) + " x " + std::to_string(index.y) + " x " +
           std::to_string(index.z);
  };
  if (!grid.x || !grid.y || !grid.z || grid.x > 2147483647u || grid.y > 65535 ||
      grid.z > 65535)
    return "a grid of " + numbers(grid) + " blocks";
  uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (!threads || block.z > 64 || threads > uint64_t(maxThreads(function)))
    return "a block of " + numbers(block) + " threads, at most " +
           std::to_string(maxThreads(function)) + " are allowed";
  size_t shared = function.module->sharedBytes() + dynamicBytes;
  if (shared > kSharedBytes)
    return std::to_string(shared) + " bytes of shared memory, at most " +
           std::to_string(kSharedBytes) + " are allowed";
  return {};
}

} // namespace

HOSTGPU_EXPORT CUresult cuModuleLoadData(CUmodule *result, const void *image) {
  HOSTGPU_ENTER();
  Device &only = device();
  if (!result || !image)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult refused = only.refuseDuringCapture("cuModuleLoadData"))
    return refused;
  Context &context = *only.context;
  std::shared_ptr<Module> module;
  std::string why;
  CUresult loaded = Module::load(image, context.settings.major,
                                 context.settings.minor, module, why);
  if (loaded != CUDA_SUCCESS)
    return only.report(loaded, "cuModuleLoadData: " + why);
  context.modules.emplace(module.get(), module);
  *result = reinterpret_cast<CUmodule>(module.get());
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuModuleUnload(CUmodule handle) {
  HOSTGPU_ENTER();
  Context &context = *device().context;
  auto found = context.modules.find(reinterpret_cast<Module *>(handle));
  if (found == context.modules.end())
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = device().refuseDuringCapture("cuModuleUnload"))
    return result;
  std::erase_if(context.functions,
                [&](const auto &each) { return each.second == found->first; });
  // Queued launches hold the module until they have run.
  context.modules.erase(found);
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuModuleGetFunction(CUfunction *result, CUmodule handle,
                                            const char *name) {
  HOSTGPU_ENTER();
  Context &context = *device().context;
  if (!result || !name)
    return CUDA_ERROR_INVALID_VALUE;
  auto found = context.modules.find(reinterpret_cast<Module *>(handle));
  if (found == context.modules.end())
    return CUDA_ERROR_INVALID_HANDLE;
  Function *function = found->second->function(name);
  if (!function)
    return device().report(CUDA_ERROR_NOT_FOUND, std::string("no kernel '") +
                                                     name + "' in the module");
  context.functions[function] = found->first;
  *result = reinterpret_cast<CUfunction>(function);
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuFuncGetAttribute(int *value, int attribute,
                                           CUfunction handle) {
  HOSTGPU_ENTER();
  Function *function = find(handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = maxThreads(*function);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = int(function->module->sharedBytes());
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = function->module->arch();
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = int(kSharedBytes - function->module->sharedBytes());
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

HOSTGPU_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, CUfunction handle, int blockSize, size_t dynamicBytes) {
  HOSTGPU_ENTER();
  Function *function = find(handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!blocks || blockSize < 1)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = 0;
  if (blockSize > maxThreads(*function))
    return CUDA_SUCCESS;
  size_t shared = function->module->sharedBytes() + dynamicBytes;
  *blocks = std::min(16, 1536 / ((blockSize + 31) / 32 * 32));
  if (shared)
    *blocks = std::min(*blocks, int(100 * 1024 / shared));
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuLaunchKernel(CUfunction handle, unsigned gridX,
                                       unsigned gridY, unsigned gridZ,
                                       unsigned blockX, unsigned blockY,
                                       unsigned blockZ, unsigned sharedBytes,
                                       CUstream streamHandle, void **parameters,
                                       void **extra) {
  HOSTGPU_ENTER();
  Device &only = device();
  Function *function = find(handle);
  Stream *stream = only.stream(streamHandle);
  if (!function || !stream)
    return CUDA_ERROR_INVALID_HANDLE;
  const ampc_host_kernel &kernel = *function->kernel;
  if (extra || (kernel.parameter_count && !parameters))
    return CUDA_ERROR_INVALID_VALUE;
  auto launch = std::make_shared<Launch>();
  launch->grid = {gridX, gridY, gridZ};
  launch->block = {blockX, blockY, blockZ};
  launch->dynamicBytes = sharedBytes;
  std::string why =
      refusal(*function, launch->grid, launch->block, sharedBytes);
  if (!why.empty())
    return only.report(CUDA_ERROR_INVALID_VALUE,
                       std::string("launch of '") + kernel.name + "': " + why);
  launch->module = function->module->shared_from_this();
  launch->kernel = &kernel;
  launch->arguments.resize(size_t(kernel.parameter_count));
  for (size_t i = 0; i < launch->arguments.size(); ++i) {
    if (kernel.parameters[i].bytes > sizeof(uint64_t))
      return only.report(CUDA_ERROR_INVALID_VALUE,
                         std::string("launch of '") + kernel.name +
                             "': argument " + std::to_string(i) +
                             " is larger than 8 bytes");
    std::memcpy(&launch->arguments[i], parameters[i],
                kernel.parameters[i].bytes);
  }
  return only.submit(*stream, [launch]() -> Failure {
    Context &context = *device().context;
    return device().launches.run(*launch, context.random,
                                 context.settings.poison);
  });
}
