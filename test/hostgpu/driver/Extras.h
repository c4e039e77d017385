// What the software libraries and their tests ask of the software driver beyond
// CUDA's entry points.
#pragma once

#include "test/hostgpu/driver/Abi.h"

/// Work of a library for a stream. `run` returns a CUresult and, when it
/// failed, writes why into `text`. `release` frees `data` when nothing will run
/// it again.
struct AmpcHostGpuWork {
  void *data;
  int (*run)(void *data, char *text, size_t textBytes);
  void (*release)(void *data);
};

/// Queues or captures `work` in the order of the stream; takes `data` always.
HOSTGPU_EXPORT int ampcHostGpuSubmit(ampc::hostgpu::CUstream stream,
                                     const AmpcHostGpuWork *work);
/// The memory behind `bytes` from a device address; null when they do not stand
/// in one allocation. Called from `run`, and told whether it writes there.
HOSTGPU_EXPORT void *ampcHostGpuResolve(unsigned long long address,
                                        size_t bytes, bool isWritten);
/// What the last error was about, in words; valid until the next one.
HOSTGPU_EXPORT const char *ampcHostGpuLastReport();
