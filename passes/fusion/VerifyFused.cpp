// Refuses a module that is not fused: the verifier of stage fused.
#include "passes/fusion/Passes.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_VERIFYFUSED
#include "passes/fusion/Passes.h.inc"

namespace {

/// Whether `op` may stand outside groups in stage fused, in an entry or in the
/// body of a loop.
bool mayStandOutside(Operation *op) {
  if (isa<GroupOp, ConstantOp>(op))
    return true;
  auto fusible = dyn_cast<Fusible>(op);
  if (!fusible || isa<Decomposable>(op))
    return false;
  return fusible.fusionKind() == FusionKind::contraction ||
         fusible.fusionKind() == FusionKind::view;
}

LogicalResult verifyOutside(Operation *op) {
  if (mayStandOutside(op))
    return success();
  return op->emitOpError() << "cannot stand outside a group in stage fused";
}

LogicalResult verifyBody(ForeachOp loop) {
  for (Operation &op : loop.getBody().front().without_terminator())
    if (!isa<GroupOp, ReshapeOp, ConstantOp>(op))
      return op.emitOpError() << "cannot stand in the body of amp.foreach in "
                                 "stage fused, which runs kernels alone";
  return success();
}

class VerifyFusedPass : public impl::VerifyFusedBase<VerifyFusedPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // fused_c1
    if (stageOf(module) != Stage::fused) {
      module.emitOpError() << "is not in stage fused";
      return signalPassFailure();
    }
    for (auto func : module.getOps<func::FuncOp>()) {
      if (!func.getBody().hasOneBlock()) {
        func.emitOpError() << "must have a body of one block";
        return signalPassFailure();
      }
      for (Operation &op : func.front().without_terminator()) {
        // fused_c2
        if (auto loop = dyn_cast<ForeachOp>(op)) {
          if (failed(verifyBody(loop)))
            return signalPassFailure();
        } else if (!isa<ReadOp, WriteOp>(op) && failed(verifyOutside(&op))) {
          return signalPassFailure();
        }
      }
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace ampc
