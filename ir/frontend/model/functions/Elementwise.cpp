// Arithmetic, one value an element. With compile-time arguments it is evaluated
// in f64, or in i64 where all are ints; on tensors it becomes ops.
#include "ir/frontend/model/functions/Support.h"

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

/// A function of a float. Integer and bool tensors become f32, as in PyTorch.
template <typename Op, double (*f)(double)>
Value floatMap(Elaborator &e, Call &call) {
  if (!call[0].isTensor())
    return onNumber(e, call, f);
  const TensorData &x = call[0].asTensor();
  ElemType element = isFloat(x.element) ? x.element : ElemType::F32;
  Location loc = e.location(call);
  mlir::Value input = e.emitter.cast(loc, x.value, element);
  return e.tensor(Op::create(e.emitter.builder, loc, input), element,
                  call.expr->loc, x.axisNames);
}

/// A tensor of integers or floats.
bool numberTensorArg(Elaborator &e, Call &call, const TensorData *&x) {
  if (!call[0].isTensor() || call[0].asTensor().element == ElemType::Bool)
    return mustBe(e, call, 0, "a tensor of numbers");
  x = &call[0].asTensor();
  return true;
}

Value abs(Elaborator &e, Call &call) {
  if (call[0].is(ValueKind::Int))
    return call[0].asInt() < 0
               ? e.checked(computeNegation(call[0]), call.expr->loc)
               : Value::of(call[0].asInt());
  if (!call[0].isTensor())
    return onNumber(e, call, [](double x) { return std::abs(x); });
  const TensorData *x = nullptr;
  if (!numberTensorArg(e, call, x))
    return Value::poison();
  return e.tensor(
      amp::AbsOp::create(e.emitter.builder, e.location(call), x->value),
      x->element, call.expr->loc, x->axisNames);
}

Value sign(Elaborator &e, Call &call) {
  if (call[0].is(ValueKind::Int))
    return Value::of(int64_t(call[0].asInt() > 0) -
                     int64_t(call[0].asInt() < 0));
  if (!call[0].isTensor())
    return onNumber(e, call, [](double x) {
      return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
    });
  const TensorData *x = nullptr;
  if (!numberTensorArg(e, call, x))
    return Value::poison();
  return e.tensor(
      amp::SignOp::create(e.emitter.builder, e.location(call), x->value),
      x->element, call.expr->loc, x->axisNames);
}

/// floor(x): integers are what they are.
Value floor(Elaborator &e, Call &call) {
  if (call[0].is(ValueKind::Int))
    return Value::of(call[0].asInt());
  if (!call[0].isTensor())
    return onNumber(e, call, [](double x) { return std::floor(x); });
  const TensorData *x = nullptr;
  if (!numberTensorArg(e, call, x))
    return Value::poison();
  mlir::Value result = x->value;
  if (isFloat(x->element))
    result = amp::FloorOp::create(e.emitter.builder, e.location(call), result);
  return e.tensor(result, x->element, call.expr->loc, x->axisNames);
}

Value square(Elaborator &e, Call &call) {
  if (!call[0].isTensor())
    return e.checked(computeBinary(Tok::Star, call[0], call[0]),
                     call.expr->loc);
  const TensorData *x = nullptr;
  if (!numberTensorArg(e, call, x))
    return Value::poison();
  return e.tensor(amp::MulOp::create(e.emitter.builder, e.location(call),
                                     x->value, x->value),
                  x->element, call.expr->loc, x->axisNames);
}

Value reciprocal(Elaborator &e, Call &call) {
  Value one = Value::of(1.0);
  if (!call[0].isTensor())
    return e.checked(computeBinary(Tok::Slash, one, call[0]), call.expr->loc);
  Elaborator::Operands operands;
  Location loc = e.location(call);
  if (!e.prepareOperands(call.name(), one, call[0], call.expr->loc, loc,
                         /*floats=*/true, operands))
    return Value::poison();
  return e.tensor(
      amp::DivOp::create(e.emitter.builder, loc, operands.left, operands.right),
      operands.element, call.expr->loc, operands.axisNames);
}

