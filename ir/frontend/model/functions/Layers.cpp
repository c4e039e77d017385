// Layers: functions that own parameters. Layouts and initialisers are
// PyTorch's.
#include "ir/frontend/model/Elaborator.h"

#include <cmath>

using namespace mlir;

namespace ampc::model {
namespace {

/// linear(x [.., in], out_features) -> [.., out]; weight [out, in], bias [out],
/// both uniform in
/// +-1/sqrt(in), which is what torch.nn.Linear's kaiming_uniform(a = sqrt(5))
/// comes to.
Value linear(Elaborator &e, Call &call) {
  enum { X, OutFeatures, Bias, Weight };
  const TensorData *x = nullptr;
  if (!e.floatTensorArg(call, X, x))
    return Value::poison();
  llvm::ArrayRef<int64_t> shape = shapeOf(*x);
  if (shape.empty())
    return e.fail(call.args[X].loc,
                  "'linear': 'x' must have an axis, got " + typeText(*x));
  int64_t in = shape.back();
  Loc loc = call.expr->loc;

  const TensorData *weight = nullptr;
  int64_t out = 0;
  llvm::StringRef outName = call[OutFeatures].dimName();
  if (!call[OutFeatures].isNone()) {
    if (!e.intArg(call, OutFeatures, out))
      return Value::poison();
    if (out < 1)
      return e.fail(call.args[OutFeatures].loc,
                    "'linear': 'out_features' must be at least 1, got " +
                        llvm::Twine(out));
  }
  if (!call[Weight].isNone()) {
    if (!e.floatTensorArg(call, Weight, weight))
      return Value::poison();
    llvm::ArrayRef<int64_t> tied = shapeOf(*weight);
    if (tied.size() != 2 || tied[1] != in || (out && tied[0] != out)) {
      e.error(call.args[Weight].loc,
              "'linear': 'weight' must be [" +
                  (out ? std::to_string(out) : "out_features") + ", " +
                  llvm::Twine(in) + "], got " + typeText(*weight))
          .note(weight->origin, "the weight is made here");
      return Value::poison();
    }
    out = tied[0];
    e.alias(call.path + ".weight", *weight, loc);
  } else if (call[OutFeatures].isNone()) {
    return e.fail(loc, "argument 'out_features' of 'linear' is missing");
  }

  // No input feature: nothing to draw for.
  Elaborator::Start start;
  if (in > 0) {
    double bound = 1 / std::sqrt(double(in));
    start = {amp::InitKind::uniform, {-bound, bound}};
  }
  if (!weight) {
    llvm::StringRef inName =
        x->axisNames.empty() ? llvm::StringRef() : x->axisNames.back();
    Value made = e.parameter(call.path + ".weight", {out, in},
                             {outName, inName}, start, call.again, loc);
    if (made.isPoison())
      return made;
    weight = &made.asTensor();
  }
  const TensorData *bias = nullptr;
  if (call[Bias].isTensor()) {
    if (!e.floatTensorArg(call, Bias, bias))
      return Value::poison();
    if (shapeOf(*bias) != llvm::ArrayRef<int64_t>(out)) {
      e.error(call.args[Bias].loc, "'linear': 'bias' must be [" +
                                       llvm::Twine(out) + "], got " +
                                       typeText(*bias))
          .note(bias->origin, "the bias is made here");
      return Value::poison();
    }
    e.alias(call.path + ".bias", *bias, loc);
  } else {
    bool hasBias = false;
    if (!e.boolArg(call, Bias, hasBias))
      return Value::poison();
    if (hasBias) {
      Value made = e.parameter(call.path + ".bias", {out}, {outName}, start,
                               call.again, loc);
      if (made.isPoison())
        return made;
      bias = &made.asTensor();
    }
  }

  // Operands of one type: the widest of them (a float is never narrowed here).
  ElemType element = x->element;
  for (const TensorData *operand : {weight, bias})
    if (operand && operand->element != element)
      element = element == ElemType::F64 || operand->element == ElemType::F64
                    ? ElemType::F64
                    : ElemType::F32;
  llvm::SmallVector<int64_t> result(shape);
  result.back() = out;
  if (!e.checkShape(result, element, loc))
    return Value::poison();
  llvm::SmallVector<llvm::StringRef> names(x->axisNames);
  names.resize(result.size());
  names.back() = outName;
  Location at = e.location(call);
  mlir::Value value = amp::LinearOp::create(
      e.emitter.builder, at, e.emitter.cast(at, x->value, element),
      e.emitter.cast(at, weight->value, element),
      bias ? e.emitter.cast(at, bias->value, element) : mlir::Value());
  return e.tensor(value, element, loc, names);
}

} // namespace

llvm::ArrayRef<FunctionLine> layerFunctions() {
  static constexpr FunctionLine lines[] = {
      {"linear(x, out_features = none, bias = true, weight = none)", linear,
       FunctionLine::Layer},
  };
  return lines;
}

} // namespace ampc::model
