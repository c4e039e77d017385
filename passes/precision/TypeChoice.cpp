// Chooses narrow values by a minimum cut; see TypeChoice.h.
//
// Narrow values stand on the source's side. A cast is an auxiliary node beside
// its value, one a type: the value's users pull it to their side, and the edge
// between it and the value costs the cast, once.
#include "passes/precision/TypeChoice.h"
#include "passes/precision/MinimumCut.h"

namespace ampc {

/// Bytes of an element in either type.
static constexpr int64_t kNarrowBytes = 2, kWideBytes = 4;

unsigned TypeChoice::add(Kind kind, int64_t stored, int64_t castBytes) {
  ops.push_back({kind, stored, castBytes, {}});
  return ops.size() - 1;
}

void TypeChoice::addUse(unsigned producer, unsigned user) {
  std::vector<unsigned> &users = ops[producer].users;
  if (users.empty() || users.back() != user)
    users.push_back(user);
}

std::vector<TypeChoice::Side> TypeChoice::solve(uint64_t *visits) const {
  MinimumCut cut;
  std::vector<unsigned> nodes;
  for (const Op &op : ops) {
    unsigned node = cut.addNode();
    nodes.push_back(node);
    if (op.kind == Kind::narrow)
      cut.addEdge(cut.kSource, node, cut.kNever);
    else
      cut.addEdge(cut.kSource, node, op.stored * (kWideBytes - kNarrowBytes));
    if (op.kind == Kind::wide)
      cut.addEdge(node, cut.kSink, cut.kNever);
  }
  for (unsigned i = 0; i < ops.size(); ++i) {
    const Op &op = ops[i];
    if (op.users.empty())
      continue;
    unsigned narrowed = cut.addNode(), widened = cut.addNode();
    if (op.kind != Kind::narrow)
      cut.addEdge(narrowed, nodes[i], op.castBytes);
    if (op.kind != Kind::wide)
      cut.addEdge(nodes[i], widened, op.castBytes);
    for (unsigned user : op.users) {
      if (ops[user].kind == Kind::inside) {
        if (op.kind == Kind::inside)
          cut.addEdge(nodes[i], cut.kSink, cut.kNever);
        continue; // else it takes what there is
      }
      cut.addEdge(nodes[user], narrowed, cut.kNever);
      cut.addEdge(widened, nodes[user], cut.kNever);
      if (op.kind == Kind::inside)
        cut.addEdge(nodes[i], nodes[user], cut.kNever);
    }
  }
  cut.solve();
  if (visits)
    *visits += cut.visits();
  std::vector<Side> sides;
  for (unsigned node : nodes)
    sides.push_back(cut.isSourceSide(node) ? Side::narrow
                    : cut.isTied(node)     ? Side::tied
                                           : Side::wide);
  return sides;
}

int64_t TypeChoice::cost(const std::vector<bool> &narrow) const {
  int64_t total = 0;
  for (unsigned i = 0; i < ops.size(); ++i) {
    const Op &op = ops[i];
    if ((op.kind == Kind::narrow && !narrow[i]) ||
        (op.kind == Kind::wide && narrow[i]))
      return -1;
    total += op.stored * (narrow[i] ? kNarrowBytes : kWideBytes);
    bool isCast = false;
    for (unsigned user : op.users) {
      bool takesAny = ops[user].kind == Kind::inside;
      if (op.kind == Kind::inside && narrow[i] && (takesAny || !narrow[user]))
        return -1;
      isCast |= !takesAny && narrow[user] != narrow[i];
    }
    total += isCast ? op.castBytes : 0;
  }
  return total;
}

} // namespace ampc
