// Greedy choice of what to compute again; see RecomputePlan.h.
#include "passes/memory/RecomputePlan.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

namespace ampc {

/// The most values that one decision computes again: one that asks for more is
/// not taken.
static constexpr unsigned kMostClosure = 64;

/// An operand of at most this share of the bytes that a decision frees is kept
/// rather than computed again.
static constexpr int64_t kKeptShare = 8;

/// What is left of the score of a decision that asks for as much at other
/// moments as it gives.
static constexpr double kLeastShare = 0.05;

/// The predicted time that all decisions may add, as a multiple of the step's.
static constexpr double kMostAdded = 4;

RecomputePlan::RecomputePlan(RecomputeProblem given)
    : problem(std::move(given)), makers(problem.bytes.size(), 0),
      timelines(problem.bytes.size()), unread(problem.bytes.size(), false),
      retired(problem.ops.size(), false), queue(unsigned(problem.ops.size())),
      isTouched(problem.bytes.size(), false) {
  for (unsigned op = 0; op < problem.ops.size(); ++op) {
    base += problem.ops[op].time;
    for (unsigned value : problem.ops[op].results) {
      makers[value] = op;
      timelines[value].starts.push_back(momentOf(op));
    }
    for (unsigned value : problem.ops[op].operands)
      timelines[value].uses.push_back(momentOf(op));
  }
  for (unsigned value = 0; value < timelines.size(); ++value) {
    unread[value] = timelines[value].uses.empty();
    account(value, 1);
    pushGaps(value);
  }
}

void RecomputePlan::forResidences(unsigned value, auto &&use) const {
  const Timeline &timeline = timelines[value];
  auto from = timeline.uses.begin(), end = timeline.uses.end();
  for (size_t i = 0; i < timeline.starts.size(); ++i) {
    Moment first = timeline.starts[i];
    auto to = i + 1 < timeline.starts.size()
                  ? std::lower_bound(from, end, timeline.starts[i + 1])
                  : end;
    // A value that is read nowhere after it was made is not made there, unless
    // nothing reads it at all.
    if (from != to)
      use(first, *std::prev(to));
    else if (unread[value])
      use(first, first);
    from = to;
  }
}

void RecomputePlan::account(unsigned value, int sign) {
  forResidences(value, [&](Moment first, Moment last) {
    profile.add(first, last, sign * problem.bytes[value]);
  });
}

double RecomputePlan::area(unsigned value) const {
  double ops = 0;
  forResidences(value, [&](Moment first, Moment last) {
    ops += opAt(last) - opAt(first);
  });
  return ops * double(problem.bytes[value]);
}

void RecomputePlan::push(Gap gap) {
  gap.number = newest[{gap.value, gap.use}] = ++pushed;
  // Ends that lie between two ops count as those ops: whoever takes a gap looks
  // whether it is wide enough.
  queue.push(gap, opAt(gap.from), opAt(gap.to));
}

void RecomputePlan::pushGaps(unsigned value) {
  const ScheduledOp &maker = problem.ops[makers[value]];
  if (!maker.repeatable)
    return;
  const Timeline &timeline = timelines[value];
  auto use = timeline.uses.begin();
  for (size_t i = 0; i < timeline.starts.size(); ++i) {
    Moment from = timeline.starts[i];
    for (; use != timeline.uses.end() &&
           (i + 1 == timeline.starts.size() || *use < timeline.starts[i + 1]);
         ++use) {
      Moment to = repeatOf(makers[value], opAt(*use));
      if (to > from && opAt(to) <= maker.latest)
        push({value, from, to, *use,
              double(problem.bytes[value]) / (maker.time + 1),
              timeline.version});
      from = *use;
    }
  }
}

void RecomputePlan::touch(unsigned value) {
  if (isTouched[value])
    return;
  isTouched[value] = true;
  saved.push_back({value, timelines[value]});
  areaBefore += area(value);
  account(value, -1);
}

void RecomputePlan::addUse(unsigned value, Moment moment) {
  touch(value);
  auto &uses = timelines[value].uses;
  uses.insert(std::upper_bound(uses.begin(), uses.end(), moment), moment);
  changed.push_back(makers[value]);
}

void RecomputePlan::removeUse(unsigned value, Moment moment) {
  touch(value);
  auto &uses = timelines[value].uses;
  auto found = std::lower_bound(uses.begin(), uses.end(), moment);
  assert(found != uses.end() && *found == moment);
  uses.erase(found);
  changed.push_back(makers[value]);
}

bool RecomputePlan::isThere(unsigned value, Moment moment) const {
  bool found = false;
  forResidences(value, [&](Moment first, Moment last) {
    found |= first <= moment && moment <= last;
  });
  return found;
}

bool RecomputePlan::hasSibling(unsigned value, Moment moment) const {
  const ScheduledOp &maker = problem.ops[makers[value]];
  return std::any_of(
      maker.results.begin(), maker.results.end(), [&](unsigned other) {
        const auto &starts = timelines[other].starts;
        return other != value &&
               std::binary_search(starts.begin(), starts.end(), moment);
      });
}

bool RecomputePlan::compute(unsigned value, unsigned op, unsigned root) {
  const ScheduledOp &maker = problem.ops[makers[value]];
  if (++closure > kMostClosure || !maker.repeatable || op > maker.latest)
    return false;
  Moment moment = repeatOf(makers[value], op);
  touch(value);
  auto &starts = timelines[value].starts;
  starts.insert(std::upper_bound(starts.begin(), starts.end(), moment), moment);
  changed.push_back(makers[value]);
  if (!hasSibling(value, moment))
    added += maker.time;
  for (unsigned operand : maker.operands) {
    if (!supply(operand, moment, root))
      return false;
    addUse(operand, moment);
  }
  return true;
}

void RecomputePlan::remove(unsigned value, Moment moment) {
  const ScheduledOp &maker = problem.ops[makers[value]];
  touch(value);
  auto &starts = timelines[value].starts;
  starts.erase(std::lower_bound(starts.begin(), starts.end(), moment));
  if (!hasSibling(value, moment))
    added -= maker.time;
  for (unsigned operand : maker.operands)
    removeUse(operand, moment);
}

bool RecomputePlan::supply(unsigned value, Moment moment, unsigned root) {
  if (isThere(value, moment))
    return true;
  unsigned op = opAt(moment);
  const auto &starts = timelines[value].starts;
  if (std::binary_search(starts.begin(), starts.end(),
                         repeatOf(makers[value], op)))
    return true; // computed for this op: its time grows to here
  auto later = std::upper_bound(starts.begin(), starts.end(), moment);
  if (later != starts.end()) {
    // Computed again later: here instead, and kept from here on.
    remove(value, *later);
    return compute(value, op, root);
  }
  const ScheduledOp &maker = problem.ops[makers[value]];
  if (!maker.repeatable || op > maker.latest ||
      problem.bytes[value] * kKeptShare <= problem.bytes[root])
    return true; // kept from where it was last
  return compute(value, op, root);
}

void RecomputePlan::retire(unsigned op) {
  const ScheduledOp &maker = problem.ops[op];
  for (unsigned value : maker.results) {
    llvm::SmallVector<Moment> idle;
    for (Moment start : timelines[value].starts)
      if (start != momentOf(op))
        idle.push_back(start);
    forResidences(value,
                  [&](Moment first, Moment) { llvm::erase(idle, first); });
    for (Moment start : idle)
      remove(value, start);
  }
  bool runs = std::any_of(maker.results.begin(), maker.results.end(),
                          [&](unsigned value) {
                            bool found = unread[value];
                            forResidences(value, [&](Moment first, Moment) {
                              found |= first == momentOf(op);
                            });
                            return found;
                          });
  if (maker.results.empty() || retired[op] == !runs)
    return;
  retired[op] = !runs;
  toggled.push_back(op);
  added += runs ? maker.time : -maker.time;
  for (unsigned operand : maker.operands) {
    if (runs)
      addUse(operand, momentOf(op));
    else
      removeUse(operand, momentOf(op));
  }
}

bool RecomputePlan::attempt(unsigned value, unsigned op) {
  closure = 0;
  addedBefore = added;
  areaBefore = 0;
  bool possible = compute(value, op, value);
  // What retires reads nothing any more, which may retire what it read.
  while (possible && !changed.empty()) {
    unsigned op = changed.back();
    changed.pop_back();
    retire(op);
  }
  changed.clear();
  settle();
  return possible;
}

void RecomputePlan::settle() {
  for (const Saved &item : saved)
    account(item.value, 1);
}

void RecomputePlan::commit() {
  for (const Saved &item : saved) {
    isTouched[item.value] = false;
    ++timelines[item.value].version;
    pushGaps(item.value);
  }
  saved.clear();
  toggled.clear();
}

void RecomputePlan::rollback() {
  for (Saved &item : saved) {
    account(item.value, -1);
    timelines[item.value] = std::move(item.timeline);
    account(item.value, 1);
    isTouched[item.value] = false;
  }
  for (unsigned op : toggled)
    retired[op] = !retired[op];
  saved.clear();
  toggled.clear();
  added = addedBefore;
}

bool RecomputePlan::recomputeAfter(unsigned value, unsigned last) {
  const Timeline &timeline = timelines[value];
  auto use = std::upper_bound(timeline.uses.begin(), timeline.uses.end(),
                              momentOf(last));
  if (use == timeline.uses.end())
    return false;
  unsigned op = opAt(*use);
  if (op == makers[value] ||
      std::binary_search(timeline.starts.begin(), timeline.starts.end(),
                         repeatOf(makers[value], op)))
    return false; // it is computed there already
  if (!attempt(value, op)) {
    rollback();
    return false;
  }
  commit();
  return true;
}

bool RecomputePlan::improve() {
  Moment moment = profile.peakMoment();
  int64_t before = profile.peak();
  bool again = false;
  for (;;) {
    std::optional<Gap> gap = queue.take(opAt(moment));
    if (!gap) {
      if (again || deferred.empty())
        return false;
      again = true; // what did not help before may do now
      for (const Gap &old : std::exchange(deferred, {}))
        push(old);
      continue;
    }
    uint64_t &number = newest[{gap->value, gap->use}];
    if (gap->version != timelines[gap->value].version || gap->number != number)
      continue;
    number = 0; // taken: its other copies are old
    if (moment <= gap->from || gap->to <= moment) {
      deferred.push_back(*gap);
      continue;
    }
    bool possible = attempt(gap->value, opAt(gap->use));
    int64_t freed = before - profile.at(moment);
    double time = added - addedBefore;
    bool tooLong = added > kMostAdded * base;
    // One that saves time would make a smaller budget, which takes it, faster
    // than a larger one, which stops before it.
    if (!possible || freed <= 0 || time < 0 || tooLong) {
      rollback();
      deferred.push_back(*gap);
      continue;
    }
    double areaAfter = 0;
    for (const Saved &item : saved)
      areaAfter += area(item.value);
    double whole = double(problem.bytes[gap->value]) *
                   (opAt(gap->to) - opAt(gap->from) + 1);
    double share =
        std::clamp((areaBefore - areaAfter) / whole, kLeastShare, 1.0);
    double score = double(freed) * share / (time + 1);
    if (score < gap->score * 0.999) {
      rollback();
      gap->score = score;
      push(*gap);
      continue;
    }
    commit();
    return true;
  }
}

std::vector<Residence> RecomputePlan::residences() const {
  std::vector<Residence> all;
  for (unsigned value = 0; value < timelines.size(); ++value)
    forResidences(value, [&](Moment first, Moment last) {
      all.push_back({value, first, last});
    });
  std::sort(all.begin(), all.end(),
            [&](const Residence &a, const Residence &b) {
              return std::tuple(a.first, makers[a.value], a.value) <
                     std::tuple(b.first, makers[b.value], b.value);
            });
  return all;
}

} // namespace ampc
