// What a model needs in memory, to the byte, before it runs: by purpose and by
// layer, the tensors alive at the peak, and how the bytes in use go up and down
// over a step. Nothing is compiled to machine code and no device is asked.
#pragma once

#include "tools/libampc/Compile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ampc {

/// What bytes are for.
enum class MemoryUse : uint8_t {
  Parameters,  ///< parameters that the step computes with
  Masters,     ///< f32 parameters that a 16-bit copy stands for in the step
  Gradients,   ///< of parameters, and their sums over micro-batches
  Optimizer,   ///< its state
  Copies16,    ///< 16-bit copies of masters
  Activations, ///< every other value that the step computes
  Workspaces,  ///< scratch memory of matrix products and of loops over slices
  Io,          ///< buffers of inputs and outputs
  State,       ///< statistics, counters, rates, the loss scale
  Padding      ///< between tensors: alignment, and gaps that none fits into
};

/// Number of uses.
inline constexpr size_t kMemoryUses = 10;

/// `parameters`, `masters`, ...: the keys of JSON.
AMPC_API std::string_view name_of(MemoryUse use);

/// Bytes by use.
struct MemoryBytes {
  uint64_t of[kMemoryUses] = {};

  uint64_t &operator[](MemoryUse use) { return of[size_t(use)]; }
  uint64_t operator[](MemoryUse use) const { return of[size_t(use)]; }
  uint64_t total() const {
    uint64_t sum = 0;
    for (uint64_t bytes : of)
      sum += bytes;
    return sum;
  }
  bool operator==(const MemoryBytes &) const = default;
};

/// One tensor that takes memory.
struct PlannedTensor {
  std::string name;   ///< path of the call that made it, or of its variable
  std::string type;   ///< `bf16[64, 512]`; empty for what is no tensor
  std::string source; ///< `file:line`; empty where it has none
  std::string layer;  ///< what its path begins with: `block.0`, `linear`
  MemoryUse use = MemoryUse::Activations;
  uint64_t bytes = 0;
  bool at_peak = false;
  /// Of a value that is computed: positions of the schedule (points of the
  /// curve) from its op to the last that reads it.
  size_t first = 0, last = 0;
};

/// The bytes of values that are computed, while one op runs.
struct MemoryPoint {
  uint64_t activations = 0, gradients = 0;
  std::string source; ///< of the op: `file:line`
};

/// An entry's part of the curve.
struct MemorySpan {
  std::string entry;
  size_t first = 0; ///< its first point
};

/// The memory of one layer at the peak.
struct LayerMemory {
  std::string layer;
  MemoryBytes bytes;
};

/// The memory of a session.
struct MemoryPlan {
  std::string model, path;
  std::string precision; ///< the policy
  std::string optimizer; ///< of the step; empty: there is no step
  std::string entry;     ///< whose arena is largest
  int threads = 0;       ///< that products run on; 0: a device
  /// What is computed a chunk of rows at a time in `entry`, a sentence each.
  std::vector<std::string> chunked;
  /// What a session obtains: all of it when it opens, and no more later.
  uint64_t planned_peak_bytes = 0;
  /// The same if no byte of the arena were lost between tensors.
  uint64_t lower_bound_bytes = 0;
  /// The least that any memory budget leads to.
  uint64_t smallest_feasible_bytes = 0;
  /// Predicted time of the step in nanoseconds.
  double predicted_ns = 0;
  MemoryBytes categories;             ///< at the peak; they sum to it
  std::vector<LayerMemory> layers;    ///< largest first
  std::vector<PlannedTensor> tensors; ///< largest first
  std::vector<MemorySpan> spans;      ///< of the curve
  std::vector<MemoryPoint> curve;     ///< a point an op
  size_t peak = 0;                    ///< point of the curve

  /// What is held at every point of the curve: all but activations and
  /// gradients that are computed.
  AMPC_API uint64_t base_bytes() const;
  /// Bytes in use at a point of the curve.
  uint64_t bytes_at(size_t point) const {
    return base_bytes() + curve[point].activations + curve[point].gradients;
  }
};

/// Plans the memory of `model` compiled with `options` and run on `threads`
/// threads (0: one per processor). `options.entries` empty: those that training
/// opens, train_step and eval_step, or what a model has that cannot train.
[[nodiscard]] AMPC_API rt::Expected<MemoryPlan>
plan_memory(const Model &model, const CompileOptions &options = {},
            int threads = 0);

} // namespace ampc
