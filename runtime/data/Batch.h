// What a session is fed: borrowed tensors by name, and where they come from.
#pragma once

#include "runtime/core/Tensor.h"
#include "runtime/plan/Export.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::rt {

/// What a port is for; the numbers are those of `fb::IoKind`.
enum class PortKind : uint8_t {
  Input = 0,
  Target,
  Output,
  Loss,
  Metric,
  Gradient,
  Partial,
  Fault,
  Probe
};

/// What an output of kind Probe shows: a value that the entry computes, or the
/// range of its elements.
struct Probe {
  std::string op;           ///< `linear`; `input`, `read` or `gradient`
  std::string path;         ///< the call's name, or the input's or variable's
  DType dtype = DType::F32; ///< of the value
  std::vector<int64_t> shape;
  bool backward = false;        ///< it belongs to a gradient
  std::vector<uint32_t> inputs; ///< the entry's probes that it is made of
  bool infinite = false; ///< an infinite constant of the model is part of it
};

/// What an op asks of the elements of a tensor that it looks up: an input, or
/// one that the entry computes.
struct IndexCheck {
  int64_t low = 0, high = 0; ///< [low, high)
  std::optional<int64_t> ignore;
  /// The elements `offset + sum(i * stride)`, i below each extent.
  uint64_t offset = 0;
  std::vector<uint64_t> extents, strides;
  std::string noun;  ///< `label`, `index`
  std::string op;    ///< who asks: `cross_entropy`
  std::string where; ///< its place in the model's source, or empty
};

/// One input or output of an entry.
struct Port {
  std::string name;
  PortKind kind = PortKind::Input;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<IndexCheck> checks = {}; ///< of an input, or of the fault
  std::string where = ""; ///< its place in the model's source, or empty
  std::optional<Probe> probe = {};
};

/// Borrowed tensors by name. What they point to must live until the call they
/// are given to returns.
class Batch {
public:
  /// Adds `view` as `name`, or replaces what stood there.
  void set(std::string_view name, const TensorView &view) {
    for (Item &item : items)
      if (item.name == name) {
        item.view = view;
        return;
      }
    items.push_back({std::string(name), view});
  }
  /// As above; the tensor must outlive its use.
  void set(std::string_view name, const Tensor &tensor) {
    set(name, tensor.view());
  }

  /// The tensor called `name`, or null.
  const TensorView *find(std::string_view name) const {
    for (const Item &item : items)
      if (item.name == name)
        return &item.view;
    return nullptr;
  }

  /// All of them, in the order they were first set; valid until the next call.
  std::vector<NamedView> views() const {
    std::vector<NamedView> all;
    for (const Item &item : items)
      all.push_back({item.name, item.view});
    return all;
  }

private:
  struct Item {
    std::string name;
    TensorView view;
  };
  std::vector<Item> items;
};

/// A source of batches. Batch `index` is a pure function of the index: a run
/// that resumes asks for the next one and gets what the uninterrupted run would
/// have had.
class AMPC_API DataSource {
public:
  virtual ~DataSource();
  /// The batch; valid until the next call. Failing reads: Code BadInput.
  [[nodiscard]] virtual Expected<const Batch *> batch(uint64_t index) = 0;
  /// Complete batches of one epoch; nothing if the data has no end.
  virtual std::optional<uint64_t> batches() const = 0;
  /// Samples of one epoch that fill no complete batch and that no batch has.
  virtual uint64_t left_over() const = 0;
  /// The `left_over` samples at an unshuffled epoch's end, as a batch whose
  /// sample axes are that long; streams beside the first that take another
  /// number a batch have a whole one. Valid until the next call. A source
  /// without any: Code Usage.
  [[nodiscard]] virtual Expected<const Batch *> remainder() {
    return fail(Code::Usage, describe(), "the data has no incomplete batch");
  }
  /// Whether an epoch's last batch is filled from the next epoch, so that no
  /// batch ends with an epoch.
  virtual bool flows_on() const { return false; }
  /// Samples of one batch.
  virtual uint64_t batch_size() const = 0;
  /// `x,y=normal:1`, lines separated by blanks: stands in checkpoints.
  virtual std::string describe() const = 0;
};

} // namespace ampc::rt
