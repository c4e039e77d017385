// Activations: relu, sigmoid, tanh, silu, gelu, softplus, softmax, log_softmax.
// Those of one number are evaluated in f64 on compile-time numbers.
#include "ir/frontend/model/functions/Support.h"

#include <cmath>

using namespace mlir;

namespace ampc::model {
namespace {

double rectified(double x) { return x > 0 || std::isnan(x) ? x : 0.0; }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double hyperbolicTangent(double x) { return std::tanh(x); }
double swish(double x) { return x / (1 + std::exp(-x)); }

/// An activation without arguments; `integers` become f32 where it takes them.
template <typename Op, double (*f)(double), bool integers>
Value activation(Elaborator &e, Call &call) {
  if (!call[0].isTensor()) {
    double x = 0;
    return e.floatArg(call, 0, x)
               ? e.checked(checkedFloat(f(x)), call.expr->loc)
               : Value::poison();
  }
  const TensorData *x = nullptr;
  if (!(integers ? e.tensorArg(call, 0, x) : e.floatTensorArg(call, 0, x)))
    return Value::poison();
  ElemType element = isFloat(x->element) ? x->element : ElemType::F32;
  Location loc = e.location(call);
  mlir::Value input = e.emitter.cast(loc, x->value, element);
  return e.tensor(Op::create(e.emitter.builder, loc, input), element,
                  call.expr->loc, x->axisNames);
}

/// gelu(x, approximate = "none" or "tanh").
Value gelu(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  llvm::StringRef word;
  if (!e.floatTensorArg(call, 0, x) || !e.stringArg(call, 1, word))
    return Value::poison();
  std::optional<amp::GeluApproximation> approximate =
      amp::symbolizeGeluApproximation(word);
  if (!approximate)
    return e.fail(call.args[1].loc, "'gelu': 'approximate' must be \"none\" or "
                                    "\"tanh\", got \"" +
                                        word + "\"");
  return e.tensor(amp::GeluOp::create(e.emitter.builder, e.location(call),
                                      x->value.getType(), x->value,
                                      *approximate),
                  x->element, call.expr->loc, x->axisNames);
}

/// softplus(x, beta = 1, threshold = 20).
Value softplus(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  double beta = 0, threshold = 0;
  if (!e.floatTensorArg(call, 0, x) || !e.floatArg(call, 1, beta) ||
      !e.floatArg(call, 2, threshold))
    return Value::poison();
  if (!(float(beta) > 0) || std::isinf(float(beta)))
    return e.fail(call.args[1].loc, "'softplus': 'beta' must be above 0 and "
                                    "finite in f32, got " +
                                        formatFloat(beta));
  OpBuilder &builder = e.emitter.builder;
  return e.tensor(amp::SoftplusOp::create(builder, e.location(call),
                                          x->value.getType(), x->value,
                                          builder.getF64FloatAttr(beta),
                                          builder.getF64FloatAttr(threshold)),
                  x->element, call.expr->loc, x->axisNames);
}

/// softmax(x, axis = -1) and log_softmax: the ops take the last axis.
template <typename Op>
Value alongAxis(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  int64_t axis = 0;
  if (!e.floatTensorArg(call, 0, x) || !axisArg(e, call, 1, *x, axis))
    return Value::poison();
  Location loc = e.location(call);
  llvm::SmallVector<int64_t> order = axisLast(shapeOf(*x).size(), axis);
  mlir::Value input = permuted(e, loc, x->value, order);
  mlir::Value result = Op::create(e.emitter.builder, loc, input);
  return e.tensor(permuted(e, loc, result, inverseOrder(order)), x->element,
                  call.expr->loc, x->axisNames);
}

} // namespace

llvm::ArrayRef<FunctionLine> activationFunctions() {
  static constexpr FunctionLine lines[] = {
      {"relu(x)", activation<amp::ReluOp, rectified, false>, FunctionLine::Op},
      {"sigmoid(x)", activation<amp::SigmoidOp, logistic, true>,
       FunctionLine::Op},
      {"tanh(x)", activation<amp::TanhOp, hyperbolicTangent, true>,
       FunctionLine::Op},
      {"silu(x)", activation<amp::SiluOp, swish, false>, FunctionLine::Op},
      {"gelu(x, approximate = \"none\")", gelu, FunctionLine::Op},
      {"softplus(x, beta = 1, threshold = 20)", softplus, FunctionLine::Op},
      {"softmax(x, axis = -1)", alongAxis<amp::SoftmaxOp>, FunctionLine::Op},
      {"log_softmax(x, axis = -1)", alongAxis<amp::LogSoftmaxOp>,
       FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
