// The limits that fusion works to where no one gives others.
#ifndef AMPC_PASSES_FUSION_LIMITS_H
#define AMPC_PASSES_FUSION_LIMITS_H

#include <cstdint>

namespace ampc {

/// Bytes above which the rows of a product whose rows are reduced are chunked
/// (N28).
inline constexpr int64_t kChunkBytes = int64_t(64) << 20;

/// Key heads of all batches from which on attention is computed head by head:
/// fewer leave threads without work.
inline constexpr int64_t kLeastHeads = 8;

} // namespace ampc

#endif // AMPC_PASSES_FUSION_LIMITS_H
