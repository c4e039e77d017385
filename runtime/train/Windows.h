// Windows of several micro-batches (N14): how a batch holds one, how its
// entries run, and batches of data stacked to windows.
#pragma once

#include "runtime/train/Stepper.h"

#include <atomic>

namespace ampc::rt {

/// One of the micro-batches that a batch holds, one after the other along each
/// tensor's first axis.
struct MicroBatch {
  uint64_t index = 0, count = 1;
};

/// How many micro-batches `batch` holds for an entry that takes `ports`: as
/// many times as long as one is the first tensor that says so. Other than 1 to
/// `most`: Code Usage.
[[nodiscard]] AMPC_API Expected<uint64_t>
count_micro_batches(std::span<const Port> ports, const Batch &batch,
                    uint64_t most);

/// What `port` takes of `batch`. A tensor that is missing, of another type or
/// shape: Code Usage at `where`. Allocates only for the message.
[[nodiscard]] AMPC_API Expected<TensorView> micro_view(const Port &port,
                                                       const Batch &batch,
                                                       MicroBatch micro,
                                                       const char *where);

/// `error` of micro-batch `micro`; its place is said where there are several.
AMPC_API Error in_micro_batch(Error error, MicroBatch micro);

/// Runs the entries of a window of `count` micro-batches; `run(entry, micro)`
/// runs one of them. `stop`, where it is not null, is looked at before each:
/// once it is set, Code Interrupted.
template <class Run>
[[nodiscard]] Expected<void>
run_window(uint64_t count, const std::atomic<bool> *stop, Run run) {
  for (EntryKind entry : {EntryKind::Window, EntryKind::MicroStep})
    for (uint64_t index = 0; index < count; ++index) {
      if (stop && stop->load(std::memory_order_relaxed))
        return fail(Code::Interrupted, name_of(entry), "interrupted");
      MicroBatch micro{index, count};
      Expected<void> done = run(entry, micro);
      if (!done)
        return tl::unexpected(in_micro_batch(done.error(), micro));
    }
  return run(EntryKind::ApplyStep, MicroBatch{});
}

/// The batches of another source, `most` at a time. An epoch's last window has
/// those that are left; where epochs flow on there is no last one.
class AMPC_API WindowedData final : public DataSource {
public:
  /// `data` must outlive this.
  WindowedData(DataSource &data, uint64_t most) : data(data), most(most) {}

  [[nodiscard]] Expected<const Batch *> batch(uint64_t index) override;
  std::optional<uint64_t> batches() const override;
  uint64_t left_over() const override { return data.left_over(); }
  bool flows_on() const override { return data.flows_on(); }
  /// Samples of a whole window.
  uint64_t batch_size() const override { return data.batch_size() * most; }
  /// As the source says it, and how many batches a window has.
  std::string describe() const override;
  /// Samples of window `index`.
  uint64_t samples(uint64_t index) const {
    return data.batch_size() * spanOf(index).count;
  }

private:
  /// Batches of a window.
  struct Span {
    uint64_t first, count;
  };
  Span spanOf(uint64_t index) const;

  /// A tensor of the window being stacked.
  struct Column {
    std::string name;
    std::vector<int64_t> shape;
    Tensor buffer; ///< of a whole window
  };
  Expected<void> addColumns(const Batch &first);

  DataSource &data;
  uint64_t most;
  std::vector<Column> columns; ///< made with the first window
  Batch current;
};

} // namespace ampc::rt
