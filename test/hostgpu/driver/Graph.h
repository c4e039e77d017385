// Stream capture: work that goes into a graph instead of a queue.
#pragma once

#include "test/hostgpu/driver/Streams.h"

#include <thread>

namespace ampc::hostgpu {

struct Graph {
  struct Node {
    Action action;
    std::vector<int> after;
  };
  std::vector<Node> nodes;

  int add(Action action, std::vector<int> after);
  /// Runs every node, in an order drawn among those the edges permit.
  Failure run(Random &random) const;
};

struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Stream *origin = nullptr;
  std::thread::id thread;
  int mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool invalidated = false;
  /// The origin and those that joined by an event.
  std::vector<Stream *> streams;

  void join(Stream *stream, const std::vector<int> &after);
  /// Whether all captured work stands before the end of the origin.
  bool joined() const;
};

/// Adds the members of `more` that `nodes` lacks.
void merge(std::vector<int> &nodes, const std::vector<int> &more);

} // namespace ampc::hostgpu
