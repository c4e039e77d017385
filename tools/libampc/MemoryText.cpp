// A verdict on a model's memory as text and as JSON; see MemoryVerdict.h.
#include "tools/libampc/MemoryVerdict.h"

#include "runtime/train/Metrics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ampc {

std::string size_text(uint64_t bytes) {
  constexpr const char *units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  double value = double(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

namespace {

/// `-38 %`, `+1.2 %`.
std::string changeText(uint64_t bytes, uint64_t from) {
  double percent = (double(bytes) / double(from) - 1) * 100;
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 9.95 ? 1 : 0);
}

/// At most `width` bytes of `text`: the end of a path says most.
std::string shortened(const std::string &text, size_t width) {
  return text.size() <= width ? text
                              : ".." + text.substr(text.size() - width + 2);
}

std::string firstLines(const MemoryVerdict &verdict) {
  const MemoryPlan &plan = verdict.plan;
  std::string text =
      fmt::format("{}: precision {}{}{}",
                  plan.model.empty() ? plan.path : plan.model, plan.precision,
                  plan.optimizer.empty() ? "" : ", optimizer ", plan.optimizer);
  if (plan.threads)
    text += fmt::format(", {} thread{}", plan.threads,
                        plan.threads == 1 ? "" : "s");
  text += "\n";
  std::string peak = size_text(plan.planned_peak_bytes);
  if (!verdict.limit)
    text += fmt::format("needs {} ({} bytes)\n", peak, plan.planned_peak_bytes);
  else
    text += fmt::format("{}: needs {} ({} bytes) of {} ({})\n",
                        verdict.fits ? "fits" : "does not fit", peak,
                        plan.planned_peak_bytes, size_text(*verdict.limit),
                        verdict.limit_name);
  if (verdict.batch && verdict.batch->largest)
    text += fmt::format("largest {} that fits: {}\n", verdict.batch->dim,
                        *verdict.batch->largest);
  for (const std::string &chunked : plan.chunked)
    text += chunked + "\n";
  for (const MemoryDiagnosis &found : verdict.diagnosis)
    text +=
        fmt::format("{}{}{}\n", found.text,
                    found.change.empty() ? "" : "; helps most: ", found.change);
  return text;
}

std::string categoryTable(const MemoryPlan &plan) {
  std::string text = "\nat the peak, by category\n";
  for (size_t i = 0; i < kMemoryUses; ++i)
    if (uint64_t bytes = plan.categories.of[i])
      text +=
          fmt::format("  {:<12} {:>11} {:>4.0f} %\n", name_of(MemoryUse(i)),
                      size_text(bytes),
                      double(bytes) / double(plan.planned_peak_bytes) * 100);
  text += fmt::format("  {:<12} {:>11}\n", "lower bound",
                      size_text(plan.lower_bound_bytes));
  return text;
}

/// ` and 11 alike`.
std::string alikeText(size_t count) {
  return count > 1 ? fmt::format(" and {} alike", count - 1) : "";
}

std::string layerTable(const MemoryPlan &plan) {
  constexpr size_t kMost = 12;
  std::vector<std::pair<const LayerMemory *, size_t>> rows; // and how many
  for (const LayerMemory &layer : plan.layers) {
    const MemoryBytes &bytes = layer.bytes;
    if (bytes[MemoryUse::Io] || bytes[MemoryUse::Workspaces] ||
        bytes[MemoryUse::State])
      continue;
    bool isAlike = !rows.empty() && rows.back().first->bytes == bytes;
    if (isAlike)
      ++rows.back().second;
    else
      rows.push_back({&layer, 1});
  }
  std::string text =
      fmt::format("\nby layer\n  {:<29} {:>11} {:>11} {:>11} {:>11}\n", "",
                  "weights", "optimizer", "gradients", "activations");
  size_t shown = std::min(kMost, rows.size());
  for (size_t i = 0; i < shown; ++i) {
    const MemoryBytes &bytes = rows[i].first->bytes;
    std::string alike = alikeText(rows[i].second);
    text += fmt::format(
        "  {:<29} {:>11} {:>11} {:>11} {:>11}\n",
        shortened(rows[i].first->layer, 29 - alike.size()) + alike,
        size_text(bytes[MemoryUse::Parameters] + bytes[MemoryUse::Masters] +
                  bytes[MemoryUse::Copies16]),
        size_text(bytes[MemoryUse::Optimizer]),
        size_text(bytes[MemoryUse::Gradients]),
        size_text(bytes[MemoryUse::Activations]));
  }
  if (rows.size() > shown)
    text += fmt::format("  and {} more\n", rows.size() - shown);
  return text;
}

std::string tensorTable(const MemoryPlan &plan) {
  constexpr size_t kMost = 12;
  // Those of one line and type that follow one another share a row.
  std::vector<std::pair<const PlannedTensor *, size_t>> rows;
  for (const PlannedTensor &tensor : plan.tensors) {
    if (!tensor.at_peak)
      continue;
    auto isAlike = [&](const auto &row) {
      return row.first->bytes == tensor.bytes &&
             row.first->source == tensor.source &&
             row.first->type == tensor.type && row.first->use == tensor.use;
    };
    auto row = std::find_if(rows.begin(), rows.end(), isAlike);
    if (row != rows.end())
      ++row->second;
    else
      rows.push_back({&tensor, 1});
  }
  std::string text = "\nlargest tensors at the peak\n";
  size_t others = 0;
  uint64_t rest = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    auto [tensor, count] = rows[i];
    if (i >= kMost) {
      others += count;
      rest += count * tensor->bytes;
      continue;
    }
    text += fmt::format("  {:>11}  {:<12} {}{}{}{}\n", size_text(tensor->bytes),
                        name_of(tensor->use), tensor->name, alikeText(count),
                        tensor->type.empty() ? "" : "  " + tensor->type,
                        tensor->source.empty() ? "" : "  " + tensor->source);
  }
  if (others)
    text +=
        fmt::format("  {:>11}  of {} smaller ones\n", size_text(rest), others);
  return text;
}

void addAlternatives(std::string &text, const char *what,
                     const std::vector<MemoryAlternative> &rows,
                     uint64_t peak) {
  for (const MemoryAlternative &row : rows)
    text += fmt::format(
        "  {:<10} {:<18} {:>11}{}\n", what, row.name, size_text(row.peak_bytes),
        row.is_current ? "  as it is"
                       : "  " + changeText(row.peak_bytes, peak));
}

std::string comparison(const MemoryVerdict &verdict) {
  std::string text;
  uint64_t peak = verdict.plan.planned_peak_bytes;
  addAlternatives(text, "precision", verdict.precisions, peak);
  addAlternatives(text, "optimizer", verdict.optimizers, peak);
  return text.empty() ? text : "\ncompared\n" + text;
}

std::string advice(const MemoryVerdict &verdict) {
  if (verdict.advice.empty())
    return "";
  std::string text = "\nwhat saves memory\n";
  for (const MemoryChange &change : verdict.advice) {
    text += fmt::format(
        "  {:<30} {:>11}  {:>7}{}{}\n", change.change,
        size_text(change.peak_bytes),
        changeText(change.peak_bytes, verdict.plan.planned_peak_bytes),
        change.step_time_ratio
            ? fmt::format(", {:+.0f} % time",
                          (*change.step_time_ratio - 1) * 100)
            : "",
        verdict.limit && !verdict.fits && change.peak_bytes <= *verdict.limit
            ? "  fits"
            : "");
  }
  return text;
}

/// `[...]` of what `print` makes of each item.
template <class Items, class Print>
std::string list(const Items &items, Print print) {
  std::string text = "[";
  for (const auto &item : items)
    text += (text.size() > 1 ? "," : "") + print(item);
  return text + "]";
}

std::string numberOrNull(const auto &value) {
  return value ? fmt::format("{}", *value) : "null";
}

std::string alternativesJson(const std::vector<MemoryAlternative> &rows) {
  return list(rows, [](const MemoryAlternative &row) {
    return fmt::format("{{\"name\":{},\"peak_bytes\":{},\"current\":{}}}",
                       rt::json_string(row.name), row.peak_bytes,
                       row.is_current);
  });
}

std::string categoriesJson(const MemoryBytes &bytes) {
  std::string text;
  for (size_t i = 0; i < kMemoryUses; ++i)
    text += fmt::format("{}\"{}\":{}", i ? "," : "{", name_of(MemoryUse(i)),
                        bytes.of[i]);
  return text + "}";
}

} // namespace

