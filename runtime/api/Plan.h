// A compiled plan, ready to be opened as a session. A plan is code: load it
// only from where you trust it.
#pragma once

#include "runtime/api/Export.h"
#include "runtime/data/Batch.h"
#include "runtime/data/Streams.h"
#include "runtime/plan/FileIO.h"
#include "runtime/train/Stepper.h"

#include <memory>
#include <string>
#include <vector>

namespace ampc::rt {

class PlanFile;

/// Defaults of the model's train block.
struct TrainDefaults {
  uint64_t steps = 1000;
  uint64_t seed = 0;
  uint64_t log_every = 10;
  uint64_t save_every = 0;
  uint64_t validate_every = 0;
  Nonfinite nonfinite = Nonfinite::Skip;
  uint64_t max_skipped = 100;
  /// An epoch's last incomplete batch is filled from the next epoch, not
  /// dropped.
  bool wrap = false;
  uint64_t accumulate = 1; ///< micro-batches of a window
};

/// A verified plan. Cheap to copy.
class AMPC_API Plan {
public:
  /// Maps and verifies the file at `path`: damaged, foreign-version and
  /// nonsensical files are errors (Code BadInput).
  [[nodiscard]] static Expected<Plan> load(const std::string &path);
  /// Copies and verifies `bytes`; `name` stands in errors.
  [[nodiscard]] static Expected<Plan>
  from_bytes(std::span<const uint8_t> bytes, const std::string &name = "plan");

  /// Verifies the contents of a file and keeps them as they are, mapped or not.
  [[nodiscard]] static Expected<Plan> from_file(FileBytes bytes,
                                                const std::string &name);

  std::string model_name() const;
  /// Identifies the model in checkpoints; 0: unknown.
  uint64_t model_hash() const;
  /// What it is compiled for: `cpu` or `cuda`.
  std::string target_kind() const;
  bool has_entry(EntryKind entry) const;
  /// Whether a step is made of windows of several micro-batches.
  bool accumulates() const { return has_entry(EntryKind::MicroStep); }
  /// What an entry takes; empty if there is no such entry. A step of several
  /// micro-batches takes what one of them does.
  std::vector<Port> inputs(EntryKind entry) const;
  /// What an entry gives, its fault aside. A step of several micro-batches
  /// gives what its last entry does, and the probes of its micro-batches.
  std::vector<Port> outputs(EntryKind entry) const;
  /// What an entry checks as it runs: an output after all others.
  std::optional<Port> fault(EntryKind entry) const;
  TrainDefaults train_defaults() const;
  /// The model's data lines.
  std::vector<DataLine> data_lines() const;
  /// How they are read; `directory` is the plan file's.
  DataOptions data_options() const;

  /// The file behind it, for the runtime's own use.
  const std::shared_ptr<const PlanFile> &file() const { return source; }

private:
  explicit Plan(std::shared_ptr<const PlanFile> source)
      : source(std::move(source)) {}
  std::shared_ptr<const PlanFile> source;
};

} // namespace ampc::rt
