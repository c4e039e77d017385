#include "test/hostgpu/driver/Graph.h"

#include <algorithm>

using namespace ampc::hostgpu;

void ampc::hostgpu::merge(std::vector<int> &nodes,
                          const std::vector<int> &more) {
  for (int node : more)
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end())
      nodes.push_back(node);
}

int Graph::add(Action action, std::vector<int> after) {
  nodes.push_back({std::move(action), std::move(after)});
  return int(nodes.size()) - 1;
}

Failure Graph::run(Random &random) const {
  std::vector<int> waitsFor(nodes.size()), ready;
  std::vector<std::vector<int>> before(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    waitsFor[i] = int(nodes[i].after.size());
    for (int other : nodes[i].after)
      before[size_t(other)].push_back(int(i));
    if (nodes[i].after.empty())
      ready.push_back(int(i));
  }
  while (!ready.empty()) {
    std::swap(ready[random.below(uint32_t(ready.size()))], ready.back());
    int node = ready.back();
    ready.pop_back();
    if (const Action &action = nodes[size_t(node)].action)
      if (Failure failure = action(); failure.code != CUDA_SUCCESS)
        return failure;
    for (int next : before[size_t(node)])
      if (--waitsFor[size_t(next)] == 0)
        ready.push_back(next);
  }
  return {};
}

void Capture::join(Stream *stream, const std::vector<int> &after) {
  if (std::find(streams.begin(), streams.end(), stream) == streams.end())
    streams.push_back(stream);
  merge(stream->after, after);
}

bool Capture::joined() const {
  // Nothing follows the last nodes: each must be one the origin ends with.
  std::vector<bool> followed(graph->nodes.size());
  for (const Graph::Node &node : graph->nodes)
    for (int before : node.after)
      followed[size_t(before)] = true;
  for (int node : origin->after)
    followed[size_t(node)] = true;
  return std::find(followed.begin(), followed.end(), false) == followed.end();
}
