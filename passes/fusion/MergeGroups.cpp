// Merges of groups, best first; see GroupPlan.h.
#include "passes/fusion/GroupPlan.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// A value with more readers than this is no reason to try each two of them.
static constexpr size_t kManyReaders = 16;

/// Most rounds over all candidates.
static constexpr unsigned kRounds = 4;

/// Groups that a merge may move along.
static constexpr size_t kMovedAlong = 16;

bool GroupPlan::staysWithin(Value value, unsigned a, unsigned b) const {
  if (stored.contains(value))
    return false;
  auto found = readers.find(value);
  return found != readers.end() &&
         llvm::all_of(found->second, [&](unsigned reader) {
           reader = graph.find(reader);
           return reader == a || reader == b;
         });
}

/// Whether the loop reads the value at the element it is at, each once.
bool GroupPlan::isDirect(Value root, const Use &use) {
  return !use.computed && !isReadElsewhere(*use.operand) &&
         !isSpread(use.operand->get(), root);
}

double GroupPlan::gainOf(unsigned a, unsigned b, int64_t *saved) const {
  int64_t bytes = 0;
  auto addReads = [&](unsigned reader, unsigned other) {
    for (auto &[root, input] : inputs[reader].values) {
      if (definer(input) == other) {
        bytes += input.bytes; // is not read
        if (staysWithin(root, a, b))
          bytes += input.bytes; // nor written
      } else if (reader == a && input.isDirect) {
        auto shared = inputs[b].values.find(root);
        if (shared != inputs[b].values.end() && shared->second.isDirect)
          bytes += input.bytes; // is read once
      }
    }
  };
  addReads(a, b);
  addReads(b, a);
  if (saved)
    *saved = bytes;
  // Loops that have nothing in common gain a launch, but run over twice as many
  // streams of memory and compile apart from their likes.
  return bytes ? bytes / bandwidth + launch : 0;
}

StringRef GroupPlan::blockedUse(Value root, ArrayRef<Use> uses,
                                const LoopNest *nest) const {
  for (const Use &use : uses) {
    Value operand = use.operand->get();
    if (isReadElsewhere(*use.operand))
      return "it is read at other elements than it is computed";
    if (use.computed ||
        (nest ? !isAtHand(operand, root, *nest) : isSpread(operand, root)))
      return "the value is broadcast after it is complete";
    if (nest && nest->isCostly && hasLongRows(*nest) && isSpread(operand, root))
      return "the rows are too long to keep what is costly for another pass";
  }
  return {};
}

