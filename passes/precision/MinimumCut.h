// Minimum cut of a directed graph between a source and a sink (Dinic,
// "Algorithm for solution of a problem of maximum flow in networks with power
// estimation", 1970).
#ifndef AMPC_PASSES_PRECISION_MINIMUMCUT_H
#define AMPC_PASSES_PRECISION_MINIMUMCUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ampc {

/// Divides nodes into the source's side and the sink's such that the sum of the
/// costs of the edges from the first to the second is least. Flow searches stay
/// short where costs are local, as those of a network's layers are; the bound
/// of Dinic's algorithm is O(nodes^2 * edges).
class MinimumCut {
public:
  /// The cost of an edge that no cut may contain. Sums of it stay in range.
  static constexpr int64_t kNever = int64_t(1) << 60;
  static constexpr unsigned kSource = 0, kSink = 1;

  MinimumCut() : nodes(2) {}

  unsigned addNode() { return nodes++; }
  /// Cutting between `from` on the source's side and `to` on the sink's costs
  /// `cost`, at least 0.
  void addEdge(unsigned from, unsigned to, int64_t cost);

  /// Finds a cut and returns its cost. No edges are added afterwards.
  int64_t solve();

  /// Whether the node is on the source's side of the least such side.
  bool isSourceSide(unsigned node) const { return fromSource[node]; }
  /// Whether the node may stand on either side at the same cost.
  bool isTied(unsigned node) const {
    return !fromSource[node] && !toSink[node];
  }

  /// Edges looked at by `solve`.
  uint64_t visits() const { return looked; }

private:
  struct Edge {
    unsigned to;
    int64_t room; ///< what may still flow
  };

  void index();
  /// Distances from the source along edges with room; whether they reach the
  /// sink.
  bool layer();
  /// Sends flow along one path of the layers; 0 when none is left.
  int64_t push();
  void findSides();

  unsigned nodes;
  std::vector<Edge> edges; ///< an edge and its reverse stand side by side
  std::vector<unsigned> first, order; ///< edges by the node they leave
  std::vector<unsigned> next, distance, path;
  std::vector<bool> fromSource, toSink;
  uint64_t looked = 0;
};

} // namespace ampc

#endif // AMPC_PASSES_PRECISION_MINIMUMCUT_H
