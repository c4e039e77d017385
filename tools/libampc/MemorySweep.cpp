// How memory grows with a setting; see MemorySweep.h.
#include "tools/libampc/MemorySweep.h"

#include "tools/libampc/MemoryVariations.h"

#include "llvm/ADT/StringMap.h"
#include <charconv>
#include <cmath>
#include <map>

namespace ampc {

namespace {

/// The tensors of a plan by what they are whatever their extents: name, line
/// and element type, and how many of those came before in the schedule.
class TensorsByIdentity {
public:
  explicit TensorsByIdentity(const MemoryPlan &plan) {
    std::vector<const PlannedTensor *> inOrder;
    for (const PlannedTensor &tensor : plan.tensors)
      inOrder.push_back(&tensor);
    llvm::sort(inOrder, [](const auto *a, const auto *b) {
      return std::tuple(a->first, llvm::StringRef(a->name), a->bytes) <
             std::tuple(b->first, llvm::StringRef(b->name), b->bytes);
    });
    llvm::StringMap<unsigned> seen;
    for (const PlannedTensor *tensor : inOrder) {
      llvm::StringRef element = llvm::StringRef(tensor->type).split('[').first;
      std::string kind = tensor->name + "|" + tensor->source + "|" +
                         element.str() + "|" +
                         std::string(name_of(tensor->use));
      tensors[kind + "|" + std::to_string(seen[kind]++)] = tensor;
    }
  }

  std::map<std::string, const PlannedTensor *> tensors;
};

/// `text` as a number above 0.
std::optional<double> numberOf(const std::string &text) {
  double number = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !(number > 0) ||
      !std::isfinite(number))
    return std::nullopt;
  return number;
}

/// The power of growth of a line over the values.
std::optional<double> powerOf(const std::vector<SweptValue> &values,
                              const std::vector<uint64_t> &bytes) {
  std::optional<double> first = numberOf(values.front().value),
                        last = numberOf(values.back().value);
  if (!first || !last || *first == *last || bytes.front() == 0 ||
      bytes.back() == 0)
    return std::nullopt;
  return std::log(double(bytes.back()) / double(bytes.front())) /
         std::log(*last / *first);
}

} // namespace

rt::Expected<MemorySweep> sweep_memory(const Model &model,
                                       const CompileOptions &options,
                                       const std::string &key,
                                       const std::vector<std::string> &values,
                                       int threads) {
  std::vector<Variation> variations;
  for (const std::string &value : values)
    variations.push_back(
        {.sets = {{key, value}}, .precision = "", .entries = {}});
  std::vector<rt::Expected<MemoryPlan>> plans =
      Variations(model, options, threads).planAll(variations);
  MemorySweep out;
  out.key = key;
  std::vector<TensorsByIdentity> tensors;
  for (auto [value, plan] : llvm::zip(values, plans)) {
    if (!plan)
      return tl::unexpected(plan.error());
    out.values.push_back({value, plan->planned_peak_bytes, plan->categories});
    tensors.emplace_back(*plan);
  }
  if (values.size() < 2)
    return out;

  // What is at the last value's peak, by line and, as one line may make tensors
  // that grow differently, by power.
  std::map<std::string, SweptLine> lines;
  llvm::StringMap<int64_t> most; // growth of the tensor that names a line
  for (const auto &[identity, tensor] : tensors.back().tensors) {
    if (!tensor->at_peak || tensor->source.empty())
      continue;
    std::vector<uint64_t> bytes;
    for (const TensorsByIdentity &plan : tensors) {
      auto same = plan.tensors.find(identity);
      bytes.push_back(same == plan.tensors.end() ? 0 : same->second->bytes);
    }
    std::optional<double> power = powerOf(out.values, bytes);
    std::string group =
        tensor->source +
        (power ? "|" + std::to_string(std::lround(*power * 10)) : "");
    SweptLine &line = lines[group];
    line.source = tensor->source;
    line.bytes.resize(values.size());
    for (auto [sum, one] : llvm::zip(line.bytes, bytes))
      sum += one;
    int64_t more = int64_t(bytes.back()) - int64_t(bytes.front());
    if (line.name.empty() || more > most[group]) {
      most[group] = more;
      line.name = tensor->name;
    }
  }
  double growth = double(out.values.back().peak_bytes) -
                  double(out.values.front().peak_bytes);
  for (auto &[group, line] : lines) {
    double more = double(line.bytes.back()) - double(line.bytes.front());
    if (more <= 0 || growth <= 0)
      continue;
    line.share = more / growth;
    line.power = powerOf(out.values, line.bytes);
    out.lines.push_back(std::move(line));
  }
  llvm::sort(out.lines, [](const SweptLine &a, const SweptLine &b) {
    return std::tuple(-a.share, llvm::StringRef(a.source), a.bytes) <
           std::tuple(-b.share, llvm::StringRef(b.source), b.bytes);
  });
  return out;
}

} // namespace ampc
