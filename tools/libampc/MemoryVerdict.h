// Will it fit, and if not, what to change: a memory plan held against a limit,
// beside the plans of the same model with one thing changed.
#pragma once

#include "tools/libampc/MemoryPlan.h"

#include <optional>

namespace ampc {

/// What is asked.
struct MemoryQuestion {
  /// Bytes that the plan must not exceed; none: no limit is known.
  std::optional<uint64_t> limit;
  /// Whose limit that is, for the text: `--device-memory`.
  std::string limit_name;
  /// Whether the largest batch within the limit is sought though the plan
  /// fits.
  bool seek_batch = false;
  int threads = 0; ///< 0: one per processor
};

/// The peak with another precision or optimizer.
struct MemoryAlternative {
  std::string name;
  uint64_t peak_bytes = 0;
  bool is_current = false;
};

/// A change, and the peak after it.
struct MemoryChange {
  std::string change; ///< `precision bf16`, `batch 24`
  uint64_t peak_bytes = 0;
  /// Time of a step against that without the change; none: not known before
  /// it runs.
  std::optional<double> step_time_ratio;
};

/// Why it does not fit.
struct MemoryDiagnosis {
  /// creation: what a session holds before any step is too much; training: the
  /// model alone fits, its training does not; input_size: with fewer samples it
  /// fits.
  std::string cause;
  std::string text;   ///< with the bytes that say so
  std::string change; ///< that helps most; empty: none is known
};

/// Samples of a batch.
struct BatchFit {
  std::string dim; ///< of the model
  int64_t value = 0;
  std::optional<int64_t> largest; ///< that fits; none: not sought, or not one
};

/// The answer.
struct MemoryVerdict {
  MemoryPlan plan;
  bool fits = true;
  std::optional<uint64_t> limit;
  std::string limit_name;
  std::vector<MemoryAlternative> precisions, optimizers;
  std::vector<MemoryChange> advice;       ///< what saves most first
  std::vector<MemoryDiagnosis> diagnosis; ///< empty where it fits
  std::optional<BatchFit> batch; ///< none: no dim is the number of samples
};

/// Plans the memory of `model` and of its variations. A variation that the
/// model does not allow is left out.
[[nodiscard]] AMPC_API rt::Expected<MemoryVerdict>
judge_memory(const Model &model, const CompileOptions &options = {},
             const MemoryQuestion &question = {});

/// `12.5 MiB`.
AMPC_API std::string size_text(uint64_t bytes);

/// A summary of at most 80 columns and a few dozen lines; drawn in ASCII unless
/// `unicode`.
AMPC_API std::string to_text(const MemoryVerdict &verdict, bool unicode);

/// One JSON object.
AMPC_API std::string to_json(const MemoryVerdict &verdict);

/// The memory over the step as a picture of characters.
AMPC_API std::string to_chart(const MemoryPlan &plan, bool unicode);

/// The memory over the step as an SVG file.
AMPC_API std::string to_svg(const MemoryPlan &plan);

} // namespace ampc
