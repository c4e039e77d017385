// Randomness to the bit (N17): Philox4x32-10 as a function of key and counter.
// An own spelling of the rule, so that tests hold the runtime's and the
// kernels' against it.
#ifndef AMPC_IR_REFERENCE_RANDOM_H
#define AMPC_IR_REFERENCE_RANDOM_H

#include "ir/dialect/Dialect.h"
#include "ir/reference/Tensor.h"

#include <array>
#include <cstdint>

namespace ampc::reference {

/// Ten rounds of Philox4x32 on `counter` with the 64-bit `key`.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                   uint64_t key);

/// One stream of random numbers: what fixes it besides the element.
struct RandomStream {
  uint64_t seed;
  amp::RandomMode mode;
  /// Ordinal of the random op or variable, below 2^30.
  uint32_t site;
  /// Iteration, evaluation batch, or 0; its low 32 bits count.
  uint32_t index = 0;
  /// Position in the accumulation window; its low 16 bits count.
  uint32_t micro = 0;

  /// Element `element` as a uniform number of [0, 1), a multiple of 2^-24.
  double uniform(uint64_t element) const;
  /// Element `element` as a standard normal number, in f64.
  double normal(uint64_t element) const;

private:
  std::array<uint32_t, 4> words(uint64_t element) const;
};

/// The stream of a random op whose key operands hold `key`; an error at the op
/// where it has none yet.
mlir::FailureOr<RandomStream> streamOf(amp::RandomSite op,
                                       llvm::ArrayRef<const Tensor *> key);

/// Applies dropout to `values`, in place and unrounded, at element e for
/// values[e]: kept values are divided by 1 - p rounded to `compute` (N17).
void applyDropout(const RandomStream &stream, double p, mlir::Type compute,
                  std::vector<double> &values);

} // namespace ampc::reference

#endif // AMPC_IR_REFERENCE_RANDOM_H
