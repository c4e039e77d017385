// Why a step is as it is: the precision of every op, the kernel it is in, and
// what was not fused.
#pragma once

#include "tools/libampc/Compile.h"

#include <cstdint>
#include <span>

namespace ampc {

/// What to explain.
struct ExplainOptions {
  /// train_step, eval_step, infer; empty: the step, or infer where the model
  /// has no loss.
  std::string entry;
  /// A mnemonic, a name or a line: only ops that have it, their kernels and
  /// what was not fused with them; empty: all.
  std::string op;
  /// Only ops with a result in f32.
  bool f32_only = false;
};

/// One op of the entry in stage step.
struct ExplainedOp {
  unsigned id = 0;    ///< its number in the entry
  std::string op;     ///< mnemonic
  std::string source; ///< `file:line`; empty where it has none
  std::string name;   ///< path of its call, or its variable; may be empty
  std::string type;   ///< of its results; of what it writes, for a write
  std::string precision_class; ///< lower, f32_inside, follow, never
  std::string reason;          ///< one of `precision_reasons`
  std::string detail;          ///< where it is executed
  std::vector<unsigned> lines; ///< in the source, of all it was made of
  /// Of a value in f16: none, as its elements are bounded; overflow, as its
  /// bounds leave the format; unknown, as the ops alone do not bound it.
  std::string risk;
  std::string bounds; ///< `[0, 1]`; empty where risk is unknown or empty
};

/// One amp.cast of the entry.
struct ExplainedCast {
  unsigned id = 0; ///< of the op
  std::string value, from, to;
  std::string origin; ///< user: the model's text; policy: the precision
                      ///< pass; formula: an op's own, or its derivative's
  std::string reason;
  std::vector<unsigned> used_by; ///< ids
};

/// One launch: a generated kernel or a product of the library.
struct ExplainedKernel {
  std::string name;
  std::string kind;          ///< map, row, column, scatter, product
  std::vector<unsigned> ops; ///< ids, in order
  std::string source;        ///< `file:line,line`
  uint64_t bytes_read = 0;   ///< every argument once
  uint64_t bytes_written = 0;
};

/// A value that is computed again for the backward, not kept.
struct ExplainedRecompute {
  std::string value;         ///< path of its call
  std::string type;          ///< `f32[64, 512]`
  std::string source;        ///< `file:line,line`
  std::vector<unsigned> ops; ///< ids of what is computed
  uint64_t bytes_saved = 0;  ///< its own
  double time_us = 0;        ///< predicted, for computing it
};

/// A producer and a consumer in different kernels.
struct UnfusedPair {
  unsigned producer = 0, consumer = 0;  ///< ids
  std::string producer_op, consumer_op; ///< the primitives
  std::string reason;
};

/// The explanation of one entry.
struct Explanation {
  std::string entry;
  std::string precision;          ///< the policy
  std::vector<std::string> notes; ///< what the target makes of it
  std::vector<ExplainedOp> ops;
  std::vector<ExplainedCast> casts;
  std::vector<ExplainedKernel> kernels;
  std::vector<UnfusedPair> unfused;
  std::vector<ExplainedRecompute> recompute;
};

/// A reason for an op's precision, and what it says.
struct PrecisionReason {
  std::string_view name, meaning;
};

/// Every reason there is.
AMPC_API std::span<const PrecisionReason> precision_reasons();

/// Compiles as far as kernels and explains one entry. An entry that the model
/// has not, or an op that the entry has not: Code BadInput.
[[nodiscard]] AMPC_API rt::Expected<Explanation>
explain(const Model &model, const CompileOptions &options = {},
        const ExplainOptions &what = {});

/// One line an op, a cast, a kernel and a pair, under headings.
AMPC_API std::string to_text(const Explanation &explanation);

/// One JSON object: ops, casts, kernels, unfused, recompute.
AMPC_API std::string to_json(const Explanation &explanation);

} // namespace ampc
