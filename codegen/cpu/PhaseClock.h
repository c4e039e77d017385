// Seconds of the phases of a compilation.
#ifndef AMPC_CODEGEN_CPU_PHASECLOCK_H
#define AMPC_CODEGEN_CPU_PHASECLOCK_H

#include <chrono>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace ampc {

/// Takes the seconds of a phase; may be empty.
using PhaseSink = std::function<void(std::string_view phase, double seconds)>;

/// Measures phases that follow each other.
class PhaseClock {
public:
  explicit PhaseClock(const PhaseSink &sink) : sink(sink) {}

  /// The phase that began with the clock, or with the end of the one before.
  void end(std::string_view phase) {
    Clock::time_point now = Clock::now();
    if (sink)
      sink(phase, std::chrono::duration<double>(now - start).count());
    start = now;
  }

  /// The same for phases that ran side by side: each gets the part of the time
  /// that its work is of all work.
  void
  endShared(std::initializer_list<std::pair<std::string_view, double>> phases) {
    Clock::time_point now = Clock::now();
    double wall = std::chrono::duration<double>(now - start).count(), sum = 0;
    for (const auto &[phase, work] : phases)
      sum += work;
    for (const auto &[phase, work] : phases)
      if (sink)
        sink(phase, sum > 0 ? wall * work / sum : wall / double(phases.size()));
    start = now;
  }

private:
  using Clock = std::chrono::steady_clock;

  const PhaseSink &sink;
  Clock::time_point start = Clock::now();
};

} // namespace ampc

#endif // AMPC_CODEGEN_CPU_PHASECLOCK_H
