// Loops of ops and groups; see LoopNest.h.
#include "passes/fusion/LoopNest.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// A row that is walked again stays with one thread: rows are to be many, or
/// short.
static constexpr int64_t kManyRows = 16, kShortRow = 16384;

/// Columns that a thread walks at a time; so many chunks of them are enough for
/// all threads, and so few elements are soon walked by one.
static constexpr int64_t kChunkColumns = 64, kManyChunks = 4,
                         kFewElements = 32768;

/// Elements of f32 that a row's kernel keeps between two passes.
static constexpr int64_t kKeptElements = 32768;

SmallVector<int64_t> LoopNest::keptSpace() const {
  return withoutAxes(space, reducedAxes);
}

FusionKind fusionKindOf(Operation *op) {
  auto fusible = dyn_cast<Fusible>(op);
  return fusible ? fusible.fusionKind() : FusionKind::opaque;
}

bool isReadElsewhere(OpOperand &use) {
  auto fusible = dyn_cast<Fusible>(use.getOwner());
  return fusible && fusible.readsElsewhere(use.getOperandNumber());
}

LoopNest nestOfOne(Operation *op) {
  LoopNest nest;
  ArrayRef<int64_t> shape = tensorType(op->getResult(0)).getShape();
  nest.space.assign(shape.begin(), shape.end());
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    ArrayRef<int64_t> input = tensorType(reduce.getInput()).getShape();
    nest.space.assign(input.begin(), input.end());
    nest.reducedAxes.assign(reduce.getAxes().begin(), reduce.getAxes().end());
    nest.kind = reduce.getOrder() == AccumulationOrder::row ? GroupKind::row
                                                            : GroupKind::column;
  }
  FusionKind kind = fusionKindOf(op);
  if (kind == FusionKind::scatter) {
    nest.kind = GroupKind::scatter;
    ArrayRef<int64_t> updates = tensorType(op->getOperand(1)).getShape();
    nest.space.assign(updates.begin(), updates.end());
  }
  if (kind == FusionKind::contraction) {
    nest.kind = GroupKind::contraction;
    nest.isBareProduct = true;
  }
  nest.movesElements = kind == FusionKind::gather;
  auto model = dyn_cast<CostModel>(op);
  nest.isCostly = nest.movesElements || isa<RandomOp>(op) ||
                  (model && model.cost(TargetAttr()).transcendentals > 0);
  return nest;
}

/// Whether `map` is a loop nest over what the reductions of `nest` leave.
static bool isAfterReduction(const LoopNest &nest, const LoopNest &map) {
  return (nest.kind == GroupKind::row || nest.kind == GroupKind::column) &&
         map.kind == GroupKind::map && map.space == nest.keptSpace();
}

/// The nest of a product and of elementwise ops over its result.
static std::optional<LoopNest>
joinWithProduct(const LoopNest &a, const LoopNest &b, StringRef &reason) {
  if (a.kind == b.kind) {
    reason = "each product has a kernel of its own";
    return std::nullopt;
  }
  const LoopNest &product = a.kind == GroupKind::contraction ? a : b;
  const LoopNest &map = a.kind == GroupKind::contraction ? b : a;
  if (map.kind != GroupKind::map || map.movesElements) {
    reason = "the kernel of a product holds elementwise ops alone";
    return std::nullopt;
  }
  bool keepsLast = !map.space.empty() && !product.space.empty() &&
                   map.space.back() == product.space.back() &&
                   elementCount(map.space) == elementCount(product.space);
  if (product.space != map.space && !(product.isBareProduct && keepsLast)) {
    reason = "iteration spaces differ";
    return std::nullopt;
  }
  LoopNest nest = map;
  nest.kind = GroupKind::contraction;
  return nest;
}

