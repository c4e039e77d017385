// Spells composite ops in primitives, and reductions over scattered axes as one
// reduction a run.
#include "passes/fusion/Passes.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/fusion/Passes.h.inc"

namespace {

/// The last run of adjacent axes of `axes` (strictly increasing).
ArrayRef<int64_t> lastRun(ArrayRef<int64_t> axes) {
  size_t first = axes.size() - 1;
  while (first > 0 && axes[first - 1] + 1 == axes[first])
    --first;
  return axes.drop_front(first);
}

/// A reduction whose axes do not stand together, as a reduction of the last run
/// and one of the rest. The inner one keeps the accumulation type; the outer
/// one rounds.
Value splitReduction(ReduceOp op, OpBuilder &builder) {
  ArrayRef<int64_t> axes = op.getAxes();
  ArrayRef<int64_t> run = lastRun(axes);
  Type accumulation = op.getAccumulation();
  Value inner = ReduceOp::create(builder, op.getLoc(), op.getKind(),
                                 op.getInput(), run, accumulation);
  Type element = tensorType(op.getResult()).getElementType();
  return ReduceOp::create(builder, op.getLoc(), op.getKind(), inner,
                          axes.drop_back(run.size()), element);
}

class DecomposePass : public impl::DecomposeBase<DecomposePass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> worklist;
    auto enqueue = [&](Operation *op) {
      auto reduce = dyn_cast<ReduceOp>(op);
      if (isa<Decomposable>(op) ||
          (reduce && lastRun(reduce.getAxes()) != reduce.getAxes()))
        worklist.push_back(op);
    };
    getOperation().walk(enqueue);
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      OpBuilder builder(op);
      Operation *before = op->getPrevNode();
      if (auto reduce = dyn_cast<ReduceOp>(op)) {
        op->replaceAllUsesWith(ValueRange(splitReduction(reduce, builder)));
      } else {
        FailureOr<SmallVector<Value>> values =
            cast<Decomposable>(op).decompose(builder);
        if (failed(values))
          return signalPassFailure();
        op->replaceAllUsesWith(*values);
      }
      // What was built stands between `before` and `op`; it may be composite
      // itself.
      Operation *built =
          before ? before->getNextNode() : &op->getBlock()->front();
      for (; built != op; built = built->getNextNode())
        enqueue(built);
      op->erase();
    }
  }
};

} // namespace
} // namespace ampc
