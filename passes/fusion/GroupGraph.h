// Groups that wait for each other, in an order that merging keeps.
//
// The order is a list with labels: a node stands behind all that it waits for.
// Two nodes may become one when no path leads from the earlier to the later
// through a third. All nodes of such a path stand between them, so that only
// what lies between is looked at, and no more than a bounded part of it.
#ifndef AMPC_PASSES_FUSION_GROUPGRAPH_H
#define AMPC_PASSES_FUSION_GROUPGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ampc {

/// A place in the order; only comparisons count. Below 2^63.
using OrderLabel = uint64_t;

class GroupGraph {
public:
  /// Adds a node at the end of the order.
  unsigned addNode();
  /// `to` waits for `from`, which stands before it.
  void addEdge(unsigned from, unsigned to);
  /// Gives places to all nodes; after the last `addNode`.
  void spreadLabels();

  size_t size() const { return nodes.size(); }
  /// The node that `node` has become part of.
  unsigned find(unsigned node) const;
  OrderLabel label(unsigned node) const { return nodes[find(node)].label; }
  /// The nodes that are left, in order.
  llvm::SmallVector<unsigned> order() const;

  /// How two nodes become one: the earlier moves behind to the later (`late`),
  /// or the later up to the earlier, and what stood between and depends on
  /// either moves along.
  struct Move {
    unsigned first, second;
    bool late;
    OrderLabel label; ///< of the node they become
    llvm::SmallVector<std::pair<unsigned, OrderLabel>> along;
  };
  enum class Answer { move, path, far };

  /// The move of `first` to `second`, or of `second` to `first`, that takes the
  /// fewest nodes along, no more than `most`. `path`: each would wait for
  /// itself. `far`: more of the graph lies between than is looked at.
  Answer findMove(unsigned first, unsigned second, bool late, size_t most,
                  Move &move);
  /// Makes the two nodes of `move` one, and gives it.
  unsigned merge(const Move &move);

  /// Neighbours as they were added or merged; `find` tells what they are now.
  llvm::ArrayRef<unsigned> before(unsigned node) const {
    return nodes[node].before;
  }
  llvm::ArrayRef<unsigned> after(unsigned node) const {
    return nodes[node].after;
  }

  /// How often every label has changed.
  unsigned spreads() const { return spreadCount; }
  /// Edges looked at so far.
  uint64_t work() const { return looked; }

private:
  struct Node {
    OrderLabel label = 0;
    unsigned previous = 0, next = 0; // in the order; 0 is its end
    llvm::SmallVector<unsigned, 4> before, after;
  };
  /// Nodes between `from` and `to` that wait for `from` (`down`), or that `to`
  /// waits for, in order.
  Answer collectBetween(unsigned from, unsigned to, bool down, size_t most,
                        llvm::SmallVectorImpl<unsigned> &between);
  void placeAlong(Move &move, llvm::ArrayRef<unsigned> between);
  void unlink(unsigned node);
  void linkBehind(unsigned node, unsigned place);

  std::vector<Node> nodes{Node()}; // number 0: both ends of the order
  mutable std::vector<unsigned> parent{0};
  unsigned spreadCount = 0;
  uint64_t looked = 0;
};

} // namespace ampc

#endif // AMPC_PASSES_FUSION_GROUPGRAPH_H