std::optional<LoopNest> GroupPlan::joined(unsigned a, unsigned b,
                                          StringRef &reason) const {
  if (plans[a].ops.size() + plans[b].ops.size() > kMaxGroupOps) {
    reason = "the kernel would hold too many ops";
    return std::nullopt;
  }
  std::optional<LoopNest> nest = joinNests(plans[a], plans[b], reason);
  bool meets = false;
  for (auto [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    for (auto &[root, input] : inputs[to].values) {
      if (definer(input) != from)
        continue;
      meets = true;
      StringRef blocked = blockedUse(root, input.uses, nest ? &*nest : nullptr);
      if (!blocked.empty()) {
        reason = blocked;
        return std::nullopt;
      }
    }
    if (!nest)
      continue;
    // An update keeps the variable's bytes only in a loop that reads the old
    // value at the element it writes.
    for (Value old : inputs[from].updated) {
      auto read = inputs[to].values.find(old);
      bool indirect = read != inputs[to].values.end() &&
                      llvm::any_of(read->second.uses, [&](const Use &use) {
                        return !isDirect(old, use);
                      });
      bool walkedOnce = nest->kind == GroupKind::map ||
                        nest->kind == GroupKind::contraction ||
                        tensorType(old).getShape() != ArrayRef(nest->space);
      if (indirect || !walkedOnce) {
        reason = "the variable is updated in place";
        return std::nullopt;
      }
    }
    // What is stored besides is a loop that all threads share.
    if (plans[from].kind == GroupKind::map && nest->kind != GroupKind::map &&
        plans[from].space == nest->space && hasFewPoints(*nest) &&
        llvm::any_of(plans[from].ops, [&](Operation *op) {
          return !staysWithin(op->getResult(0), a, b);
        })) {
      reason = "the reduction has too few rows or columns for all threads";
      return std::nullopt;
    }
  }
  if (nest && nest->kind == GroupKind::contraction && !meets) {
    reason = "the product has nothing to do with it";
    return std::nullopt;
  }
  return nest;
}

std::optional<GroupGraph::Move>
GroupPlan::moveOf(unsigned a, unsigned b, bool exact, StringRef &reason) {
  bool inOrder = graph.label(a) < graph.label(b);
  unsigned first = inOrder ? a : b, second = inOrder ? b : a;
  bool path = false, far = false;
  for (bool late : {true, false}) {
    GroupGraph::Move move;
    GroupGraph::Answer answer =
        graph.findMove(first, second, late, exact ? kMovedAlong : 0, move);
    if (answer == GroupGraph::Answer::move) {
      if (exact ? live.keepsPeak(move) : live.isSafe(move))
        return move;
      continue;
    }
    path |= answer == GroupGraph::Answer::path;
    far |= answer == GroupGraph::Answer::far;
  }
  reason = path  ? "one would wait for itself through another kernel"
           : far ? "too many kernels stand between"
                 : "more bytes would be needed at the peak";
  return std::nullopt;
}

StringRef GroupPlan::tryMerge(unsigned a, unsigned b, bool exact) {
  ++tries;
  StringRef reason;
  std::optional<LoopNest> nest = joined(a, b, reason);
  if (!nest)
    return reason;
  std::optional<GroupGraph::Move> move = moveOf(a, b, exact, reason);
  if (!move)
    return reason;
  ++merges;
  merge(*move, *nest);
  return {};
}

void GroupPlan::merge(const GroupGraph::Move &move, const LoopNest &nest) {
  int64_t bytes = 0;
  double gain = gainOf(move.first, move.second, &bytes) +
                plans[move.first].gain + plans[move.second].gain;
  bytes += plans[move.first].savedBytes + plans[move.second].savedBytes;
  auto isSame = [&](const LoopNest &old) {
    return old.kind == nest.kind && old.space == nest.space;
  };
  bool sameFirst = isSame(plans[move.first]),
       sameSecond = isSame(plans[move.second]);
  bool counts[] = {sameFirst, sameSecond};
  live.apply(move);
  unsigned keeps = graph.merge(move);
  unsigned gives = keeps == move.first ? move.second : move.first;
  live.merged(keeps, gives);
  bool keepsSame = counts[keeps == move.first ? 0 : 1];

  // Neighbours gain more now, and may fit where they did not.
  SmallVector<Value> changed;
  for (auto &[root, input] : inputs[gives].values)
    changed.push_back(root);
  for (Operation *op : plans[gives].ops)
    changed.append(op->result_begin(), op->result_end());
  if (!keepsSame) {
    for (auto &[root, input] : inputs[keeps].values)
      changed.push_back(root);
    for (Operation *op : plans[keeps].ops)
      changed.append(op->result_begin(), op->result_end());
  }

  PlannedGroup &group = plans[keeps];
  group.ops.append(plans[gives].ops);
  plans[gives].ops.clear();
  static_cast<LoopNest &>(group) = nest;
  group.gain = gain;
  group.savedBytes = bytes;
  for (auto &[root, given] : inputs[gives].values) {
    auto [entry, isNew] = inputs[keeps].values.try_emplace(root, given);
    if (isNew)
      continue;
    entry->second.isDirect |= given.isDirect;
    entry->second.uses.append(given.uses);
  }
  inputs[gives].values.clear();
  inputs[keeps].updated.append(inputs[gives].updated);

  for (Value value : changed) {
    if (std::optional<unsigned> producer = definer(value))
      push(*producer, keeps);
    auto found = readers.find(value);
    if (found != readers.end() && found->second.size() <= kManyReaders)
      for (unsigned reader : found->second)
        push(reader, keeps);
  }
}

void GroupPlan::push(unsigned a, unsigned b) {
  a = graph.find(a);
  b = graph.find(b);
  if (a == b || !isGroup(a) || !isGroup(b))
    return;
  if (a > b)
    std::swap(a, b);
  if (double gain = gainOf(a, b); gain > 0)
    queue.push({gain, a, b});
}

void GroupPlan::pushSiblings(Value value) {
  // Neighbours in program order over one space; each space has one so far.
  SmallVector<unsigned, 4> last;
  for (unsigned reader : readers[value]) {
    auto same = llvm::find_if(last, [&](unsigned other) {
      return plans[other].space == plans[reader].space;
    });
    if (same == last.end()) {
      if (last.size() == kManyReaders)
        continue;
      last.push_back(reader);
      continue;
    }
    push(*same, reader);
    *same = reader;
  }
}

void GroupPlan::pushAll() {
  SmallVector<Value> shared;
  for (unsigned node : graph.order())
    for (auto &[root, input] : inputs[node].values) {
      push(definer(input), node);
      if (graph.find(readers[root].front()) == node)
        shared.push_back(root);
    }
  for (Value value : shared)
    pushSiblings(value);
}

void GroupPlan::mergeAll() {
  pushAll();
  run(/*exact=*/false);
  // A merge may have made room for another that was refused before it.
  for (unsigned round = 0; round < kRounds; ++round) {
    uint64_t before = merges;
    pushAll();
    run(/*exact=*/true);
    if (merges == before)
      break;
  }
}

void GroupPlan::run(bool exact) {
  while (!queue.empty()) {
    Candidate best = queue.top();
    queue.pop();
    unsigned a = graph.find(best.a), b = graph.find(best.b);
    if (a == b || !isGroup(a) || !isGroup(b))
      continue;
    // The same pair may wait several times: once is enough.
    while (!queue.empty() && graph.find(queue.top().a) == a &&
           graph.find(queue.top().b) == b)
      queue.pop();
    double gain = gainOf(a, b);
    if (gain < best.gain) {
      if (gain > 0)
        queue.push({gain, std::min(a, b), std::max(a, b)});
      continue;
    }
    (void)tryMerge(a, b, exact);
  }
}

} // namespace ampc
