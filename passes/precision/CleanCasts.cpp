// Cleans the joint graph of forward and backward: parameter gradients are f32
// from where they are summed (N7), and casts that undo an exact one go.
#include "passes/precision/Elements.h"
#include "passes/precision/Passes.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_CLEANCASTS
#include "passes/precision/Passes.h.inc"

namespace {

unsigned widthOf(Value value) {
  return elementOf(value).getIntOrFloatBitWidth();
}

/// The policy cast that gives `value`, or null.
CastOp policyCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && cast.getOrigin() == CastOrigin::policy &&
                 isFloat(cast.getInput()) && isFloat(cast.getResult())
             ? cast
             : CastOp();
}

/// Whether `op` sums in `wide` and rounds once, so that its result may as well
/// be `wide`.
bool sumsIn(Operation *op, Type wide) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getAccumulation() == wide;
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reduce.getKind() == ReduceKind::sum &&
         reduce.getAccumulation() == wide;
}

/// Whether `op` gives what it takes in other places, or sums of it: its result
/// is as wide as its operands are.
bool movesOrAdds(Operation *op) {
  return isa<AddOp, ScatterRowsOp, ScatterAddOp>(op) ||
         (op->hasTrait<OpTrait::SameOperandsAndResultElementType>() &&
          isa<PrecisionRule>(op) &&
          cast<PrecisionRule>(op).classify() == PrecisionClass::follow);
}

/// Computes the gradient that `gradient` uses without the roundings to the type
/// of its parameter's narrow form, from its last sums on (N7).
void cleanGradient(OpOperand &gradient, OpBuilder &builder) {
  Type wide = elementOf(gradient.get());
  SmallVector<OpOperand *> open{&gradient};
  while (!open.empty()) {
    OpOperand &use = *open.pop_back_val();
    Value value = use.get();
    Operation *op = value.getDefiningOp();
    auto openOperands = [&] {
      for (OpOperand &operand : op->getOpOperands())
        if (isFloat(operand.get()))
          open.push_back(&operand);
    };
    CastOp cast = policyCast(value);
    if (elementOf(value) == wide) {
      if (op && value.hasOneUse() && movesOrAdds(op)) {
        openOperands();
      } else if (cast && cast->hasOneUse() &&
                 widthOf(cast.getInput()) < widthOf(value)) {
        use.set(cast.getInput());
        cast.erase();
        open.push_back(&use);
      }
      continue;
    }
    // A narrow value: what it was rounded from, or computed in `wide` where no
    // one else wants it narrow, or widened as it is.
    bool isOwn = op && value.hasOneUse();
    if (cast && elementOf(cast.getInput()) == wide) {
      use.set(cast.getInput());
    } else if (isOwn && sumsIn(op, wide)) {
      value.setType(withElementType(value.getType(), wide));
    } else if (isOwn && movesOrAdds(op)) {
      value.setType(withElementType(value.getType(), wide));
      openOperands();
    } else {
      builder.setInsertionPointAfterValue(value);
      use.set(castTo(builder, value.getLoc(), value, wide));
    }
  }
}

class CleanCastsPass : public impl::CleanCastsBase<CleanCastsPass> {
  using Base::Base;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      auto ret = cast<func::ReturnOp>(func.front().getTerminator());
      for (OpOperand &use : ret->getOpOperands()) {
        auto io =
            func.getResultAttrOfType<IoAttr>(use.getOperandNumber(), kIoAttr);
        if (io && io.getValue() == Io::gradient && isFloat(use.get()))
          cleanGradient(use, builder);
      }
      // An exact cast and back gives what was there.
      for (Operation &op : llvm::make_early_inc_range(func.front())) {
        CastOp back =
            op.getNumResults() ? policyCast(op.getResult(0)) : CastOp();
        CastOp there = back ? policyCast(back.getInput()) : CastOp();
        if (!there || there.getInput().getType() != back.getType() ||
            widthOf(there.getResult()) <= widthOf(back.getResult()))
          continue;
        back.replaceAllUsesWith(there.getInput());
        back.erase();
      }
    }
  }
};

} // namespace
} // namespace ampc
