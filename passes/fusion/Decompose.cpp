// Spells composite ops in primitives, reductions over scattered axes as
// reductions over the first axes, and scatters in the type of their sums.
#include "passes/fusion/Passes.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/fusion/Passes.h.inc"

namespace {

/// Whether the axes of `op` (strictly increasing) do not stand together.
bool isScattered(ReduceOp op) {
  ArrayRef<int64_t> axes = op.getAxes();
  return axes.back() - axes.front() + 1 != static_cast<int64_t>(axes.size());
}

/// A reduction whose axes do not stand together, over a transpose that puts
/// them first: elements are joined in the same order, that of the reduced axes.
Value gatherAxes(ReduceOp op, OpBuilder &builder) {
  SmallVector<int64_t> perm(op.getAxes());
  for (int64_t axis = 0, rank = tensorType(op.getInput()).getRank();
       axis < rank; ++axis)
    if (!llvm::is_contained(op.getAxes(), axis))
      perm.push_back(axis);
  Value moved = TransposeOp::create(builder, op.getLoc(), op.getInput(), perm);
  auto first = llvm::to_vector(llvm::seq<int64_t>(0, op.getAxes().size()));
  return ReduceOp::create(builder, op.getLoc(), op.getKind(), moved, first,
                          tensorType(op.getResult()).getElementType());
}

/// Whether a scatter's sums are wider than its elements.
bool isNarrowScatter(Operation *op) {
  auto fusible = dyn_cast<Fusible>(op);
  if (!fusible || fusible.fusionKind() != FusionKind::scatter)
    return false;
  Type element = tensorType(op->getResult(0)).getElementType();
  return isa<FloatType>(element) && accumulationTypeFor(element) != element;
}

/// A scatter in its accumulation type and one rounding of its result.
Value widenScatter(Operation *op, OpBuilder &builder) {
  RankedTensorType type = tensorType(op->getResult(0));
  Type element = type.getElementType(), wide = accumulationTypeFor(element);
  Operation *scatter = builder.clone(*op);
  scatter->setOperand(1,
                      castTo(builder, op->getLoc(), op->getOperand(1), wide));
  scatter->getResult(0).setType(withElementType(type, wide));
  scatter->moveBefore(op);
  return castTo(builder, op->getLoc(), scatter->getResult(0), element);
}

/// The axes along which the input of the reshape under `op` gives the same
/// value, when the reshape only inserts axes of extent 1.
std::optional<SmallVector<int64_t>> axesThroughReshape(BroadcastOp op) {
  auto reshape = op.getInput().getDefiningOp<ReshapeOp>();
  if (!reshape)
    return std::nullopt;
  ArrayRef<int64_t> inner = tensorType(reshape.getInput()).getShape(),
                    outer = tensorType(reshape.getResult()).getShape();
  SmallVector<int64_t> axes;
  for (auto [extent, axis] : llvm::zip(outer, op.getAxes())) {
    if (axes.size() < inner.size() && extent == inner[axes.size()])
      axes.push_back(axis);
    else if (extent != 1)
      return std::nullopt;
  }
  if (axes.size() != inner.size())
    return std::nullopt;
  return axes;
}

/// Whether `op` is spelled otherwise.
bool isDecomposed(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  auto broadcast = dyn_cast<BroadcastOp>(op);
  return isa<Decomposable>(op) || isNarrowScatter(op) ||
         (reduce && isScattered(reduce)) ||
         (broadcast && axesThroughReshape(broadcast));
}

/// What `op` is spelled as.
FailureOr<SmallVector<Value>> decompose(Operation *op, OpBuilder &builder) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return SmallVector<Value>{gatherAxes(reduce, builder)};
  if (isNarrowScatter(op))
    return SmallVector<Value>{widenScatter(op, builder)};
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    Value input = broadcast.getInput().getDefiningOp<ReshapeOp>().getInput();
    return SmallVector<Value>{
        BroadcastOp::create(builder, op->getLoc(), op->getResult(0).getType(),
                            input, *axesThroughReshape(broadcast))};
  }
  return cast<Decomposable>(op).decompose(builder);
}

class DecomposePass : public impl::DecomposeBase<DecomposePass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> worklist;
    auto enqueue = [&](Operation *op) {
      if (isDecomposed(op))
        worklist.push_back(op);
    };
    getOperation().walk(enqueue);
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      OpBuilder builder(op);
      Operation *before = op->getPrevNode();
      FailureOr<SmallVector<Value>> values = decompose(op, builder);
      if (failed(values))
        return signalPassFailure();
      op->replaceAllUsesWith(*values);
      // What was built stands between `before` and `op`; it may be composite
      // itself.
      Operation *built =
          before ? before->getNextNode() : &op->getBlock()->front();
      for (; built != op; built = built->getNextNode()) {
        if (Attribute checkpoint = op->getAttr(kCheckpointAttr))
          built->setAttr(kCheckpointAttr, checkpoint);
        enqueue(built);
      }
      op->erase();
    }
  }
};

} // namespace
} // namespace ampc
