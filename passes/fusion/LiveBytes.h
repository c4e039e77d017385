// Bytes that the values of a block need over the order of its groups, and what
// a merge does to them.
#ifndef AMPC_PASSES_FUSION_LIVEBYTES_H
#define AMPC_PASSES_FUSION_LIVEBYTES_H

#include "ir/dialect/Dialect.h"
#include "passes/fusion/GroupGraph.h"
#include "passes/memory/PeakProfile.h"

namespace ampc {

class LiveBytes {
public:
  explicit LiveBytes(const GroupGraph &graph) : graph(graph) {}

  /// `node` computes `value`, which needs `bytes` (0: it stands in a variable)
  /// until its last reader or, `toEnd`, the end.
  void define(mlir::Value value, unsigned node, int64_t bytes, bool toEnd);
  /// `node` reads the bytes of `value`; nothing where nothing defines it.
  void read(mlir::Value value, unsigned node);

  /// Whether no moment needs more bytes after `move`, seen from the two nodes
  /// alone: what is kept longer has no more bytes than what is not kept at all.
  /// Where something moves along the answer is no.
  bool isSafe(const GroupGraph::Move &move) const;
  /// Whether the most bytes of any moment stay as they are or fall. What is
  /// asked first counts all bytes; from then on `apply` keeps the count.
  bool keepsPeak(const GroupGraph::Move &move);
  /// Follows `move`, before the graph does. `keeps` is the node it will leave.
  void apply(const GroupGraph::Move &move);
  void merged(unsigned keeps, unsigned gives);

  /// The most bytes of any moment.
  int64_t peak();

private:
  struct Bytes {
    int64_t bytes = 0;
    unsigned definer = 0;
    unsigned last = 0; ///< the reader with the greatest label
    bool toEnd = false;
    llvm::SmallVector<unsigned, 4> readers;
  };
  struct Range {
    OrderLabel first, last;
  };
  using Changes = llvm::SmallVector<std::pair<unsigned, Range>>;

  bool vanishes(const Bytes &value, const GroupGraph::Move &move) const;
  int64_t vanishingBytes(const GroupGraph::Move &move) const;
  Range rangeOf(const Bytes &value) const;
  /// The ranges that `move` gives to the values it touches.
  Changes changesOf(const GroupGraph::Move &move) const;
  void addRange(const Bytes &value, Range range, int64_t sign);
  void count();

  const GroupGraph &graph;
  std::vector<Bytes> values;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  std::vector<llvm::SmallVector<unsigned, 4>> reads, defines; // per node
  std::optional<PeakProfile> profile;
  unsigned countedAt = 0; // graph.spreads() when the profile was made
};

} // namespace ampc

#endif // AMPC_PASSES_FUSION_LIVEBYTES_H
