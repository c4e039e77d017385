// Contractions on a CUDA device: cuBLASLt products with f32 accumulation (f64
// for f64), each with an algorithm that is chosen once, when the plan is
// opened.
//
// cuBLASLt thinks in columns, a plan in rows: a row-major matrix is the
// column-major matrix of its transpose, so C = A B is asked for as
// C^T = B^T A^T, with the operands exchanged and nothing moved.
#pragma once

#include "runtime/device/ContractionSpec.h"
#include "runtime/device/cuda/Context.h"
#include "runtime/device/cuda/TuningRecord.h"

namespace ampc::rt::cuda {

/// Most bytes of scratch memory that an algorithm may ask for.
inline constexpr uint64_t kWorkspaceCap = uint64_t(32) << 20;

/// cuBLASLt on a device; the context must outlive it.
class Blas {
public:
  Blas() = default;
  [[nodiscard]] static Expected<Blas> open(const Context &context);

  const BlasApi &api() const { return library.api; }
  BlasHandle handle() const { return blas.get(); }
  const Version &version() const { return library.version; }
  /// The library and a device's model, as a tuning record names them.
  std::string tuningKey(const DeviceFacts &device) const;

private:
  Library<BlasApi> library;
  Owned<BlasHandle> blas;
};

/// The addresses of a product's operands.
struct Operands {
  Address a = 0, b = 0, c = 0;
  Address init = 0; ///< where the sums begin; may be c
};

/// One contraction of extents above zero, ready to run.
class Contraction {
public:
  /// Takes the algorithm that `record` has for such a product; else chooses one
  /// for these addresses and pins it there. What the library cannot multiply on
  /// this device: Code BadInput, without a place.
  [[nodiscard]] static Expected<Contraction>
  create(const Context &context, const Blas &blas, const ContractionSpec &spec,
         const Operands &at, TuningRecord &record);

  /// Scratch memory `run` needs, in bytes.
  uint64_t workspaceBytes() const { return choice.workspaceBytes; }

  /// Enqueues it; a cuBLASLt status.
  Result run(const Blas &blas, Address workspace, Stream stream) const;

private:
  Operands at;
  bool isWide = false; ///< f64
  bool hasInit = false;
  Owned<BlasMatmul> matmul;
  Owned<BlasLayout> a, b, c; ///< of the plan's A, B and C
  BlasChoice choice{};
};

} // namespace ampc::rt::cuda
