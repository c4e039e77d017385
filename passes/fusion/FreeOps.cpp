// Ops that are computed again; see FreeOps.h.
#include "passes/fusion/FreeOps.h"

#include "passes/fusion/GeneratedProducts.h"
#include "passes/fusion/LoopNest.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// Arithmetic of one element that is computed again rather than stored: less
/// than a load takes from beyond the cache.
static constexpr unsigned kRepeatedOps = 8;

/// What arithmetic is repeated for gives this many times the bytes it reads, so
/// that not keeping its result never asks for more memory.
static constexpr int64_t kGrowth = 16;

/// Whether `op` is an exact cast to a wider float: every kernel widens what it
/// reads for itself, so that memory holds the narrow value.
static bool isWidening(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  if (!cast)
    return false;
  Type from = tensorType(cast.getInput()).getElementType(),
       to = tensorType(cast.getResult()).getElementType();
  return isa<FloatType>(from) && isa<FloatType>(to) &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

FreeOps::FreeOps(Block &block, TargetAttr target, bool fuse, bool products)
    : productTarget(products ? target : TargetAttr()) {
  for (Operation &op : block) {
    std::optional<unsigned> cost;
    if (isa<ConstantOp, BroadcastOp, IotaOp>(op) || isWidening(&op)) {
      if (isGroupable(&op)) {
        cost = 0;
        for (Value operand : op.getOperands())
          if (Operation *producer = operand.getDefiningOp())
            *cost += costs.lookup(producer);
      }
    } else if (fuse && isProductView(&op)) {
      cost = 0;
    } else if (fuse) {
      cost = costOfRepeat(&op);
    }
    // A user outside groups (a contraction, a view, a write, the return) needs
    // the bytes; so does one that reads it at other elements.
    if (cost && llvm::all_of(op.getUses(), [&](OpOperand &use) {
          return isGroupable(use.getOwner()) && !isReadElsewhere(use);
        }))
      costs[&op] = *cost;
  }
}

bool FreeOps::isGroupable(Operation *op) const {
  if (auto product = dyn_cast<MatmulOp>(op))
    return isGenerated(product, productTarget);
  if (isa<Decomposable>(op))
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constant.getValue().isSplat() ||
           constant.getValue().getNumElements() == 0;
  switch (fusionKindOf(op)) {
  case FusionKind::map:
  case FusionKind::row_reduce:
  case FusionKind::column_reduce:
  case FusionKind::gather:
  case FusionKind::scatter:
    return true;
  default:
    return false;
  }
}

bool FreeOps::isProductView(Operation *op) const {
  auto view = dyn_cast<ReshapeOp>(op);
  auto product = view ? view.getInput().getDefiningOp<MatmulOp>() : MatmulOp();
  if (!product || !isGroupable(product))
    return false;
  ArrayRef<int64_t> shape = tensorType(view.getResult()).getShape();
  return !shape.empty() &&
         shape.back() == tensorType(product.getResult()).getShape().back();
}

std::optional<unsigned> FreeOps::costOfRepeat(Operation *op) const {
  auto model = dyn_cast<CostModel>(op);
  if (!model || fusionKindOf(op) != FusionKind::map || isa<RandomOp>(op) ||
      isa<Decomposable>(op) || op->getNumOperands() == 0)
    return std::nullopt;
  RankedTensorType result = tensorType(op->getResult(0));
  OpCost cost = model.cost(TargetAttr());
  if (cost.transcendentals > 0 || cost.flops > result.getNumElements())
    return std::nullopt;
  unsigned repeated = 1;
  int64_t bytes = 0, kept = 0;
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (!producer || !isFree(producer))
      return std::nullopt;
    repeated += costs.lookup(producer);
    forEachRoot(operand, [&](Value root, bool) {
      bytes += storageBytes(tensorType(root));
      kept += arenaBytes(tensorType(root));
    });
  }
  bool grows = storageBytes(result) >= kGrowth * std::max<int64_t>(bytes, 4) &&
               arenaBytes(result) >= kept;
  return repeated <= kRepeatedOps && grows ? std::optional(repeated)
                                           : std::nullopt;
}

void FreeOps::forEachRoot(Value operand,
                          llvm::function_ref<void(Value, bool)> visit) const {
  SmallVector<std::pair<Value, bool>, 4> work{{operand, false}};
  while (!work.empty()) {
    auto [value, computed] = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !isFree(op)) {
      visit(value, computed);
      continue;
    }
    bool arithmetic = op->getNumOperands() > 1;
    if (op->getNumOperands() == 1)
      arithmetic = !isa<BroadcastOp, ReshapeOp>(op) && !isWidening(op);
    for (Value inner : llvm::reverse(op->getOperands()))
      work.push_back({inner, computed || arithmetic});
  }
}

} // namespace ampc
