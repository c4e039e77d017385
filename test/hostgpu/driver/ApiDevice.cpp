// Entry points of the driver: initialisation, the device, its primary context,
// names of errors.
#include "test/hostgpu/driver/Device.h"
#include "test/hostgpu/driver/Extras.h"

#include <cstring>

using namespace ampc::hostgpu;

HOSTGPU_EXPORT CUresult cuInit(unsigned flags) {
  HOSTGPU_ENTER(Entry::Nothing);
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  Device &only = device();
  only.settings = readSettings();
  if (only.settings.devices == 0)
    return CUDA_ERROR_NO_DEVICE;
  only.initialized = true;
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = 13000;
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuDeviceGetCount(int *count) {
  HOSTGPU_ENTER(Entry::Initialized);
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuDeviceGet(CUdevice *result, int ordinal) {
  HOSTGPU_ENTER(Entry::Initialized);
  if (!result)
    return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *result = 0;
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuDeviceGetName(char *name, int length,
                                        CUdevice which) {
  HOSTGPU_ENTER(Entry::Initialized);
  if (which != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!name || length < 1)
    return CUDA_ERROR_INVALID_VALUE;
  std::strncpy(name, "ampc software CUDA device", size_t(length));
  name[length - 1] = 0;
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice which) {
  HOSTGPU_ENTER(Entry::Initialized);
  if (which != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = device().settings.memoryBytes;
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute,
                                             CUdevice which) {
  HOSTGPU_ENTER(Entry::Initialized);
  if (which != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  const Settings &settings = device().settings;
  static const std::map<int, int> values = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 * 1024},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 0},
      {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
      {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 64},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1024 * 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1536},
      {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 100 * 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 99 * 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 16},
  };
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = settings.multiprocessors;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = settings.major;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = settings.minor;
    return CUDA_SUCCESS;
  default:
    auto found = values.find(attribute);
    if (found == values.end())
      return CUDA_ERROR_INVALID_VALUE;
    *value = found->second;
    return CUDA_SUCCESS;
  }
}

HOSTGPU_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context,
                                                 CUdevice which) {
  HOSTGPU_ENTER(Entry::Initialized);
  if (which != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  Device &only = device();
  if (only.retained++ == 0) {
    only.settings = readSettings();
    only.context = std::make_unique<Context>(only.settings);
    only.checks.isOn = only.settings.watchesDevice;
    only.forgetFailure();
  }
  *context = reinterpret_cast<CUcontext>(only.context.get());
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice which) {
  HOSTGPU_ENTER(Entry::Initialized);
  Device &only = device();
  if (which != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (only.retained == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--only.retained == 0) {
    if (only.context->captures.empty())
      only.context->scheduler.drain(only.context->random);
    only.context.reset();
    only.memory.freeAll();
    only.checks.clear();
    only.pinned.freeAll();
  }
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  HOSTGPU_ENTER(Entry::Initialized);
  auto *asked = reinterpret_cast<Context *>(context);
  if (asked && asked != device().context.get())
    return CUDA_ERROR_INVALID_CONTEXT;
  currentContext = asked;
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuCtxSynchronize() {
  HOSTGPU_ENTER();
  Device &only = device();
  if (!only.context->captures.empty()) {
    for (const auto &capture : only.context->captures)
      only.invalidate(*capture);
    return only.report(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                       "cuCtxSynchronize while a stream is captured");
  }
  only.context->scheduler.drain(only.context->random);
  return only.sticky();
}

namespace {

struct Named {
  CUresult code;
  const char *name, *text;
};
#define NAMED(code, text)                                                      \
  { code, #code, text }
constexpr Named kNames[] = {
    NAMED(CUDA_SUCCESS, "no error"),
    NAMED(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    NAMED(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    NAMED(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    NAMED(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    NAMED(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    NAMED(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    NAMED(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    NAMED(CUDA_ERROR_NO_BINARY_FOR_GPU,
          "no kernel image is available for execution on the device"),
    NAMED(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    NAMED(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
          "shared object initialization failed"),
    NAMED(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    NAMED(CUDA_ERROR_ILLEGAL_STATE,
          "the operation cannot be performed in the present state"),
    NAMED(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    NAMED(CUDA_ERROR_NOT_READY, "device not ready"),
    NAMED(CUDA_ERROR_ILLEGAL_ADDRESS,
          "an illegal memory access was encountered"),
    NAMED(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
          "too many resources requested for launch"),
    NAMED(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    NAMED(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    NAMED(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "operation not permitted when stream is capturing"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "operation failed due to a previous error during capture"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_MERGE,
          "operation would result in a merge of separate capture sequences"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
          "capture was not ended in the same stream as it began"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
          "capturing stream has unjoined work"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
          "dependency created on uncaptured work in another stream"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
          "operation would make the legacy stream depend on a capturing "
          "blocking stream"),
    NAMED(CUDA_ERROR_CAPTURED_EVENT,
          "operation not permitted on an event last recorded in a capturing "
          "stream"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
          "attempt to terminate a thread-local capture sequence from another "
          "thread"),
    NAMED(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef NAMED

const Named *named(CUresult code) {
  for (const Named &each : kNames)
    if (each.code == code)
      return &each;
  return nullptr;
}

} // namespace

HOSTGPU_EXPORT CUresult cuGetErrorName(CUresult code, const char **name) {
  const Named *found = named(code);
  if (name)
    *name = found ? found->name : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

HOSTGPU_EXPORT CUresult cuGetErrorString(CUresult code, const char **text) {
  const Named *found = named(code);
  if (text)
    *text = found ? found->text : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

HOSTGPU_EXPORT const char *ampcHostGpuLastReport() {
  Entry entry(Entry::Nothing);
  return device().lastReport.c_str();
}
