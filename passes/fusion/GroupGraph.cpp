// Order and merging of groups; see GroupGraph.h.
#include "passes/fusion/GroupGraph.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ampc {

/// Distance of labels after all were spread: many moves fit between two.
static constexpr OrderLabel kSpacing = OrderLabel(1) << 32;

/// Edges that one search looks at.
static constexpr size_t kSearchEdges = 256;

unsigned GroupGraph::addNode() {
  unsigned node = nodes.size();
  nodes.emplace_back();
  parent.push_back(node);
  linkBehind(node, nodes[0].previous);
  return node;
}

void GroupGraph::addEdge(unsigned from, unsigned to) {
  if (from == to || llvm::is_contained(nodes[to].before, from))
    return;
  nodes[from].after.push_back(to);
  nodes[to].before.push_back(from);
}

void GroupGraph::spreadLabels() {
  OrderLabel label = 0;
  for (unsigned node = nodes[0].next; node; node = nodes[node].next)
    nodes[node].label = label += kSpacing;
  ++spreadCount;
}

unsigned GroupGraph::find(unsigned node) const {
  while (parent[node] != node)
    node = parent[node] = parent[parent[node]];
  return node;
}

llvm::SmallVector<unsigned> GroupGraph::order() const {
  llvm::SmallVector<unsigned> all;
  for (unsigned node = nodes[0].next; node; node = nodes[node].next)
    all.push_back(node);
  return all;
}

void GroupGraph::unlink(unsigned node) {
  nodes[nodes[node].previous].next = nodes[node].next;
  nodes[nodes[node].next].previous = nodes[node].previous;
}

void GroupGraph::linkBehind(unsigned node, unsigned place) {
  nodes[node].previous = place;
  nodes[node].next = nodes[place].next;
  nodes[nodes[place].next].previous = node;
  nodes[place].next = node;
}

GroupGraph::Answer
GroupGraph::collectBetween(unsigned from, unsigned to, bool down, size_t most,
                           llvm::SmallVectorImpl<unsigned> &between) {
  unsigned source = down ? from : to, target = down ? to : from;
  OrderLabel low = nodes[from].label, high = nodes[to].label;
  llvm::DenseSet<unsigned> seen;
  llvm::SmallVector<unsigned> work{source};
  size_t edges = 0;
  while (!work.empty()) {
    unsigned node = work.pop_back_val();
    const auto &neighbours = down ? nodes[node].after : nodes[node].before;
    for (unsigned raw : neighbours) {
      ++looked;
      if (++edges > kSearchEdges)
        return Answer::far;
      unsigned next = find(raw);
      if (next == target) {
        if (node != source)
          return Answer::path;
        continue;
      }
      OrderLabel label = nodes[next].label;
      if (next == source || label <= low || label >= high ||
          !seen.insert(next).second)
        continue;
      between.push_back(next);
      if (between.size() > most)
        return Answer::far;
      work.push_back(next);
    }
  }
  llvm::sort(between, [&](unsigned a, unsigned b) {
    return nodes[a].label < nodes[b].label;
  });
  return Answer::move;
}

void GroupGraph::placeAlong(Move &move, llvm::ArrayRef<unsigned> between) {
  if (between.empty())
    return;
  auto gap = [&] {
    unsigned next = move.late ? nodes[move.second].next : move.first;
    unsigned previous = move.late ? move.second : nodes[move.first].previous;
    OrderLabel low = nodes[previous].label; // 0 at the beginning
    OrderLabel high = next ? nodes[next].label : low + kSpacing;
    return std::pair(low, high);
  };
  auto [low, high] = gap();
  if ((high - low) / (between.size() + 1) == 0) {
    spreadLabels();
    std::tie(low, high) = gap();
  }
  OrderLabel step = (high - low) / (between.size() + 1);
  for (auto [i, node] : llvm::enumerate(between))
    move.along.push_back({node, low + step * (i + 1)});
  move.label = nodes[move.late ? move.second : move.first].label;
}

GroupGraph::Answer GroupGraph::findMove(unsigned first, unsigned second,
                                        bool late, size_t most, Move &move) {
  move = {first, second, late, nodes[late ? second : first].label, {}};
  llvm::SmallVector<unsigned> between;
  Answer answer = collectBetween(first, second, late, most, between);
  if (answer == Answer::move)
    placeAlong(move, between);
  return answer;
}

unsigned GroupGraph::merge(const Move &move) {
  unsigned stays = move.late ? move.second : move.first;
  unsigned goes = move.late ? move.first : move.second;
  unsigned place = move.late ? stays : nodes[stays].previous;
  for (auto [node, label] : move.along) {
    unlink(node);
    linkBehind(node, place);
    nodes[node].label = label;
    place = node;
  }
  unlink(goes);
  // The longer lists take the shorter, so that merging stays near linear; the
  // lists' owner takes the place in the order that stays.
  unsigned keeps = stays, gives = goes;
  auto degree = [&](unsigned node) {
    return nodes[node].before.size() + nodes[node].after.size();
  };
  if (degree(gives) > degree(keeps))
    std::swap(keeps, gives);
  if (keeps != stays) {
    linkBehind(keeps, nodes[stays].previous);
    nodes[keeps].label = nodes[stays].label;
    unlink(stays);
  }
  nodes[keeps].before.append(nodes[gives].before);
  nodes[keeps].after.append(nodes[gives].after);
  nodes[gives].before.clear();
  nodes[gives].after.clear();
  parent[gives] = keeps;
  return keeps;
}

} // namespace ampc
