// Scalar maps. With compile-time arguments they are evaluated in f64 (maximum
// and minimum of ints in i64); on tensors they become ops, where there is one.
#include "ir/frontend/model/Elaborator.h"

#include <cmath>

using namespace mlir;

namespace ampc::model {
namespace {

/// f(x) of a compile-time number.
Value onNumber(Elaborator &e, Call &call, double (*f)(double)) {
  double x = 0;
  if (!e.floatArg(call, 0, x))
    return Value::poison();
  return e.checked(checkedFloat(f(x)), call.expr->loc);
}

/// A function that is one op on float tensors. Integer tensors become f32, as
/// in PyTorch.
template <typename Op>
Value unaryOp(Elaborator &e, Call &call, double (*f)(double)) {
  if (!call[0].isTensor())
    return onNumber(e, call, f);
  const TensorData &x = call[0].asTensor();
  ElemType element = isFloat(x.element) ? x.element : ElemType::F32;
  Location loc = e.location(call);
  mlir::Value input = e.emitter.cast(loc, x.value, element);
  return e.tensor(Op::create(e.emitter.builder, loc, input), element,
                  call.expr->loc, x.axisNames);
}

Value exp(Elaborator &e, Call &call) {
  return unaryOp<amp::ExpOp>(e, call, std::exp);
}
Value sqrt(Elaborator &e, Call &call) {
  return unaryOp<amp::SqrtOp>(e, call, std::sqrt);
}

Value relu(Elaborator &e, Call &call) {
  if (!call[0].isTensor())
    return onNumber(e, call,
                    [](double x) { return x > 0 || std::isnan(x) ? x : 0.0; });
  const TensorData *x = nullptr;
  if (!e.floatTensorArg(call, 0, x))
    return Value::poison();
  return e.tensor(
      amp::ReluOp::create(e.emitter.builder, e.location(call), x->value),
      x->element, call.expr->loc, x->axisNames);
}

/// A function that has no op on tensors yet.
template <double (*f)(double)>
Value numberOnly(Elaborator &e, Call &call) {
  if (call[0].isTensor())
    return e.unavailable(call.expr->loc, call.name().str() + " of a tensor");
  return onNumber(e, call, f);
}

double reciprocalSqrt(double x) { return 1 / std::sqrt(x); }
double reciprocalOf(double x) { return 1 / x; }
double squareOf(double x) { return x * x; }
double signOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double logOf(double x) { return std::log(x); }
double absOf(double x) { return std::abs(x); }
double floorOf(double x) { return std::floor(x); }
double erfOf(double x) { return std::erf(x); }
double sinOf(double x) { return std::sin(x); }
double cosOf(double x) { return std::cos(x); }

Value power(Elaborator &e, Call &call) {
  if (call[0].isTensor() || call[1].isTensor())
    return e.unavailable(call.expr->loc, "pow of a tensor");
  return e.checked(computeBinary(Tok::StarStar, call[0], call[1]),
                   call.expr->loc);
}

/// maximum(a, b), minimum(a, b).
template <typename Op, bool larger>
Value extremum(Elaborator &e, Call &call) {
  const Value &a = call[0], &b = call[1];
  if (a.isTensor() || b.isTensor()) {
    Elaborator::Operands operands;
    Location loc = e.location(call);
    if (!e.prepareOperands(call.name(), a, b, call.expr->loc, loc,
                           /*floats=*/false, operands))
      return Value::poison();
    if (operands.element == ElemType::Bool)
      return e.fail(call.expr->loc,
                    "'" + call.name() +
                        "' takes numbers, got two bool tensors");
    mlir::Value result =
        Op::create(e.emitter.builder, loc, operands.left, operands.right);
    if (operands.narrow)
      result = e.emitter.cast(loc, result, *operands.narrow);
    return e.tensor(result, operands.narrow.value_or(operands.element),
                    call.expr->loc, operands.axisNames);
  }
  for (size_t i : {0, 1})
    if (double number; !e.floatArg(call, i, number))
      return Value::poison();
  if (a.is(ValueKind::Int) && b.is(ValueKind::Int))
    return Value::of(larger ? std::max(a.asInt(), b.asInt())
                            : std::min(a.asInt(), b.asInt()));
  return Value::of(larger ? std::max(a.asFloat(), b.asFloat())
                          : std::min(a.asFloat(), b.asFloat()));
}

/// where(cond, a, b).
Value where(Elaborator &e, Call &call) {
  const TensorData *cond = nullptr;
  if (!e.tensorArg(call, 0, cond))
    return Value::poison();
  if (cond->element != ElemType::Bool)
    return e.fail(call.args[0].loc,
                  "'where': 'cond' must be a bool tensor, got " +
                      typeText(*cond));
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

Value cast(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  if (!e.tensorArg(call, 0, x))
    return Value::poison();
  if (!call[1].is(ValueKind::ElemType))
    return e.fail(call.args[1].loc,
                  "expected an element type, got " + call[1].describe());
  ElemType element = call[1].asElemType();
  return e.tensor(e.emitter.cast(e.location(call), x->value, element), element,
                  call.expr->loc, x->axisNames);
}

} // namespace

llvm::ArrayRef<FunctionLine> elementwiseFunctions() {
  static constexpr FunctionLine lines[] = {
      {"exp(x)", exp, FunctionLine::Op},
      {"sqrt(x)", sqrt, FunctionLine::Op},
      {"relu(x)", relu, FunctionLine::Op},
      {"maximum(a, b)", extremum<amp::MaximumOp, true>, FunctionLine::Op},
      {"minimum(a, b)", extremum<amp::MinimumOp, false>, FunctionLine::Op},
      {"where(cond, a, b)", where, FunctionLine::Op},
      {"cast(x, dtype)", cast, FunctionLine::Op},
      {"log(x)", numberOnly<logOf>, FunctionLine::Op},
      {"rsqrt(x)", numberOnly<reciprocalSqrt>, FunctionLine::Op},
      {"abs(x)", numberOnly<absOf>, FunctionLine::Op},
      {"sign(x)", numberOnly<signOf>, FunctionLine::Op},
      {"floor(x)", numberOnly<floorOf>, FunctionLine::Op},
      {"erf(x)", numberOnly<erfOf>, FunctionLine::Op},
      {"reciprocal(x)", numberOnly<reciprocalOf>, FunctionLine::Op},
      {"square(x)", numberOnly<squareOf>, FunctionLine::Op},
      {"sin(x)", numberOnly<sinOf>, FunctionLine::Op},
      {"cos(x)", numberOnly<cosOf>, FunctionLine::Op},
      {"pow(x, y)", power, FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
