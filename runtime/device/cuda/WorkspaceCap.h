// The scratch memory of a product on a CUDA device: a cap that a plan counts
// and a session obtains, whichever algorithm is chosen.
#pragma once

#include "runtime/device/ContractionSpec.h"

#include <algorithm>

namespace ampc::rt::cuda {

/// Most bytes of scratch memory that an algorithm for `spec` may ask for: those
/// of the sums of kMostParts parts of K, at most kMostWorkspace, which is what
/// NVIDIA advises for its largest devices.
inline uint64_t workspaceCap(const ContractionSpec &spec) {
  constexpr uint64_t kMostWorkspace = uint64_t(32) << 20, kMostParts = 16;
  if (spec.m == 0 || spec.n == 0 || spec.k == 0 || spec.batch == 0)
    return 0; // nothing is multiplied
  uint64_t element = spec.typeA == DType::F64 ? 8 : 4;
  auto bytes = [&](uint64_t part) {
    return part > kMostWorkspace ? kMostWorkspace + 1 : part;
  };
  uint64_t sums = bytes(bytes(uint64_t(spec.m)) * bytes(uint64_t(spec.n)));
  sums = bytes(sums * bytes(uint64_t(spec.batch)));
  return std::min(kMostWorkspace, sums * element * kMostParts);
}

} // namespace ampc::rt::cuda
