// Whether memory grows while a run trains. A plan's memory is had when its
// session opens and stays as it is, so that growth is always a leak: of the
// program around, of a library, of the system.
#pragma once

#include "runtime/plan/Export.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ampc::rt {

/// Bytes in use after a window.
struct MemorySample {
  uint64_t step = 0;
  uint64_t held = 0;     ///< by the stepper, as its allocator counts
  uint64_t resident = 0; ///< by the process, files aside; 0: not known
};

/// Looks at samples taken now and then. It warns once, after growth that goes
/// on: in each of the last samples more than in the one before. Of what the
/// process holds growth below kLeastGrowth is not told: caches fill, heaps
/// settle.
class AMPC_API MemoryWatch {
public:
  /// Samples that must each be larger than the one before.
  static constexpr size_t kRising = 6;
  /// Bytes of growth of the process over these samples.
  static constexpr uint64_t kLeastGrowth = uint64_t(16) << 20;
  /// Windows between the first samples. Later ones are further apart, so that
  /// the last few span half of the run however long it is.
  static constexpr uint64_t kFirstInterval = 16;

  /// Whether a sample is due after window `step`.
  bool is_due(uint64_t step) const { return !told && step >= next; }

  /// Takes a sample; the warning, if this is the moment.
  std::optional<std::string> see(const MemorySample &sample);

private:
  /// Growth of one number over the last samples; 0 unless all of them rise.
  uint64_t growth(uint64_t MemorySample::*bytes) const;

  std::vector<MemorySample> samples;
  uint64_t interval = kFirstInterval;
  uint64_t next = 0;
  bool told = false;
};

} // namespace ampc::rt
