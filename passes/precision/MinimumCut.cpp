// Minimum cut by Dinic's algorithm; see MinimumCut.h.
#include "passes/precision/MinimumCut.h"

#include <algorithm>
#include <climits>

namespace ampc {

void MinimumCut::addEdge(unsigned from, unsigned to, int64_t cost) {
  if (cost == 0 || from == to)
    return;
  edges.push_back({to, cost});
  edges.push_back({from, 0});
}

void MinimumCut::index() {
  first.assign(nodes + 1, 0);
  for (std::size_t edge = 0; edge < edges.size(); ++edge)
    ++first[edges[edge ^ 1].to + 1];
  for (unsigned node = 0; node < nodes; ++node)
    first[node + 1] += first[node];
  order.resize(edges.size());
  std::vector<unsigned> place(first.begin(), first.end() - 1);
  for (std::size_t edge = 0; edge < edges.size(); ++edge)
    order[place[edges[edge ^ 1].to]++] = edge;
}

bool MinimumCut::layer() {
  distance.assign(nodes, UINT_MAX);
  distance[kSource] = 0;
  std::vector<unsigned> queue{kSource};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    unsigned node = queue[head];
    if (distance[kSink] <= distance[node])
      break; // what lies further is on no shortest path
    for (unsigned i = first[node]; i < first[node + 1]; ++i) {
      ++looked;
      const Edge &edge = edges[order[i]];
      if (edge.room == 0 || distance[edge.to] != UINT_MAX)
        continue;
      distance[edge.to] = distance[node] + 1;
      queue.push_back(edge.to);
    }
  }
  return distance[kSink] != UINT_MAX;
}

int64_t MinimumCut::push() {
  // `path` keeps what the last call found up to its first full edge.
  while (true) {
    unsigned node = path.empty() ? kSource : edges[path.back()].to;
    if (node == kSink)
      break;
    unsigned &i = next[node];
    for (; i < first[node + 1]; ++i) {
      ++looked;
      const Edge &edge = edges[order[i]];
      if (edge.room > 0 && distance[edge.to] == distance[node] + 1)
        break;
    }
    if (i < first[node + 1]) {
      path.push_back(order[i]);
      continue;
    }
    if (path.empty())
      return 0;
    path.pop_back();
    ++next[path.empty() ? kSource : edges[path.back()].to];
  }
  int64_t flow = kNever;
  for (unsigned edge : path)
    flow = std::min(flow, edges[edge].room);
  std::size_t kept = path.size();
  for (std::size_t i = path.size(); i-- > 0;) {
    edges[path[i]].room -= flow;
    edges[path[i] ^ 1].room += flow;
    if (edges[path[i]].room == 0)
      kept = i;
  }
  path.resize(kept);
  return flow;
}

int64_t MinimumCut::solve() {
  index();
  int64_t total = 0;
  while (layer()) {
    next.assign(first.begin(), first.end() - 1);
    path.clear();
    while (int64_t flow = push())
      total += flow;
  }
  findSides();
  return total;
}

void MinimumCut::findSides() {
  auto spread = [&](unsigned start, bool backwards) {
    std::vector<bool> seen(nodes);
    std::vector<unsigned> queue{start};
    seen[start] = true;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (unsigned i = first[queue[head]]; i < first[queue[head] + 1]; ++i) {
        unsigned edge = order[i];
        // Backwards: the edge that comes in is the reverse of one that leaves.
        int64_t room = backwards ? edges[edge ^ 1].room : edges[edge].room;
        unsigned to = edges[edge].to;
        if (room == 0 || seen[to])
          continue;
        seen[to] = true;
        queue.push_back(to);
      }
    return seen;
  };
  fromSource = spread(kSource, /*backwards=*/false);
  toSink = spread(kSink, /*backwards=*/true);
}

} // namespace ampc
