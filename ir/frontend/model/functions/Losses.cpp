// Losses of two tensors of one shape: mse, l1, huber,
// bce_with_logits. Unlike operators they do not broadcast: shapes that differ
// are a mistake.
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// The element type of losses: f32, or f64 of f64.
ElemType lossElement(ElemType operands) {
  return operands == ElemType::F64 ? ElemType::F64 : ElemType::F32;
}

/// Prediction and target of one shape, promoted to one float type. One of the
/// two may be a number.
bool pairArg(Elaborator &e, Call &call, Location at,
             Elaborator::Operands &operands) {
  for (size_t i : {0, 1}) {
    const TensorData *operand = nullptr;
    bool isNumber = call[i].isNumber() && call[1 - i].isTensor();
    if (!isNumber && !e.floatTensorArg(call, i, operand))
      return false;
  }
  Loc loc = call.expr->loc;
  if (call[0].isTensor() && call[1].isTensor()) {
    const TensorData &x = call[0].asTensor(), &y = call[1].asTensor();
    if (shapeOf(x) != shapeOf(y)) {
      e.shapeMismatch(call.name(), x, y, loc, /*broadcasts=*/false);
      return false;
    }
  }
  return e.prepareOperands(call.name(), call[0], call[1], loc, at,
                           /*floats=*/true, operands);
}

/// A loss, which has its operands' shape only if it is not reduced.
Value lossOf(Elaborator &e, Call &call, mlir::Value result,
             amp::LossReduction reduction,
             const Elaborator::Operands &operands) {
  bool keeps = reduction == amp::LossReduction::none;
  return e.tensor(result, lossElement(operands.element), call.expr->loc,
                  keeps ? llvm::ArrayRef<llvm::StringRef>(operands.axisNames)
                        : llvm::ArrayRef<llvm::StringRef>());
}

/// mse(x, y, reduction), l1(x, y, reduction).
template <typename Op>
Value difference(Elaborator &e, Call &call) {
  amp::LossReduction reduction;
  Elaborator::Operands operands;
  Location at = e.location(call);
  if (!reductionArg(e, call, 2, reduction) || !pairArg(e, call, at, operands))
    return Value::poison();
  mlir::Value result = Op::create(e.emitter.builder, at, reduction,
                                  operands.left, operands.right);
  return lossOf(e, call, result, reduction, operands);
}

/// huber(x, y, delta = 1, reduction).
Value huber(Elaborator &e, Call &call) {
  amp::LossReduction reduction;
  Elaborator::Operands operands;
  double delta = 0;
  Location at = e.location(call);
  if (!e.floatArg(call, 2, delta) || !reductionArg(e, call, 3, reduction) ||
      !pairArg(e, call, at, operands))
    return Value::poison();
  if (!(delta > 0))
    return e.fail(call.args[2].loc, "'huber': 'delta' must be above 0, got " +
                                        formatFloat(delta));
  mlir::Value result = amp::HuberOp::create(
      e.emitter.builder, at, reduction, operands.left, operands.right, delta);
  return lossOf(e, call, result, reduction, operands);
}

/// A weight that broadcasts to the loss's operands, or none.
bool broadcastWeightArg(Elaborator &e, Call &call, size_t index, Location at,
                        const Elaborator::Operands &operands,
                        mlir::Value &weight) {
  if (call[index].isNone())
    return true;
  if (call[index].isNumber()) {
    weight =
        e.emitter.constant(at, operands.element, operands.shape, call[index]);
    return true;
  }
  const TensorData *tensor = nullptr;
  if (!e.floatTensorArg(call, index, tensor))
    return false;
  llvm::ArrayRef<int64_t> own = shapeOf(*tensor), whole = operands.shape;
  bool fits = own.size() <= whole.size();
  for (size_t i = 0; fits && i < own.size(); ++i) {
    int64_t extent = whole[whole.size() - own.size() + i];
    fits = own[i] == 1 || own[i] == extent;
  }
  if (!fits)
    return mustFit(e, call, index,
                   "one that broadcasts to " + typeText(operands.element,
                                                        operands.shape,
                                                        operands.axisNames));
  weight = e.emitter.broadcast(
      at, e.emitter.cast(at, tensor->value, operands.element), whole);
  return true;
}

/// bce_with_logits(x, y, weight = none, pos_weight = none, reduction): weights
/// broadcast to x, as in PyTorch.
Value bceWithLogits(Elaborator &e, Call &call) {
  amp::LossReduction reduction;
  Elaborator::Operands operands;
  mlir::Value weight, posWeight;
  Location at = e.location(call);
  if (!reductionArg(e, call, 4, reduction) || !pairArg(e, call, at, operands) ||
      !broadcastWeightArg(e, call, 2, at, operands, weight) ||
      !broadcastWeightArg(e, call, 3, at, operands, posWeight))
    return Value::poison();
  mlir::Value result = amp::BceWithLogitsOp::create(
      e.emitter.builder, at, reduction, operands.left, operands.right, weight,
      posWeight);
  return lossOf(e, call, result, reduction, operands);
}

} // namespace

llvm::ArrayRef<FunctionLine> lossFunctions() {
  static constexpr FunctionLine lines[] = {
      {"mse(x, y, reduction = \"mean\")", difference<amp::MseOp>,
       FunctionLine::Op},
      {"l1(x, y, reduction = \"mean\")", difference<amp::L1Op>,
       FunctionLine::Op},
      {"huber(x, y, delta = 1, reduction = \"mean\")", huber, FunctionLine::Op},
      {"bce_with_logits(x, y, weight = none, pos_weight = none, "
       "reduction = \"mean\")",
       bceWithLogits, FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
