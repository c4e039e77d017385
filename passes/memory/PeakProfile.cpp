// A treap of changes; see PeakProfile.h.
#include "passes/memory/PeakProfile.h"

#include <algorithm>

namespace ampc {

/// The heap order of a key: a fixed mixing of its bits, so that the tree's
/// shape is the same in every run.
static uint64_t priorityOf(uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
  key = (key ^ key >> 27) * 0x94d049bb133111eb;
  return key ^ key >> 31;
}

void PeakProfile::update(uint32_t node) {
  Node &n = nodes[node];
  const Node &left = nodes[n.left], &right = nodes[n.right];
  n.sum = left.sum + n.delta + right.sum;
  n.most = left.sum + n.delta;
  if (n.left)
    n.most = std::max(n.most, left.most);
  if (n.right)
    n.most = std::max(n.most, left.sum + n.delta + right.most);
}

uint32_t PeakProfile::insert(uint32_t node, uint64_t key, int64_t delta) {
  if (!node) {
    nodes.push_back({key, delta, delta, delta});
    return uint32_t(nodes.size() - 1);
  }
  if (nodes[node].key == key) {
    nodes[node].delta += delta;
  } else if (key < nodes[node].key) {
    uint32_t child = insert(nodes[node].left, key, delta);
    nodes[node].left = child;
    if (priorityOf(nodes[child].key) > priorityOf(nodes[node].key)) {
      nodes[node].left = nodes[child].right;
      nodes[child].right = node;
      update(node);
      node = child;
    }
  } else {
    uint32_t child = insert(nodes[node].right, key, delta);
    nodes[node].right = child;
    if (priorityOf(nodes[child].key) > priorityOf(nodes[node].key)) {
      nodes[node].right = nodes[child].left;
      nodes[child].left = node;
      update(node);
      node = child;
    }
  }
  update(node);
  return node;
}

void PeakProfile::change(uint64_t key, int64_t delta) {
  root = insert(root, key, delta);
}

void PeakProfile::add(Moment first, Moment last, int64_t bytes) {
  if (bytes == 0 || first > last)
    return;
  change(2 * first, bytes);
  change(2 * last + 1, -bytes);
}

void PeakProfile::moveFirst(Moment from, Moment to, int64_t bytes) {
  if (from == to || bytes == 0)
    return;
  change(2 * from, -bytes);
  change(2 * to, bytes);
}

void PeakProfile::moveLast(Moment from, Moment to, int64_t bytes) {
  if (from == to || bytes == 0)
    return;
  change(2 * from + 1, bytes);
  change(2 * to + 1, -bytes);
}

int64_t PeakProfile::peak() const {
  return root ? std::max<int64_t>(nodes[root].most, 0) : 0;
}

Moment PeakProfile::peakMoment() const {
  uint32_t node = root;
  int64_t wanted = nodes[root].most; // a sum of first changes of the subtree
  while (node) {
    const Node &n = nodes[node];
    const Node &left = nodes[n.left];
    if (n.left && left.most == wanted) {
      node = n.left;
    } else if (left.sum + n.delta == wanted) {
      return n.key / 2;
    } else {
      wanted -= left.sum + n.delta;
      node = n.right;
    }
  }
  return 0;
}

int64_t PeakProfile::at(Moment moment) const {
  int64_t sum = 0;
  for (uint32_t node = root; node;) {
    const Node &n = nodes[node];
    if (n.key > 2 * moment) {
      node = n.left;
    } else {
      sum += nodes[n.left].sum + n.delta;
      node = n.right;
    }
  }
  return sum;
}

} // namespace ampc
