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
#include "runtime/device/cuda/WorkspaceCap.h"

namespace ampc::rt::cuda {

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
  Address bias = 0; ///< what an epilogue adds to each row
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

  /// The same product, by the same algorithm, with the epilogue that its
  /// specification has. None where the library does not take it. Whether its
  /// bits are those of a separate kernel is not known of it.
  std::optional<Contraction> withEpilogue(const Blas &blas) const;
  /// What a tuning record calls the product with its epilogue.
  std::string describeEpilogue() const;
  bool mayHaveEpilogue() const { return spec.hasBias || spec.hasRelu; }

  const BlasAlgorithm &algorithm() const { return choice.algorithm; }

  /// Scratch memory `run` needs, in bytes.
  uint64_t workspaceBytes() const { return choice.workspaceBytes; }

  /// Enqueues it; a cuBLASLt status.
  Result run(const Blas &blas, Address workspace, Stream stream) const;

private:
  /// Describes the product to the library, with its epilogue or without.
  Result describe(const Blas &blas, bool epilogue);
  /// Whether the library takes `algorithm` for it within the cap of scratch
  /// memory; it then runs that.
  bool take(const Blas &blas, const BlasAlgorithm &algorithm);

  ContractionSpec spec{};
  Operands at;
  Owned<BlasMatmul> matmul;
  Owned<BlasLayout> a, b, c; ///< of the plan's A, B and C
  BlasChoice choice{};
};

} // namespace ampc::rt::cuda
