// Math functions as arithmetic, once for every target (Passes.td); the
// functions themselves stand in ExpandExp, ExpandLog, ExpandErf, ExpandTrig and
// ExpandFmod.
#include "codegen/kernel/MathBuilder.h"
#include "codegen/kernel/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace ampc {
#define GEN_PASS_DEF_EXPANDMATH
#include "codegen/kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Whether every target has `op` as one correctly rounded instruction.
static bool isKept(Operation *op) {
  return isa<math::SqrtOp, math::FmaOp, math::AbsFOp, math::FloorOp,
             math::RoundEvenOp, math::CountTrailingZerosOp>(op);
}

/// The value of `op` in arithmetic, null when there is none.
static Value expand(MathBuilder m, Operation *op) {
  Value x = op->getOperand(0);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return expandExp(m, x); })
      .Case([&](math::TanhOp) { return expandTanh(m, x); })
      .Case([&](math::LogOp) { return expandLog(m, x); })
      .Case([&](math::Log1pOp) { return expandLog1p(m, x); })
      .Case([&](math::PowFOp) { return expandPow(m, x, op->getOperand(1)); })
      .Case([&](math::ErfOp) { return expandErf(m, x); })
      .Case([&](math::SinOp) { return expandSin(m, x); })
      .Case([&](math::CosOp) { return expandCos(m, x); })
      .Case([&](arith::RemFOp) { return expandFmod(m, x, op->getOperand(1)); })
      .Default([](Operation *) { return Value(); });
}

namespace {

class ExpandMathPass : public ampc::impl::ExpandMathBase<ExpandMathPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::RemFOp>(op) ||
          (isa_and_present<math::MathDialect>(op->getDialect()) && !isKept(op)))
        found.push_back(op);
    });
    for (Operation *op : found) {
      Type type = op->getResult(0).getType(),
           element = getElementTypeOrSelf(type);
      OpBuilder builder(op);
      Value value;
      if (element.isF32() || element.isF64())
        value = expand({builder, op->getLoc(), type}, op);
      if (!value) {
        op->emitOpError() << "on " << type << " is not available yet";
        return signalPassFailure();
      }
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  }
};

} // namespace
