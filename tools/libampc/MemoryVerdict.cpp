// Will it fit, and if not, what to change; see MemoryVerdict.h.
#include "tools/libampc/MemoryVerdict.h"

#include "ir/frontend/model/SampleDims.h"
#include "tools/libampc/MemoryVariations.h"
#include "tools/libampc/ModelImpl.h"

#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;

namespace ampc {

namespace {

/// Calls of optimizers that are compared, beside the model's own.
struct KnownOptimizer {
  const char *name, *call;
};
constexpr KnownOptimizer kOptimizers[] = {
    {"sgd", "sgd(lr = 1e-3)"},
    {"sgd with momentum", "sgd(lr = 1e-3, momentum = 0.9)"},
    {"adam", "adam(lr = 1e-3)"}};

constexpr const char *kPrecisions[] = {"f32", "bf16", "f16"};

/// Adam and AdamW keep the same state.
StringRef stateOf(StringRef optimizer) {
  return optimizer == "adamw" ? "adam" : optimizer;
}

/// The dim that is the number of samples of every input, with its extent.
std::optional<BatchFit> batchOf(const Model::Impl &impl) {
  func::FuncOp forward = amp::findEntry(*impl.module, amp::Entry::forward);
  if (!impl.options || !forward)
    return std::nullopt;
  llvm::StringMap<std::string> dims = model::sampleDims(impl.text);
  BatchFit batch;
  for (BlockArgument argument : forward.getArguments()) {
    auto name = forward.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     amp::kNameAttr);
    RankedTensorType type = amp::tensorType(argument);
    std::string dim = name ? dims.lookup(name) : "";
    if (dim.empty() || type.getRank() == 0)
      continue;
    if (!batch.dim.empty() && batch.dim != dim)
      return std::nullopt;
    batch.dim = dim;
    batch.value = type.getDimSize(0);
  }
  return batch.dim.empty() ? std::nullopt : std::optional(batch);
}

/// Bytes that a session holds before it runs any step.
uint64_t variableBytes(const MemoryPlan &plan) {
  uint64_t bytes = 0;
  for (MemoryUse use :
       {MemoryUse::Parameters, MemoryUse::Masters, MemoryUse::Optimizer,
        MemoryUse::Copies16, MemoryUse::State})
    bytes += plan.categories[use];
  return bytes;
}

/// Judges one model.
class Judge {
public:
  Judge(const Model &model, const CompileOptions &options,
        const MemoryQuestion &question, MemoryVerdict &out)
      : model(model), question(question),
        variations(model, options, question.threads), out(out) {
    trains = !out.plan.optimizer.empty();
  }

  rt::Expected<void> run() {
    out.limit = question.limit;
    out.limit_name = question.limit_name;
    out.fits = fits(out.plan);
    out.batch = batchOf(model.impl());
    compare();
    if (trains && variations.canSet())
      askBudgets();
    if (out.batch && question.limit && (question.seek_batch || !out.fits))
      seekBatch();
    // What saves most first; what saves nothing is no advice.
    llvm::erase_if(out.advice, [&](const MemoryChange &change) {
      return change.peak_bytes >= out.plan.planned_peak_bytes;
    });
    llvm::sort(out.advice, [](const auto &a, const auto &b) {
      return std::pair(a.peak_bytes, StringRef(a.change)) <
             std::pair(b.peak_bytes, StringRef(b.change));
    });
    if (!out.fits)
      diagnose();
    return {};
  }

private:
  bool fits(const MemoryPlan &plan) const {
    return !question.limit || plan.planned_peak_bytes <= *question.limit;
  }

  std::string batchText(int64_t value) const {
    return out.batch->dim + " " + std::to_string(value);
  }

  /// Plans every variation and puts it where it belongs.
  void compare() {
    std::vector<Variation> asked;
    std::vector<std::function<void(const MemoryPlan &)>> takers;
    auto ask = [&](Variation variation, auto take) {
      asked.push_back(std::move(variation));
      takers.push_back(take);
    };
    auto advise = [&](const std::string &change, const MemoryPlan &plan) {
      out.advice.push_back({change, plan.planned_peak_bytes, std::nullopt});
    };
    if (variations.canChangePrecision())
      for (std::string name : kPrecisions)
        addAlternative(out.precisions, name, out.plan.precision == name,
                       {.sets = {}, .precision = name, .entries = {}},
                       "precision " + name, ask, advise);
    if (variations.canSet() && trains) {
      for (const KnownOptimizer &known : kOptimizers)
        addAlternative(out.optimizers, known.name,
                       stateOf(out.plan.optimizer) == known.name,
                       {.sets = {{"train.optimizer", known.call}},
                        .precision = "",
                        .entries = {}},
                       std::string("optimizer ") + known.name, ask, advise);
      askBatches(ask, advise);
    }
    if (!out.fits && trains && variations.canChangePrecision())
      ask({.sets = {}, .precision = "", .entries = {"infer"}},
          [&](const MemoryPlan &plan) { inference = plan.planned_peak_bytes; });
    std::vector<rt::Expected<MemoryPlan>> plans = variations.planAll(asked);
    for (auto [plan, take] : llvm::zip(plans, takers))
      if (plan)
        take(*plan);
  }

