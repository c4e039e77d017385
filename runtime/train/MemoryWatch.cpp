// Whether memory grows while a run trains; see MemoryWatch.h.
#include "runtime/train/MemoryWatch.h"

#include <fmt/format.h>

namespace ampc::rt {

/// Samples kept; when there are as many, every second one goes.
static constexpr size_t kKept = 2 * MemoryWatch::kRising;

uint64_t MemoryWatch::growth(uint64_t MemorySample::*bytes) const {
  if (samples.size() < kRising)
    return 0;
  const MemorySample *first = &samples[samples.size() - kRising];
  for (size_t i = 1; i < kRising; ++i)
    if (first[i].*bytes <= first[i - 1].*bytes)
      return 0;
  return samples.back().*bytes - first->*bytes;
}

std::optional<std::string> MemoryWatch::see(const MemorySample &sample) {
  samples.push_back(sample);
  next = sample.step + interval;
  uint64_t held = growth(&MemorySample::held),
           resident = growth(&MemorySample::resident);
  if (held || resident >= kLeastGrowth) {
    told = true;
    const MemorySample &first = samples[samples.size() - kRising];
    std::string text = fmt::format(
        "memory grows: from step {} to step {} {} {} bytes more, now {}",
        first.step, sample.step, held ? "the session took" : "the process took",
        held ? held : resident, held ? sample.held : sample.resident);
    if (!held)
      text += fmt::format("; the session holds {} as before, so that something "
                          "beside it keeps memory",
                          sample.held);
    return text;
  }
  if (samples.size() == kKept) {
    std::vector<MemorySample> kept;
    for (size_t i = 1; i < samples.size(); i += 2)
      kept.push_back(samples[i]);
    samples = std::move(kept);
    interval *= 2;
  }
  return std::nullopt;
}

} // namespace ampc::rt