Value pow(Elaborator &e, Call &call) {
  if (!call[0].isTensor() && !call[1].isTensor())
    return e.checked(computeBinary(Tok::StarStar, call[0], call[1]),
                     call.expr->loc);
  return e.tensorPower(call[0], call[1], call.expr->loc, e.location(call));
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

/// clip(x, min = none, max = none): a float bound makes an integer tensor f32.
/// Where min is above max the result is max, as in PyTorch.
Value clip(Elaborator &e, Call &call) {
  enum { X, Min, Max };
  std::optional<double> min, max;
  for (auto [index, bound] :
       {std::pair(size_t(Min), &min), std::pair(size_t(Max), &max)})
    if (!call[index].isNone() && !e.floatArg(call, index, bound->emplace()))
      return Value::poison();
  if (!min && !max)
    return e.fail(call.expr->loc, "'clip' needs 'min', 'max' or both");
  if (!call[X].isTensor()) {
    Value result = call[X];
    if (double number; !e.floatArg(call, X, number))
      return Value::poison();
    if (min && result.asFloat() < *min)
      result = call[Min];
    if (max && result.asFloat() > *max)
      result = call[Max];
    return result;
  }
  const TensorData *x = nullptr;
  if (!numberTensorArg(e, call, x))
    return Value::poison();
  ElemType element = x->element;
  for (size_t index : {Min, Max}) {
    const Value &bound = call[index];
    if (bound.is(ValueKind::Float) && !isFloat(element))
      element = ElemType::F32;
    // The op holds its bounds in f64.
    bool exact = !bound.is(ValueKind::Int) || isFloat(element) ||
                 std::abs(bound.asInt()) <= int64_t(1) << 53;
    if (!bound.isNone() && (!fits(e, bound, element) || !exact))
      return e.fail(call.args[index].loc,
                    "'clip': '" + call.function->formals[index].name +
                        "' does not fit in " + elemTypeName(element));
  }
  Location loc = e.location(call);
  OpBuilder &builder = e.emitter.builder;
  auto attribute = [&](std::optional<double> bound) {
    return bound ? builder.getF64FloatAttr(*bound) : FloatAttr();
  };
  mlir::Value input = e.emitter.cast(loc, x->value, element);
  return e.tensor(amp::ClipOp::create(builder, loc, input.getType(), input,
                                      attribute(min), attribute(max)),
                  element, call.expr->loc, x->axisNames);
}

double exponential(double x) { return std::exp(x); }
double logarithm(double x) { return std::log(x); }
double root(double x) { return std::sqrt(x); }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double errorFunction(double x) { return std::erf(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }

} // namespace

llvm::ArrayRef<FunctionLine> elementwiseFunctions() {
  static constexpr FunctionLine lines[] = {
      {"exp(x)", floatMap<amp::ExpOp, exponential>, FunctionLine::Op},
      {"log(x)", floatMap<amp::LogOp, logarithm>, FunctionLine::Op},
      {"sqrt(x)", floatMap<amp::SqrtOp, root>, FunctionLine::Op},
      {"rsqrt(x)", floatMap<amp::RsqrtOp, reciprocalRoot>, FunctionLine::Op},
      {"erf(x)", floatMap<amp::ErfOp, errorFunction>, FunctionLine::Op},
      {"sin(x)", floatMap<amp::SinOp, sine>, FunctionLine::Op},
      {"cos(x)", floatMap<amp::CosOp, cosine>, FunctionLine::Op},
      {"abs(x)", abs, FunctionLine::Op},
      {"sign(x)", sign, FunctionLine::Op},
      {"floor(x)", floor, FunctionLine::Op},
      {"square(x)", square, FunctionLine::Op},
      {"reciprocal(x)", reciprocal, FunctionLine::Op},
      {"pow(x, y)", pow, FunctionLine::Op},
      {"maximum(a, b)", extremum<amp::MaximumOp, true>, FunctionLine::Op},
      {"minimum(a, b)", extremum<amp::MinimumOp, false>, FunctionLine::Op},
      {"clip(x, min = none, max = none)", clip, FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