  template <typename Ask, typename Advise>
  void addAlternative(std::vector<MemoryAlternative> &to,
                      const std::string &name, bool isCurrent,
                      Variation variation, const std::string &change, Ask ask,
                      Advise advise) {
    if (isCurrent) {
      to.push_back({name, out.plan.planned_peak_bytes, true});
      return;
    }
    // A place now, so that rows stand in their order.
    size_t row = to.size();
    to.push_back({name, 0, false});
    ask(std::move(variation), [&to, row, change, advise](const auto &plan) {
      to[row].peak_bytes = plan.planned_peak_bytes;
      advise(change, plan);
    });
  }

  /// Half of the samples, and half of them at a time.
  template <typename Ask, typename Advise>
  void askBatches(Ask ask, Advise advise) {
    if (!out.batch || out.batch->value < 2)
      return;
    int64_t half = out.batch->value / 2;
    std::pair<std::string, std::string> set(out.batch->dim,
                                            std::to_string(half));
    auto take = [&, advise](const std::string &change) {
      return [change, advise](const MemoryPlan &plan) { advise(change, plan); };
    };
    ask({.sets = {set}, .precision = "", .entries = {}}, take(batchText(half)));
    if (out.batch->value % 2)
      return;
    auto train =
        (*model.impl().module)->getAttrOfType<DictionaryAttr>(amp::kTrainAttr);
    auto now = train ? train.getAs<IntegerAttr>("accumulate") : IntegerAttr();
    std::string doubled = std::to_string(2 * (now ? now.getInt() : 1));
    ask({.sets = {set, {"train.accumulate", doubled}},
         .precision = "",
         .entries = {}},
        take(batchText(half) + ", accumulate " + doubled));
  }

  /// A size as the option takes it, not below `bytes`: 34.4MiB.
  static std::string optionText(uint64_t bytes) {
    std::string text = size_text(bytes);
    llvm::erase(text, ' ');
    return text;
  }

  /// `bytes` rounded up to what a text of one decimal says.
  static uint64_t roundedUp(uint64_t bytes) {
    uint64_t unit = 1;
    while (bytes / unit >= 1024)
      unit *= 1024;
    if (unit == 1)
      return bytes;
    uint64_t tenths = (bytes * 10 + unit - 1) / unit;
    return (tenths * unit + 9) / 10;
  }

  static Variation budgetOf(uint64_t bytes) {
    return {.sets = {{"train.memory_budget", std::to_string(bytes)}},
            .precision = "",
            .entries = {}};
  }

  /// What computing values again leads to: the least there is, half of the way
  /// there, and the limit.
  void askBudgets() {
    rt::Expected<MemoryPlan> least = variations.plan(budgetOf(1));
    if (!least)
      return;
    uint64_t smallest = least->planned_peak_bytes,
             peak = out.plan.planned_peak_bytes;
    out.plan.smallest_feasible_bytes = std::min(smallest, peak);
    std::vector<Variation> asked;
    std::vector<uint64_t> budgets = {smallest + (peak - smallest) / 2,
                                     smallest};
    if (question.limit)
      budgets.insert(budgets.begin(), *question.limit);
    llvm::erase_if(budgets, [&](uint64_t budget) {
      return budget < smallest || budget >= peak;
    });
    for (uint64_t budget : budgets)
      asked.push_back(budgetOf(budget));
    std::vector<rt::Expected<MemoryPlan>> plans = variations.planAll(asked);
    for (auto [budget, plan] : llvm::zip(budgets, plans))
      if (plan && out.plan.predicted_ns > 0)
        out.advice.push_back({"memory budget " + optionText(budget),
                              plan->planned_peak_bytes,
                              plan->predicted_ns / out.plan.predicted_ns});
  }

