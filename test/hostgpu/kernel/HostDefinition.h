// The host definition of the CUDA builtins that generated text uses. It is
// given to the host compiler with -include, before the prelude. Without any
// header and small: every kernel of every test reads it.
#ifndef AMPC_TEST_HOSTGPU_KERNEL_HOSTDEFINITION_H
#define AMPC_TEST_HOSTGPU_KERNEL_HOSTDEFINITION_H

#include "HostApi.h"

// Functions of the host that kernels may call, as the compiler knows them.
extern "C" {
void *memcpy(void *, const void *, unsigned long) noexcept;
void *memset(void *, int, unsigned long) noexcept;
float fabsf(float) noexcept;
double fabs(double) noexcept;
float floorf(float) noexcept;
double floor(double) noexcept;
float ceilf(float) noexcept;
double ceil(double) noexcept;
float rintf(float) noexcept;
double rint(double) noexcept;
}

#define __device__
#define __host__
#define __global__ __attribute__((internal_linkage))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define AMPC_HOST static inline __attribute__((always_inline))
#define AMPC_HOST_HIDDEN __attribute__((visibility("hidden")))

AMPC_HOST_HIDDEN ampc_host_state ampc_host_here;
#define threadIdx (ampc_host_here.thread)
#define blockIdx (ampc_host_here.block)
#define blockDim (ampc_host_here.block_size)
#define gridDim (ampc_host_here.grid_size)
#define warpSize 32

