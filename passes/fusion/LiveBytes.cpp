// Live ranges under merges of groups; see LiveBytes.h.
#include "passes/fusion/LiveBytes.h"

using namespace mlir;

namespace ampc {

/// Behind every label.
static constexpr OrderLabel kEnd = OrderLabel(1) << 62;

void LiveBytes::define(Value value, unsigned node, int64_t bytes, bool toEnd) {
  defines.resize(graph.size());
  reads.resize(graph.size());
  numbers[value] = values.size();
  defines[node].push_back(values.size());
  values.push_back({bytes, node, node, toEnd, {}});
}

void LiveBytes::read(Value value, unsigned node) {
  auto found = numbers.find(value);
  if (found == numbers.end())
    return;
  reads.resize(graph.size());
  defines.resize(graph.size());
  Bytes &bytes = values[found->second];
  if (!bytes.readers.empty() && bytes.readers.back() == node)
    return;
  bytes.readers.push_back(node);
  bytes.last = node; // nodes come in order
  reads[node].push_back(found->second);
}

bool LiveBytes::vanishes(const Bytes &value,
                         const GroupGraph::Move &move) const {
  return !value.toEnd && llvm::all_of(value.readers, [&](unsigned reader) {
    reader = graph.find(reader);
    return reader == move.first || reader == move.second;
  });
}

int64_t LiveBytes::vanishingBytes(const GroupGraph::Move &move) const {
  int64_t bytes = 0;
  for (unsigned number : defines[move.first]) {
    const Bytes &value = values[number];
    // What only its own group reads needs no bytes already.
    if (graph.find(value.last) != move.first && vanishes(value, move))
      bytes += value.bytes;
  }
  return bytes;
}

bool LiveBytes::isSafe(const GroupGraph::Move &move) const {
  if (!move.along.empty())
    return false;
  int64_t more = 0;
  if (move.late) {
    // The inputs of the earlier are kept for the later.
    for (unsigned number : reads[move.first])
      if (graph.find(values[number].definer) != move.first &&
          rangeOf(values[number]).last < graph.label(move.second))
        more += values[number].bytes;
  } else {
    // The results of the later are there earlier.
    for (unsigned number : defines[move.second]) {
      Range range = rangeOf(values[number]);
      if (range.last > range.first)
        more += values[number].bytes;
    }
  }
  return more <= vanishingBytes(move);
}

LiveBytes::Range LiveBytes::rangeOf(const Bytes &value) const {
  return {graph.label(value.definer),
          value.toEnd ? kEnd : graph.label(value.last)};
}

LiveBytes::Changes LiveBytes::changesOf(const GroupGraph::Move &move) const {
  llvm::SmallDenseMap<unsigned, OrderLabel> places;
  places[move.first] = places[move.second] = move.label;
  for (auto [node, label] : move.along)
    places[node] = label;
  auto placeOf = [&](unsigned node) {
    node = graph.find(node);
    auto found = places.find(node);
    return found == places.end() ? graph.label(node) : found->second;
  };
  llvm::SmallDenseMap<unsigned, OrderLabel> ends; // of the values touched
  llvm::SmallVector<unsigned> order;
  auto touch = [&](unsigned number) -> OrderLabel & {
    auto [entry, isNew] = ends.try_emplace(number, 0);
    if (isNew)
      order.push_back(number);
    return entry->second;
  };
  for (auto [node, label] : places) {
    for (unsigned number : defines[node])
      touch(number);
    for (unsigned number : reads[node])
      touch(number) = std::max(touch(number), label);
  }
  llvm::sort(order);
  Changes changes;
  for (unsigned number : order) {
    const Bytes &value = values[number];
    OrderLabel end = std::max(ends[number], placeOf(value.last));
    // Readers between may be last now.
    if (placeOf(value.last) < graph.label(value.last))
      for (unsigned reader : value.readers)
        end = std::max(end, placeOf(reader));
    changes.push_back(
        {number, {placeOf(value.definer), value.toEnd ? kEnd : end}});
  }
  return changes;
}

void LiveBytes::addRange(const Bytes &value, Range range, int64_t sign) {
  // What is read where it is computed alone is never stored.
  if (value.bytes && range.last > range.first)
    profile->add(range.first, range.last, sign * value.bytes);
}

void LiveBytes::count() {
  if (profile && countedAt == graph.spreads())
    return;
  profile.emplace();
  countedAt = graph.spreads();
  for (const Bytes &value : values)
    addRange(value, rangeOf(value), 1);
}

int64_t LiveBytes::peak() {
  count();
  return profile->peak();
}

bool LiveBytes::keepsPeak(const GroupGraph::Move &move) {
  count();
  int64_t before = profile->peak();
  Changes changes = changesOf(move);
  auto exchange = [&](int64_t sign) {
    for (auto &[number, range] : changes) {
      addRange(values[number], rangeOf(values[number]), -sign);
      addRange(values[number], range, sign);
    }
  };
  exchange(1);
  bool keeps = profile->peak() <= before;
  exchange(-1);
  return keeps;
}

void LiveBytes::apply(const GroupGraph::Move &move) {
  Changes changes = changesOf(move);
  bool counts = profile && countedAt == graph.spreads();
  llvm::SmallDenseMap<unsigned, OrderLabel> places;
  places[move.first] = places[move.second] = move.label;
  for (auto [node, label] : move.along)
    places[node] = label;
  for (auto &[number, range] : changes) {
    Bytes &value = values[number];
    if (counts) {
      addRange(value, rangeOf(value), -1);
      addRange(value, range, 1);
    }
    if (value.toEnd)
      continue;
    // The reader that stands at the end of the range.
    auto endsAt = [&](unsigned node) {
      auto found = places.find(graph.find(node));
      return range.last ==
             (found == places.end() ? graph.label(node) : found->second);
    };
    if (endsAt(value.last))
      continue;
    if (range.last == move.label)
      value.last = move.second;
    else
      value.last = *llvm::find_if(value.readers, endsAt);
  }
}

void LiveBytes::merged(unsigned keeps, unsigned gives) {
  for (auto *lists : {&reads, &defines}) {
    auto &kept = (*lists)[keeps];
    kept.append((*lists)[gives]);
    (*lists)[gives].clear();
    llvm::sort(kept);
    kept.erase(llvm::unique(kept), kept.end());
  }
}

} // namespace ampc
