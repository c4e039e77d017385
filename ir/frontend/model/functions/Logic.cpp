// Choices and marks of the graph: logical_and and kin, where, cast, detach,
// if_training.
#include "ir/frontend/model/functions/Support.h"

#include <cmath>

using namespace mlir;

namespace ampc::model {
namespace {

/// A compile-time bool or number, or a tensor, as a truth value: whether it is
/// not 0.
bool truthArg(Elaborator &e, Call &call, size_t index, Value &truth) {
  const Value &value = call[index];
  if (value.isTensor()) {
    const TensorData &x = value.asTensor();
    truth = e.tensor(e.emitter.cast(e.location(call), x.value, ElemType::Bool),
                     ElemType::Bool, x.origin, x.axisNames);
    return true;
  }
  truth = value;
  bool known = false;
  return e.boolArg(call, index, known);
}

/// logical_and(a, b), logical_or, logical_xor.
template <typename Op, bool (*f)(bool, bool)>
Value logical(Elaborator &e, Call &call) {
  Value a, b;
  if (!truthArg(e, call, 0, a) || !truthArg(e, call, 1, b))
    return Value::poison();
  if (!a.isTensor() && !b.isTensor())
    return Value::of(f(a.asBool(), b.asBool()));
  Elaborator::Operands operands;
  Location loc = e.location(call);
  if (!e.prepareOperands(call.name(), a, b, call.expr->loc, loc,
                         /*floats=*/false, operands))
    return Value::poison();
  return e.tensor(
      Op::create(e.emitter.builder, loc, operands.left, operands.right),
      ElemType::Bool, call.expr->loc, operands.axisNames);
}

Value logicalNot(Elaborator &e, Call &call) {
  Value a;
  if (!truthArg(e, call, 0, a))
    return a;
  if (!a.isTensor())
    return Value::of(!a.asBool());
  return e.tensor(amp::NotOp::create(e.emitter.builder, e.location(call),
                                     a.asTensor().value),
                  ElemType::Bool, call.expr->loc, a.asTensor().axisNames);
}

/// where(cond, a, b).
Value where(Elaborator &e, Call &call) {
  const TensorData *cond = nullptr;
  if (!call[0].isTensor() || call[0].asTensor().element != ElemType::Bool)
    return mustBe(e, call, 0, "a bool tensor"), Value::poison();
  cond = &call[0].asTensor();
  Location loc = e.location(call);
  Value a = call[1], b = call[2];
  if (!a.isTensor() && !b.isTensor()) {
    // Two numbers: a scalar tensor of one gives the type.
    if ((!a.isNumber() && !a.is(ValueKind::Bool)) ||
        (!b.isNumber() && !b.is(ValueKind::Bool)))
      return e.fail(call.expr->loc, "'where' does not take " + a.describe() +
                                        " and " + b.describe());
    ElemType element =
        a.is(ValueKind::Float) || b.is(ValueKind::Float) ? ElemType::F32
        : a.is(ValueKind::Int) || b.is(ValueKind::Int)   ? ElemType::I64
                                                         : ElemType::Bool;
    a = e.tensor(e.emitter.constant(loc, element, {}, a), element,
                 call.expr->loc);
  }
  Elaborator::Operands operands;
  if (!e.prepareOperands(call.name(), a, b, call.expr->loc, loc,
                         /*floats=*/false, operands))
    return Value::poison();
  // The condition takes part in the broadcast.
  mlir::Value left = operands.left;
  TensorData joined{left, operands.element, call.expr->loc, operands.axisNames};
  Elaborator::Operands whole;
  if (!e.broadcastShapes(call.name(), *cond, joined, call.expr->loc, whole))
    return Value::poison();
  mlir::Value onTrue = e.emitter.broadcast(loc, left, whole.shape);
  mlir::Value onFalse = e.emitter.broadcast(loc, operands.right, whole.shape);
  mlir::Value condition = e.emitter.broadcast(loc, cond->value, whole.shape);
  mlir::Value result = amp::SelectOp::create(
      e.emitter.builder, loc, onTrue.getType(), condition, onTrue, onFalse);
  if (operands.narrow)
    result = e.emitter.cast(loc, result, *operands.narrow);
  return e.tensor(result, operands.narrow.value_or(operands.element),
                  call.expr->loc, whole.axisNames);
}

bool isF8(ElemType element) {
  return element == ElemType::F8E4M3 || element == ElemType::F8E5M2;
}

/// cast(x, dtype, scale): to or from a tensor of 8-bit floats that holds its
/// numbers times `scale`.
Value scaledCast(Elaborator &e, Call &call, const TensorData &x,
                 ElemType element) {
  double scale = 0;
  if (!e.floatArg(call, 2, scale))
    return Value::poison();
  if (!isFloat(x.element) || !isFloat(element) ||
      isF8(x.element) == isF8(element))
    return e.fail(call.args[2].loc,
                  "'scale' is for casts between f8e4m3 or f8e5m2 and wider "
                  "floats, got " +
                      typeText(x) + " to " + typeText(element, shapeOf(x)));
  if (!std::isnormal(static_cast<float>(scale)) || scale < 0)
    return e.fail(call.args[2].loc,
                  "'scale' must be a normal f32 number above 0, got " +
                      formatFloat(scale));
  OpBuilder &builder = e.emitter.builder;
  auto from = mlir::cast<RankedTensorType>(x.value.getType());
  auto to =
      RankedTensorType::get(from.getShape(), e.emitter.elementType(element));
  return e.tensor(amp::ScaledCastOp::create(
                      builder, e.location(call), to, x.value,
                      builder.getF32FloatAttr(static_cast<float>(scale))),
                  element, call.expr->loc, x.axisNames);
}

Value cast(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  if (!e.tensorArg(call, 0, x))
    return Value::poison();
  if (!call[1].is(ValueKind::ElemType))
    return e.fail(call.args[1].loc,
                  "expected an element type, got " + call[1].describe());
  ElemType element = call[1].asElemType();
  if (!call[2].isNone())
    return scaledCast(e, call, *x, element);
  return e.tensor(e.emitter.cast(e.location(call), x->value, element), element,
                  call.expr->loc, x->axisNames);
}

Value detach(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  if (!e.tensorArg(call, 0, x))
    return Value::poison();
  return e.tensor(
      amp::DetachOp::create(e.emitter.builder, e.location(call), x->value),
      x->element, call.expr->loc, x->axisNames);
}

/// if_training(a, b): both of one type.
Value ifTraining(Elaborator &e, Call &call) {
  const TensorData *a = nullptr, *b = nullptr;
  if (!e.tensorArg(call, 0, a) || !e.tensorArg(call, 1, b))
    return Value::poison();
  if (a->value.getType() != b->value.getType()) {
    e.error(call.expr->loc, "'if_training' takes tensors of one type, got " +
                                namedTypeText(*a) + " and " + namedTypeText(*b))
        .note(b->origin, namedTypeText(*b) + " is made here");
    return Value::poison();
  }
  return e.tensor(amp::IfTrainingOp::create(e.emitter.builder, e.location(call),
                                            a->value, b->value),
                  a->element, call.expr->loc, a->axisNames);
}

bool conjunction(bool a, bool b) { return a && b; }
bool disjunction(bool a, bool b) { return a || b; }
bool difference(bool a, bool b) { return a != b; }

} // namespace

llvm::ArrayRef<FunctionLine> logicFunctions() {
  static constexpr FunctionLine lines[] = {
      {"logical_and(a, b)", logical<amp::AndOp, conjunction>, FunctionLine::Op},
      {"logical_or(a, b)", logical<amp::OrOp, disjunction>, FunctionLine::Op},
      {"logical_xor(a, b)", logical<amp::XorOp, difference>, FunctionLine::Op},
      {"logical_not(a)", logicalNot, FunctionLine::Op},
      {"where(cond, a, b)", where, FunctionLine::Op},
      {"cast(x, dtype, scale = none)", cast, FunctionLine::Op},
      {"detach(x)", detach, FunctionLine::Op},
      {"if_training(a, b)", ifTraining, FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