  /// Peak with `value` samples; none where the model cannot be made so.
  std::optional<uint64_t> peakAt(int64_t value) {
    auto [known, fresh] = peaks.try_emplace(value);
    if (fresh) {
      rt::Expected<MemoryPlan> plan =
          variations.plan({.sets = {{out.batch->dim, std::to_string(value)}},
                           .precision = "",
                           .entries = {}});
      if (plan)
        known->second = plan->planned_peak_bytes;
    }
    return known->second;
  }

  bool fitsAt(int64_t value) {
    std::optional<uint64_t> peak = peakAt(value);
    return peak && *peak <= *question.limit;
  }

  /// Where a straight line through two sizes meets the limit.
  int64_t estimate(int64_t low, int64_t high) {
    std::optional<uint64_t> at = peakAt(low), above = peakAt(high);
    if (!at || !above || *above <= *at)
      return low + (high - low) / 2;
    double slope = double(*above - *at) / double(high - low);
    double more = (double(*question.limit) - double(*at)) / slope;
    return low + int64_t(std::clamp(more, 0.0, 1e9));
  }

  /// The largest batch that fits. Bytes grow about evenly with the samples, so
  /// that a straight line through two known sizes is a good guess; the interval
  /// is halved too, so that steps of that growth cost little.
  void seekBatch() {
    constexpr int64_t kMost = int64_t(1) << 24;
    int64_t value = out.batch->value;
    peaks[value] = out.plan.planned_peak_bytes;
    int64_t low = 0, high = 0; // fits, does not
    if (out.fits) {
      low = value;
      high = 2 * value;
      while (high < kMost && fitsAt(high)) {
        int64_t guess = estimate(low, high);
        low = high;
        high = std::max(2 * low, guess + guess / 16 + 1);
      }
      if (high >= kMost)
        return;
    } else {
      high = value;
      if (value == 1 || !fitsAt(1))
        return;
      low = 1;
    }
    for (bool guess = true; high - low > 1; guess = !guess) {
      int64_t middle = low + (high - low) / 2;
      if (guess)
        middle = std::clamp(estimate(low, high), low + 1, high - 1);
      (fitsAt(middle) ? low : high) = middle;
    }
    out.batch->largest = low;
    std::string text = batchText(low);
    llvm::erase_if(out.advice,
                   [&](const auto &change) { return change.change == text; });
    out.advice.push_back({text, *peakAt(low), std::nullopt});
  }

  /// The change of those whose name begins so that saves most.
  std::string bestOf(std::initializer_list<StringRef> kinds) const {
    for (const MemoryChange &change : out.advice)
      for (StringRef kind : kinds)
        if (StringRef(change.change).starts_with(kind))
          return change.change + ": " + size_text(change.peak_bytes);
    return "";
  }

  void diagnose() {
    const MemoryPlan &plan = out.plan;
    uint64_t limit = *question.limit, variables = variableBytes(plan);
    if (variables > limit)
      out.diagnosis.push_back(
          {"creation",
           "too big at creation: the variables alone take " +
               size_text(variables) + ", " +
               size_text(plan.categories[MemoryUse::Optimizer]) +
               " of them optimizer state",
           bestOf({"optimizer", "precision"})});
    if (out.plan.smallest_feasible_bytes <= limit)
      out.diagnosis.push_back({"training",
                               "fits where values are computed again, not kept",
                               bestOf({"memory budget " + optionText(limit)})});
    if (trains && inference && *inference <= limit)
      out.diagnosis.push_back(
          {"training",
           "only in training: to infer takes " + size_text(*inference),
           bestOf({"optimizer", "precision",
                   out.batch ? StringRef(out.batch->dim) : "batch"})});
    if (out.batch && out.batch->largest)
      out.diagnosis.push_back({"input_size",
                               "only at this input size: " +
                                   batchText(*out.batch->largest) + " fits",
                               batchText(*out.batch->largest) + ": " +
                                   size_text(*peakAt(*out.batch->largest))});
  }

  const Model &model;
  const MemoryQuestion &question;
  Variations variations;
  MemoryVerdict &out;
  bool trains = false;
  std::optional<uint64_t> inference; ///< peak of infer alone
  std::map<int64_t, std::optional<uint64_t>> peaks;
};

} // namespace

rt::Expected<MemoryVerdict> judge_memory(const Model &model,
                                         const CompileOptions &options,
                                         const MemoryQuestion &question) {
  MemoryVerdict out;
  AMPC_ASSIGN(out.plan, plan_memory(model, options, question.threads));
  AMPC_TRY(Judge(model, options, question, out).run());
  llvm::erase_if(out.precisions, [](auto &row) { return row.peak_bytes == 0; });
  llvm::erase_if(out.optimizers, [](auto &row) { return row.peak_bytes == 0; });
  return out;
}

} // namespace ampc
