// Gives every value its type under a precision policy (N20, N21).
#include "passes/precision/Passes.h"

using namespace mlir;

namespace ampc {
#define GEN_PASS_DEF_ASSIGNPRECISION
#include "passes/precision/Passes.h.inc"

namespace {

class AssignPrecisionPass
    : public impl::AssignPrecisionBase<AssignPrecisionPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (amp::stageOf(module) != amp::Stage::model) {
      module.emitError() << "amp-assign-precision expects stage model";
      return signalPassFailure();
    }
    if (precision != "f32") {
      module.emitError() << "precision '" << precision
                         << "' is not available yet; use f32";
      return signalPassFailure();
    }
    module->setAttr(amp::kStageAttr,
                    amp::StageAttr::get(&getContext(), amp::Stage::typed));
  }
};

} // namespace
} // namespace ampc
