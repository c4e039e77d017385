// One-thread oneDNN products of one tile. Everything is made when a session
// opens: the primitive, and for each thread its stream and memory objects.
// oneDNN's own bookkeeping inside an execution is the only allocation a step
// makes.
#pragma once

#include "runtime/core/CpuFeatures.h"
#include "runtime/plan/Types.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace ampc::rt {

/// Extents and strides, in elements, of C[m, n] = sum_k A(m, k) * B(k, n),
/// row-major C; with `add`, the sum is added to what C holds. Operands of one
/// type, f32 or bf16, sums in f32; C of f32, or of bf16 for bf16 without `add`.
struct MatmulShape {
  DType operands, result;
  bool add;
  int64_t m, n, k;
  int64_t aRow, aColumn; ///< strides of A(m, k)
  int64_t bRow, bColumn; ///< strides of B(k, n)
  int64_t cRow;
  auto operator<=>(const MatmulShape &) const = default;
};

/// A primitive for one shape, usable by every thread at the same time.
class Matmul {
public:
  virtual ~Matmul() = default;
  /// Runs on the thread numbered `thread` with that thread's scratch memory.
  /// False if the library fails.
  virtual bool run(int thread, const std::byte *a, const std::byte *b,
                   std::byte *c, std::byte *scratch) = 0;
  /// The library's name of what runs.
  virtual std::string implementation() const = 0;
};

/// Makes and shares primitives, for a fixed number of threads.
class MatmulCache {
public:
  /// Of a processor as `features` sees it. No engine: Code Environment.
  [[nodiscard]] static Expected<std::unique_ptr<MatmulCache>>
  create(int threads, const CpuFeatures &features);
  virtual ~MatmulCache() = default;
  /// Whether products of bf16 run in a matrix unit (AMX). Without one the
  /// library's are slower than its f32: 0.6 of it with AVX512-BF16, less where
  /// it emulates them.
  virtual bool multipliesBf16() const = 0;
  /// Scratch memory that one thread needs for a product of `shape`, in bytes:
  /// what `get(shape)` will take. The library is asked, no code is made. The
  /// calling thread as for `get`.
  [[nodiscard]] virtual Expected<uint64_t>
  scratchBytes(const MatmulShape &shape) = 0;
  /// The primitive for `shape`. Must be called with the calling thread held to
  /// one library thread (a lease of the pool does that): oneDNN fixes the
  /// number when it makes a primitive.
  [[nodiscard]] virtual Expected<std::shared_ptr<Matmul>>
  get(const MatmulShape &shape) = 0;
};

} // namespace ampc::rt