std::string to_text(const MemoryVerdict &verdict, bool unicode) {
  const MemoryPlan &plan = verdict.plan;
  return firstLines(verdict) + categoryTable(plan) + layerTable(plan) +
         tensorTable(plan) + "\n" + to_chart(plan, unicode) +
         comparison(verdict) + advice(verdict);
}

std::string to_json(const MemoryVerdict &verdict) {
  const MemoryPlan &plan = verdict.plan;
  std::vector<PlannedTensor> peak;
  for (const PlannedTensor &tensor : plan.tensors)
    if (tensor.at_peak)
      peak.push_back(tensor);
  std::vector<uint64_t> curve;
  for (size_t i = 0; i < plan.curve.size(); ++i)
    curve.push_back(plan.bytes_at(i));
  std::string text = fmt::format(
      "{{\"fits\":{},\"limit_bytes\":{},\"planned_peak_bytes\":{},"
      "\"lower_bound_bytes\":{},\"smallest_feasible_bytes\":{},"
      "\"entry\":{},\"precision\":{},\"optimizer\":{},\"threads\":{},"
      "\"categories\":{}",
      verdict.fits, numberOrNull(verdict.limit), plan.planned_peak_bytes,
      plan.lower_bound_bytes, plan.smallest_feasible_bytes,
      rt::json_string(plan.entry), rt::json_string(plan.precision),
      rt::json_string(plan.optimizer), plan.threads,
      categoriesJson(plan.categories));
  text +=
      ",\"layers\":" + list(plan.layers, [](const LayerMemory &layer) {
        return fmt::format("{{\"layer\":{},\"bytes\":{},\"categories\":{}}}",
                           rt::json_string(layer.layer), layer.bytes.total(),
                           categoriesJson(layer.bytes));
      });
  text += ",\"peak\":" + list(peak, [](const PlannedTensor &tensor) {
            return fmt::format(
                "{{\"name\":{},\"bytes\":{},\"source\":{},\"type\":{},"
                "\"category\":{},\"layer\":{}}}",
                rt::json_string(tensor.name), tensor.bytes,
                rt::json_string(tensor.source), rt::json_string(tensor.type),
                rt::json_string(name_of(tensor.use)),
                rt::json_string(tensor.layer));
          });
  text += fmt::format(",\"curve\":[{}],\"spans\":", fmt::join(curve, ","));
  text += list(plan.spans, [](const MemorySpan &span) {
    return fmt::format("{{\"entry\":{},\"first\":{}}}",
                       rt::json_string(span.entry), span.first);
  });
  text += ",\"precisions\":" + alternativesJson(verdict.precisions) +
          ",\"optimizers\":" + alternativesJson(verdict.optimizers);
  text += ",\"chunked\":" + list(plan.chunked, [](const std::string &chunked) {
            return rt::json_string(chunked);
          });
  text += ",\"advice\":" + list(verdict.advice, [](const MemoryChange &change) {
            return fmt::format(
                "{{\"change\":{},\"peak_bytes\":{},\"step_time_ratio\":{}}}",
                rt::json_string(change.change), change.peak_bytes,
                numberOrNull(change.step_time_ratio));
          });
  text += ",\"diagnosis\":" +
          list(verdict.diagnosis, [](const MemoryDiagnosis &found) {
            return fmt::format("{{\"case\":{},\"text\":{},\"change\":{}}}",
                               rt::json_string(found.cause),
                               rt::json_string(found.text),
                               rt::json_string(found.change));
          });
  text += ",\"batch\":";
  text += verdict.batch
              ? fmt::format("{{\"dim\":{},\"value\":{},\"largest\":{}}}",
                            rt::json_string(verdict.batch->dim),
                            verdict.batch->value,
                            numberOrNull(verdict.batch->largest))
              : "null";
  return text + "}\n";
}

} // namespace ampc
