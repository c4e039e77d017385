// Norms over the last axes: layer_norm, rms_norm.
#include "ir/frontend/model/functions/LayerParameters.h"

#include <limits>

using namespace mlir;

namespace ampc::model {
namespace {

/// The trailing axes that a norm takes: `normalized_shape` is their extents,
/// none the last axis.
struct Trailing {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;
};

bool trailingArg(Elaborator &e, Call &call, size_t index, const TensorData &x,
                 Trailing &trailing) {
  llvm::ArrayRef<int64_t> shape = shapeOf(x);
  if (shape.empty())
    return mustBe(e, call, 0, "a tensor of at least one axis");
  if (call[index].isNone())
    trailing.shape.push_back(shape.back());
  else if (!intsArg(e, call, index, trailing.shape))
    return false;
  size_t count = trailing.shape.size();
  if (count < 1 || count > shape.size() ||
      shape.take_back(count) != llvm::ArrayRef<int64_t>(trailing.shape)) {
    std::string text;
    for (int64_t extent : trailing.shape)
      text += (text.empty() ? "" : ", ") + std::to_string(extent);
    e.error(call.args[index].loc,
            "'" + call.name() + "': 'normalized_shape' [" + text +
                "] is not the end of the shape of " + namedTypeText(x));
    return false;
  }
  if (llvm::is_contained(trailing.shape, 0)) {
    e.error(call.expr->loc, "'" + call.name() + "' of no elements: a row of " +
                                namedTypeText(x) + " has an extent of 0");
    return false;
  }
  for (size_t i = shape.size() - count; i < shape.size(); ++i)
    trailing.names.push_back(axisName(x, i));
  return true;
}

/// A positive number that f32 holds as a normal one.
bool epsilonArg(Elaborator &e, Call &call, size_t index, double &eps) {
  if (!e.floatArg(call, index, eps))
    return false;
  if (eps >= 0x1p-126 && eps <= double(std::numeric_limits<float>::max()))
    return true;
  e.error(call.args[index].loc, "'" + call.name() +
                                    "': 'eps' must be at least 2^-126 and "
                                    "finite in f32, got " +
                                    formatFloat(eps));
  return false;
}

/// The value, cast to the type that it and the weights promote to: a float is
/// never narrowed here.
mlir::Value promoted(Elaborator &e, Location at, const TensorData &x,
                     std::initializer_list<const TensorData *> weights,
                     ElemType &element) {
  element = x.element;
  for (const TensorData *weight : weights)
    if (weight)
      element = promote(element, weight->element);
  return e.emitter.cast(at, x.value, element);
}

/// layer_norm(x, normalized_shape = none, eps = 1e-5, elementwise_affine =
/// true, bias = true).
Value layerNorm(Elaborator &e, Call &call) {
  enum { X, Shape, Eps, Affine, Bias, Weight };
  const TensorData *x = nullptr, *weight = nullptr, *bias = nullptr;
  Trailing trailing;
  double eps = 0;
  bool affine = false;
  if (!e.floatTensorArg(call, X, x) ||
      !trailingArg(e, call, Shape, *x, trailing) ||
      !epsilonArg(e, call, Eps, eps) || !e.boolArg(call, Affine, affine))
    return Value::poison();
  if (affine || call[Weight].isTensor()) {
    if (!weightArg(e, call, Weight, trailing.shape, trailing.names,
                   {amp::InitKind::ones, {}}, weight))
      return Value::poison();
  }
  if (affine || call[Bias].isTensor()) {
    if (!biasArg(e, call, Bias, trailing.shape, trailing.names,
                 {amp::InitKind::zeros, {}}, bias))
      return Value::poison();
  }
  Location at = e.location(call);
  ElemType element;
  mlir::Value input = promoted(e, at, *x, {weight, bias}, element);
  auto operand = [&](const TensorData *tensor) {
    return tensor ? e.emitter.cast(at, tensor->value, element) : mlir::Value();
  };
  auto norm = amp::LayerNormOp::create(e.emitter.builder, at, input,
                                       operand(weight), operand(bias),
                                       int64_t(trailing.shape.size()), eps);
  return e.tensor(norm.getResult(), element, call.expr->loc, x->axisNames);
}

/// rms_norm(x, normalized_shape = none, eps = none, elementwise_affine = true);
/// eps is 2^-23 by default, f32's epsilon.
Value rmsNorm(Elaborator &e, Call &call) {
  enum { X, Shape, Eps, Affine, Weight };
  const TensorData *x = nullptr, *weight = nullptr;
  Trailing trailing;
  double eps = 0x1p-23;
  bool affine = false;
  if (!e.floatTensorArg(call, X, x) ||
      !trailingArg(e, call, Shape, *x, trailing) ||
      (!call[Eps].isNone() && !epsilonArg(e, call, Eps, eps)) ||
      !e.boolArg(call, Affine, affine))
    return Value::poison();
  if (affine || call[Weight].isTensor()) {
    if (!weightArg(e, call, Weight, trailing.shape, trailing.names,
                   {amp::InitKind::ones, {}}, weight))
      return Value::poison();
  }
  Location at = e.location(call);
  ElemType element;
  mlir::Value input = promoted(e, at, *x, {weight}, element);
  auto norm = amp::RmsNormOp::create(
      e.emitter.builder, at, input,
      weight ? e.emitter.cast(at, weight->value, element) : mlir::Value(),
      int64_t(trailing.shape.size()), eps);
  return e.tensor(norm.getResult(), element, call.expr->loc, x->axisNames);
}

} // namespace

llvm::ArrayRef<FunctionLine> normFunctions() {
  static constexpr FunctionLine lines[] = {
      {"layer_norm(x, normalized_shape = none, eps = 1e-5, "
       "elementwise_affine = true, bias = true, weight = none)",
       layerNorm, FunctionLine::Layer},
      {"rms_norm(x, normalized_shape = none, eps = none, "
       "elementwise_affine = true, weight = none)",
       rmsNorm, FunctionLine::Layer},
  };
  return lines;
}

} // namespace ampc::model