std::optional<LoopNest> joinNests(const LoopNest &a, const LoopNest &b,
                                  StringRef &reason) {
  if (a.kind == GroupKind::scatter || b.kind == GroupKind::scatter) {
    reason = "a scatter has a kernel of its own";
    return std::nullopt;
  }
  if (a.kind == GroupKind::contraction || b.kind == GroupKind::contraction)
    return joinWithProduct(a, b, reason);
  LoopNest nest;
  if (a.space == b.space) {
    bool both = a.kind != GroupKind::map && b.kind != GroupKind::map;
    if (both && (a.kind != b.kind || a.reducedAxes != b.reducedAxes)) {
      reason = "reductions differ in axes or order";
      return std::nullopt;
    }
    nest = a.kind == GroupKind::map ? b : a;
  } else if (isAfterReduction(a, b)) {
    nest = a;
  } else if (isAfterReduction(b, a)) {
    nest = b;
  } else {
    reason = "iteration spaces differ";
    return std::nullopt;
  }
  nest.movesElements = a.movesElements || b.movesElements;
  nest.isCostly = a.isCostly || b.isCostly;
  return nest;
}

/// The broadcasts that make `operand` of `root`, the last one first. Only ops
/// of one operand stand between them.
static SmallVector<BroadcastOp> broadcastsOf(Value operand, Value root) {
  SmallVector<BroadcastOp> chain;
  for (Value value = operand; value != root;) {
    Operation *op = value.getDefiningOp();
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      chain.push_back(broadcast);
    value = op->getOperand(0);
  }
  return chain;
}

bool isSpread(Value operand, Value root) {
  return !broadcastsOf(operand, root).empty();
}

/// Whether `chain`, the broadcasts that make `operand` of `root`, brings what
/// the reductions of `nest` leave back over the space, each axis in its place,
/// for the row to be walked again.
static bool comesBack(Value operand, Value root, ArrayRef<BroadcastOp> chain,
                      const LoopNest &nest) {
  if (nest.kind != GroupKind::row ||
      tensorType(operand).getShape() != ArrayRef(nest.space))
    return false;
  SmallVector<int64_t> kept;
  for (int64_t axis = 0, rank = nest.space.size(); axis < rank; ++axis)
    if (!llvm::is_contained(nest.reducedAxes, axis))
      kept.push_back(axis);
  ArrayRef<int64_t> shape = tensorType(root).getShape();
  if (shape.size() != kept.size() || hasFewPoints(nest))
    return false;
  for (size_t i = 0; i < kept.size(); ++i) {
    int64_t axis = i;
    for (BroadcastOp broadcast : llvm::reverse(chain))
      axis = broadcast.getAxes()[axis];
    if (shape[i] != nest.space[kept[i]] || (shape[i] != 1 && axis != kept[i]))
      return false;
  }
  return true;
}

bool isAtHand(Value operand, Value root, const LoopNest &nest) {
  SmallVector<BroadcastOp> chain = broadcastsOf(operand, root);
  return chain.empty() || comesBack(operand, root, chain, nest);
}

bool hasFewPoints(const LoopNest &nest) {
  int64_t elements = elementCount(nest.space);
  if (nest.kind == GroupKind::row) {
    int64_t rows = elementCount(nest.keptSpace());
    return rows < kManyRows && elements > rows * kShortRow;
  }
  if (nest.kind != GroupKind::column || elements <= kFewElements)
    return false;
  int64_t chunks = 1, columns = 1;
  for (auto [axis, extent] : llvm::enumerate(nest.space)) {
    if (int64_t(axis) < nest.reducedAxes.front())
      chunks *= extent;
    else if (int64_t(axis) > nest.reducedAxes.back())
      columns *= extent;
  }
  return chunks * llvm::divideCeil(columns, kChunkColumns) < kManyChunks;
}

bool hasLongRows(const LoopNest &nest) {
  if (nest.kind != GroupKind::row)
    return false;
  int64_t rows = elementCount(nest.keptSpace());
  return rows > 0 && elementCount(nest.space) / rows > kKeptElements;
}

} // namespace ampc
