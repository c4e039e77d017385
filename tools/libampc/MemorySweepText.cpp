// A sweep over a setting as text and as JSON; see MemorySweep.h.
#include "tools/libampc/MemorySweep.h"

#include "runtime/train/Metrics.h"
#include "tools/libampc/MemoryVerdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ampc {

namespace {

/// `seq^2`, `seq^1.3`; whole where it nearly is.
std::string powerText(const std::string &key, double power) {
  double whole = std::round(power);
  bool isWhole = std::abs(power - whole) < 0.03;
  return isWhole ? fmt::format("{}^{:.0f}", key, whole)
                 : fmt::format("{}^{:.1f}", key, power);
}

/// What grows most, in a sentence; empty where nothing grows.
std::string growthText(const MemorySweep &sweep) {
  if (sweep.lines.empty())
    return sweep.values.size() > 1 ? "the peak does not grow\n" : "";
  const SweptLine &most = sweep.lines.front();
  std::string how =
      most.power ? " as " + powerText(sweep.key, *most.power) : "";
  return fmt::format("bytes grow{} from {} ({}): {:.0f} % of the growth\n", how,
                     most.source, most.name, most.share * 100);
}

} // namespace

std::string to_text(const MemorySweep &sweep) {
  size_t width = sweep.key.size();
  for (const SweptValue &row : sweep.values)
    width = std::max(width, row.value.size());
  std::string text = fmt::format("{:<{}} {:>11} {:>11} {:>11} {:>11} {:>11}\n",
                                 sweep.key, width, "peak", "weights",
                                 "optimizer", "gradients", "activations");
  for (const SweptValue &row : sweep.values) {
    const MemoryBytes &bytes = row.categories;
    text += fmt::format("{:<{}} {:>11} {:>11} {:>11} {:>11} {:>11}\n",
                        row.value, width, size_text(row.peak_bytes),
                        size_text(bytes[MemoryUse::Parameters] +
                                  bytes[MemoryUse::Masters] +
                                  bytes[MemoryUse::Copies16]),
                        size_text(bytes[MemoryUse::Optimizer]),
                        size_text(bytes[MemoryUse::Gradients]),
                        size_text(bytes[MemoryUse::Activations]));
  }
  text += "\n" + growthText(sweep);
  constexpr size_t kMost = 8;
  for (size_t i = 0; i < std::min(kMost, sweep.lines.size()); ++i) {
    const SweptLine &line = sweep.lines[i];
    text += fmt::format("  {:>4.0f} %  {:>11} -> {:>11}  {:<10} {}  {}\n",
                        line.share * 100, size_text(line.bytes.front()),
                        size_text(line.bytes.back()),
                        line.power ? powerText(sweep.key, *line.power) : "-",
                        line.source, line.name);
  }
  return text;
}

std::string to_json(const MemorySweep &sweep) {
  std::string rows, lines;
  for (const SweptValue &row : sweep.values) {
    std::string categories;
    for (size_t i = 0; i < kMemoryUses; ++i)
      categories += fmt::format("{}\"{}\":{}", i ? "," : "",
                                name_of(MemoryUse(i)), row.categories.of[i]);
    rows += fmt::format("{}{{\"value\":{},\"planned_peak_bytes\":{},"
                        "\"categories\":{{{}}}}}",
                        rows.empty() ? "" : ",", rt::json_string(row.value),
                        row.peak_bytes, categories);
  }
  for (const SweptLine &line : sweep.lines)
    lines +=
        fmt::format("{}{{\"source\":{},\"name\":{},\"bytes\":[{}],\"share\":{},"
                    "\"power\":{}}}",
                    lines.empty() ? "" : ",", rt::json_string(line.source),
                    rt::json_string(line.name), fmt::join(line.bytes, ","),
                    rt::json_number(line.share),
                    line.power ? rt::json_number(*line.power) : "null");
  return fmt::format("{{\"key\":{},\"rows\":[{}],\"growth\":[{}]}}\n",
                     rt::json_string(sweep.key), rows, lines);
}

} // namespace ampc