// Shared memory. Static arrays stand in a section of their own, between
// redzones, and the driver learns their names; accesses are checked by
// instrumentation, so that the arrays stay plain arrays.
template <class T, unsigned long count>
struct ampc_host_padded {
  char before[64];
  alignas(alignof(T) > 16 ? alignof(T) : 16) T data[count];
  char after[64];
};
#define AMPC_SHARED(type, name, count)                                         \
  static ampc_host_padded<type, (count)> name##_storage                        \
      __attribute__((section("ampc_shared")));                                 \
  static const ampc_host_array name##_entry                                    \
      __attribute__((section("ampc_arrays"), used)) = {                        \
          #name, name##_storage.data, sizeof(name##_storage.data)};            \
  type(&name)[count] = name##_storage.data
#define AMPC_DYNAMIC_SHARED(type, name)                                        \
  type *const name = (type *)ampc_host_here.dynamic_shared

// Barriers and warp operations. The directive leaves a byte in a section of the
// object wherever one survives: a module without any runs as plain loops.
#define AMPC_HOST_MEETS()                                                      \
  asm volatile(".pushsection ampc_meets,\"a\",@progbits\n"                     \
               ".byte 1\n"                                                     \
               ".popsection")
#define AMPC_HOST_LINE int line = __builtin_LINE()

AMPC_HOST void __syncthreads(AMPC_HOST_LINE) {
  AMPC_HOST_MEETS();
  ampc_host_here.barrier(line);
}
AMPC_HOST unsigned long ampc_host_meet(int operation, unsigned mask,
                                       unsigned long value, int argument,
                                       int width, int line) {
  AMPC_HOST_MEETS();
  return ampc_host_here.warp(operation, mask, value, argument, width, line);
}
AMPC_HOST void __syncwarp(unsigned mask = 0xffffffffu, AMPC_HOST_LINE) {
  ampc_host_meet(AMPC_HOST_SYNC, mask, 0, 0, 32, line);
}
template <class T>
AMPC_HOST T ampc_host_shuffle(int operation, unsigned mask, T value,
                              int argument, int width, int line) {
  static_assert(sizeof(T) <= sizeof(unsigned long), "too wide for a shuffle");
  unsigned long bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = ampc_host_meet(operation, mask, bits, argument, width, line);
  memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T>
AMPC_HOST T __shfl_sync(unsigned mask, T value, int lane, int width = 32,
                        AMPC_HOST_LINE) {
  return ampc_host_shuffle(AMPC_HOST_SHUFFLE, mask, value, lane, width, line);
}
template <class T>
AMPC_HOST T __shfl_up_sync(unsigned mask, T value, unsigned delta,
                           int width = 32, AMPC_HOST_LINE) {
  return ampc_host_shuffle(AMPC_HOST_SHUFFLE_UP, mask, value, (int)delta, width,
                           line);
}
template <class T>
AMPC_HOST T __shfl_down_sync(unsigned mask, T value, unsigned delta,
                             int width = 32, AMPC_HOST_LINE) {
  return ampc_host_shuffle(AMPC_HOST_SHUFFLE_DOWN, mask, value, (int)delta,
                           width, line);
}
template <class T>
AMPC_HOST T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32,
                            AMPC_HOST_LINE) {
  return ampc_host_shuffle(AMPC_HOST_SHUFFLE_XOR, mask, value, lanes, width,
                           line);
}
AMPC_HOST unsigned __ballot_sync(unsigned mask, int predicate, AMPC_HOST_LINE) {
  return (unsigned)ampc_host_meet(AMPC_HOST_BALLOT, mask, predicate != 0, 0, 32,
                                  line);
}
AMPC_HOST int __all_sync(unsigned mask, int predicate, AMPC_HOST_LINE) {
  return (int)ampc_host_meet(AMPC_HOST_ALL, mask, predicate != 0, 0, 32, line);
}
AMPC_HOST int __any_sync(unsigned mask, int predicate, AMPC_HOST_LINE) {
  return (int)ampc_host_meet(AMPC_HOST_ANY, mask, predicate != 0, 0, 32, line);
}

// Arithmetic, each with one rounding.
AMPC_HOST float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
AMPC_HOST double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
AMPC_HOST float __fmaf_rn(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
AMPC_HOST double __fma_rn(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// What stands for the prelude's inline PTX. Both conversions round to nearest
// even and keep subnormals; every NaN becomes 0x7fff, as the instruction does.
AMPC_HOST float ampc_host_f16_to_f32(unsigned short bits) {
  unsigned sign = (unsigned)(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  unsigned result;
  float subnormal = (float)magnitude * 0x1p-24f;
  if (magnitude >= 0x7c00u)
    result = 0x7f800000u | (magnitude & 0x3ffu) << 13 |
             (magnitude > 0x7c00u ? 0x400000u : 0u);
  else if (magnitude >= 0x400u)
    result = (magnitude << 13) + 0x38000000u;
  else
    memcpy(&result, &subnormal, sizeof(result));
  result |= sign;
  float value;
  memcpy(&value, &result, sizeof(value));
  return value;
}
AMPC_HOST unsigned short ampc_host_f32_to_f16(float value) {
  unsigned bits, magnitude;
  memcpy(&bits, &value, sizeof(bits));
  magnitude = bits & 0x7fffffffu;
  unsigned sign = bits >> 16 & 0x8000u, result;
  if (magnitude > 0x7f800000u)
    return 0x7fff;
  if (magnitude >= 0x47800000u) { // 65536 and above
    result = 0x7c00u;
  } else if (magnitude >= 0x38800000u) { // normal: 2^-14 and above
    unsigned rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    result = (rounded >> 13) - 0x1c000u;
  } else { // adding half leaves the count of subnormal units in the low bits
    float scaled;
    memcpy(&scaled, &magnitude, sizeof(scaled));
    scaled += 0.5f;
    memcpy(&result, &scaled, sizeof(result));
    result -= 0x3f000000u;
  }
  return (unsigned short)(sign | result);
}

// The entries the driver calls: arguments come as pointers to their values,
// which are no memory of the device and not watched.
#define AMPC_HOST_UNWATCHED __attribute__((disable_sanitizer_instrumentation))
template <class... P>
struct ampc_host_parameters {
  static constexpr ampc_host_parameter list[sizeof...(P) + 1] = {
      {sizeof(P), __is_pointer(P)}..., {0, 0}};
};
template <auto kernel>
struct ampc_host_caller;
template <class... P, void (*kernel)(P...)>
struct ampc_host_caller<kernel> {
  using parameters = ampc_host_parameters<P...>;
  static constexpr int count = sizeof...(P);
  template <int...>
  struct indices {};
  template <class, int... i>
  struct sequence {
    using type = indices<i...>;
  };
  template <int... i>
  AMPC_HOST_UNWATCHED AMPC_HOST void call(void *const *arguments,
                                          indices<i...>) {
    kernel(*(P *)arguments[i]...);
  }
  using all = typename __make_integer_seq<sequence, int, count>::type;
  AMPC_HOST_UNWATCHED static void invoke(void *const *arguments) {
    call(arguments, all());
  }
  AMPC_HOST_UNWATCHED static void loop(void *const *arguments, unsigned first,
                                       unsigned step, unsigned threads) {
    const ampc_host_index size = ampc_host_here.block_size;
    const unsigned block = size.x * size.y * size.z;
    unsigned at = first;
    for (unsigned i = 0; i < threads; ++i) {
      ampc_host_here.thread = {at, 0, 0};
      if (size.x != block)
        ampc_host_here.thread = {at % size.x, at / size.x % size.y,
                                 at / size.x / size.y};
      call(arguments, all());
      at += step;
      at = at >= block ? at - block : at;
    }
  }
};
#define AMPC_HOST_KERNEL(kernel, max_threads)                                  \
  {                                                                            \
#kernel, ampc_host_caller < &kernel> ::invoke,                             \
        ampc_host_caller < &kernel> ::loop, max_threads,                       \
        ampc_host_caller < &kernel> ::count,                                   \
        ampc_host_caller < &kernel> ::parameters::list                         \
  }

// The bounds of the sections, made by the linker; null when nothing is inside.
#define AMPC_HOST_SECTION(type, name)                                          \
  extern "C" AMPC_HOST_HIDDEN __attribute__((weak)) type __start_##name[];     \
  extern "C" AMPC_HOST_HIDDEN __attribute__((weak)) type __stop_##name[];
AMPC_HOST_SECTION(char, ampc_shared)
AMPC_HOST_SECTION(const ampc_host_array, ampc_arrays)
AMPC_HOST_SECTION(const char, ampc_meets)
#ifdef AMPC_HOST_INSTRUMENTED
#define AMPC_HOST_IS_INSTRUMENTED 1
#else
#define AMPC_HOST_IS_INSTRUMENTED 0
#endif
/// Stands after the text, with one AMPC_HOST_KERNEL for each kernel.
#define AMPC_HOST_MODULE(...)                                                  \
  static const ampc_host_kernel ampc_host_kernels[] = {                        \
      __VA_ARGS__, {nullptr, nullptr, nullptr, 0, 0, nullptr}};                \
  extern "C" __attribute__((visibility("default"), used))                      \
  ampc_host_module ampc_host_module_table = {                                  \
      AMPC_HOST_API_VERSION,                                                   \
      AMPC_HOST_IS_INSTRUMENTED,                                               \
      &ampc_host_here,                                                         \
      ampc_host_kernels,                                                       \
      sizeof(ampc_host_kernels) / sizeof(ampc_host_kernel) - 1,                \
      __start_ampc_shared,                                                     \
      __stop_ampc_shared,                                                      \
      __start_ampc_arrays,                                                     \
      __stop_ampc_arrays,                                                      \
      __start_ampc_meets,                                                      \
      __stop_ampc_meets};

#ifdef AMPC_HOST_INSTRUMENTED
// The compiler calls these around the memory accesses of instrumented kernels.
// Device memory is watched by its guard pages; the rest is the driver's to
// judge.
#define AMPC_HOST_UNCHECKED                                                    \
  extern "C" AMPC_HOST_HIDDEN AMPC_HOST_UNWATCHED __attribute__((used))
AMPC_HOST_UNWATCHED AMPC_HOST void
ampc_host_access(const void *address, unsigned bytes, int is_write) {
  if ((unsigned long)address - ampc_host_here.device_begin >=
          ampc_host_here.device_bytes &&
      (unsigned long)address - (unsigned long)&ampc_host_here >=
          sizeof(ampc_host_here))
    ampc_host_here.access(address, bytes, is_write);
}
// These are aligned to eight bytes at least, or to their size: the trap is the
// one of the compiler's own check.
AMPC_HOST_UNWATCHED AMPC_HOST void ampc_host_aligned(const void *address,
                                                     unsigned bytes) {
  if ((unsigned long)address & ((bytes < 8 ? bytes : 8) - 1))
    asm volatile(".byte 0x67, 0x0f, 0xb9, 0x40, 22");
}
#define AMPC_HOST_ACCESS(bytes)                                                \
  AMPC_HOST_UNCHECKED void __tsan_read##bytes(void *a) {                       \
    ampc_host_aligned(a, bytes);                                               \
    ampc_host_access(a, bytes, 0);                                             \
  }                                                                            \
  AMPC_HOST_UNCHECKED void __tsan_write##bytes(void *a) {                      \
    ampc_host_aligned(a, bytes);                                               \
    ampc_host_access(a, bytes, 1);                                             \
  }                                                                            \
  AMPC_HOST_UNCHECKED void __tsan_unaligned_read##bytes(void *a) {             \
    ampc_host_access(a, bytes, 0);                                             \
  }                                                                            \
  AMPC_HOST_UNCHECKED void __tsan_unaligned_write##bytes(void *a) {            \
    ampc_host_access(a, bytes, 1);                                             \
  }
AMPC_HOST_ACCESS(1)
AMPC_HOST_ACCESS(2)
AMPC_HOST_ACCESS(4)
AMPC_HOST_ACCESS(8)
AMPC_HOST_ACCESS(16)
AMPC_HOST_UNCHECKED void __tsan_init() {}
AMPC_HOST_UNCHECKED void *__tsan_memcpy(void *to, const void *from,
                                        unsigned long bytes) {
  ampc_host_access(from, (unsigned)bytes, 0);
  ampc_host_access(to, (unsigned)bytes, 1);
  return memcpy(to, from, bytes);
}
AMPC_HOST_UNCHECKED void *__tsan_memmove(void *to, const void *from,
                                         unsigned long bytes) {
  ampc_host_access(from, (unsigned)bytes, 0);
  ampc_host_access(to, (unsigned)bytes, 1);
  return __builtin_memmove(to, from, bytes);
}
AMPC_HOST_UNCHECKED void *__tsan_memset(void *to, int value,
                                        unsigned long bytes) {
  ampc_host_access(to, (unsigned)bytes, 1);
  return memset(to, value, bytes);
}
#endif

#endif
