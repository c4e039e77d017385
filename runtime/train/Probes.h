// What the probes of a training step tell: which op first gave a number that is
// not finite, where it stands, and what it was given.
#pragma once

#include "runtime/data/Batch.h"
#include "runtime/plan/Export.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ampc::rt {

/// The first value of a step that is not finite.
struct Finding {
  std::string where; ///< `file:line:col` of the op, or empty
  /// `linear (fc1) gives inf, f16[32, 8]; made of 'x' in [-3, 4] and ...`
  std::string text;
};

/// Reads the ranges that a step's probes show.
class AMPC_API ProbeReader {
public:
  /// Of an entry's outputs; empty where its probes show values, not ranges.
  explicit ProbeReader(std::span<const Port> outputs);

  /// Whether there is nothing to read.
  bool empty() const { return probes.empty(); }

  /// [smallest, largest] element; NaN where one is.
  using Range = std::array<double, 2>;
  /// The first probe that is not finite although nothing infinite was meant,
  /// with what it is made of; `rangeAt(output)` reads one. Ops stand in program
  /// order, so that all it is made of is finite. Allocates only where there is
  /// one.
  [[nodiscard]] std::optional<Finding>
  first_not_finite(const std::function<Range(size_t)> &rangeAt) const;

private:
  struct Item {
    size_t output; ///< its number
    Port port;
  };
  std::string describe(const Item &item, const Range &range) const;

  std::vector<Item> probes;
};

} // namespace ampc::rt
