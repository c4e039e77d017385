// What a compiled kernel and the software driver say to each other. The
// kernel's side is compiled without any other header, so this file includes
// none.
#ifndef AMPC_TEST_HOSTGPU_KERNEL_HOSTAPI_H
#define AMPC_TEST_HOSTGPU_KERNEL_HOSTAPI_H

/// Changes whenever a structure below does.
#define AMPC_HOST_API_VERSION 1

struct ampc_host_index {
  unsigned x, y, z;
};

/// Operations in which the lanes of a warp meet.
enum ampc_host_warp_operation {
  AMPC_HOST_SYNC,
  AMPC_HOST_SHUFFLE,
  AMPC_HOST_SHUFFLE_UP,
  AMPC_HOST_SHUFFLE_DOWN,
  AMPC_HOST_SHUFFLE_XOR,
  AMPC_HOST_BALLOT,
  AMPC_HOST_ALL,
  AMPC_HOST_ANY,
};

/// Where the running thread stands, and what it calls. One per module; the
/// driver writes it before each switch to a thread.
struct ampc_host_state {
  ampc_host_index thread, block, block_size, grid_size;
  void *dynamic_shared;
  /// Device memory: its accesses are watched by guard pages.
  unsigned long device_begin, device_bytes;
  void (*barrier)(int line);
  unsigned long (*warp)(int operation, unsigned mask, unsigned long value,
                        int argument, int width, int line);
  /// Called by instrumented kernels for accesses outside device memory.
  void (*access)(const void *address, unsigned bytes, int is_write);
};

/// A static shared array of a kernel.
struct ampc_host_array {
  const char *name;
  const void *data;
  unsigned long bytes;
};

struct ampc_host_parameter {
  unsigned bytes;
  int is_pointer;
};

struct ampc_host_kernel {
  const char *name;
  /// Runs the thread of the state.
  void (*invoke)(void *const *arguments);
  /// Runs `count` threads of the block of the state, one after the other:
  /// first, first + step, ... modulo the block's size.
  void (*loop)(void *const *arguments, unsigned first, unsigned step,
               unsigned count);
  /// The first argument of __launch_bounds__; 0 without.
  int max_threads;
  int parameter_count;
  const ampc_host_parameter *parameters;
};

/// The one symbol a compiled module exports, as `ampc_host_module`.
struct ampc_host_module {
  int version;
  int instrumented;
  ampc_host_state *state;
  const ampc_host_kernel *kernels;
  int kernel_count;
  /// Static shared memory of all kernels, and the arrays inside.
  char *shared_begin, *shared_end;
  const ampc_host_array *arrays_begin, *arrays_end;
  /// Not empty when a barrier or a warp operation is used.
  const char *meets_begin, *meets_end;
};

#endif
