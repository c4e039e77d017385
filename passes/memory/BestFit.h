// Offsets for buffers with known live ranges: best fit, swept over time in both
// directions.
#ifndef AMPC_PASSES_MEMORY_BESTFIT_H
#define AMPC_PASSES_MEMORY_BESTFIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace ampc {

/// Offsets are multiples of this many bytes: one cache line, one AVX-512
/// vector.
inline constexpr int64_t kBufferAlignment = 64;

/// `bytes` rounded up to kBufferAlignment.
int64_t alignBytes(int64_t bytes);

/// One buffer: its bytes are needed at every moment from `first` to `last`,
/// both included; only the order of moments counts.
struct BufferRange {
  int64_t bytes;
  uint64_t first, last;
};

/// Where the buffers stand.
struct Placement {
  llvm::SmallVector<int64_t> offsets; // one a buffer, in bytes
  int64_t bytes = 0;                  // end of the highest buffer
  int64_t lowerBound = 0;             // most bytes needed at one moment
};

/// How long a better placement is sought where the sweeps leave gaps: for a few
/// rounds, or for about a tenth of a second.
enum class PlacementEffort : uint8_t { quick, thorough };

/// Places `buffers` so that two that are needed at one moment never overlap.
/// Sweeps time forward and backward, giving each buffer the smallest free gap
/// that holds it: O(n log n). Then places one by one in several orders
/// (OneByOne.h); the smallest result is kept.
Placement placeBestFit(llvm::ArrayRef<BufferRange> buffers,
                       PlacementEffort effort = PlacementEffort::thorough);

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_BESTFIT_H
