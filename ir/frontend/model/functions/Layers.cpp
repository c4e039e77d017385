// Layers that map features: linear, embedding. Layouts and initialisers are
// PyTorch's.
#include "ir/frontend/model/functions/LayerParameters.h"

#include <cmath>

using namespace mlir;

namespace ampc::model {
namespace {

/// An extent of a layer: a positive int, or none if `optional`.
bool extentArg(Elaborator &e, Call &call, size_t index, bool optional,
               int64_t &extent) {
  extent = 0;
  if (call[index].isNone()) {
    if (optional)
      return true;
    e.error(call.expr->loc, "argument '" + call.function->formals[index].name +
                                "' of '" + call.name() + "' is missing");
    return false;
  }
  if (!e.intArg(call, index, extent))
    return false;
  if (extent >= 1)
    return true;
  e.error(call.args[index].loc,
          "'" + call.name() + "': '" + call.function->formals[index].name +
              "' must be at least 1, got " + llvm::Twine(extent));
  return false;
}

/// linear(x [.., in], out_features) -> [.., out]; weight [out, in], bias [out],
/// both uniform in +-1/sqrt(in), which is what torch.nn.Linear's
/// kaiming_uniform(a = sqrt(5)) comes to.
Value linear(Elaborator &e, Call &call) {
  enum { X, OutFeatures, Bias, Weight };
  const TensorData *x = nullptr;
  int64_t out = 0;
  bool tied = !call[Weight].isNone();
  if (!e.floatTensorArg(call, X, x))
    return Value::poison();
  llvm::ArrayRef<int64_t> shape = shapeOf(*x);
  if (shape.empty())
    return e.fail(call.args[X].loc,
                  "'linear': 'x' must have an axis, got " + typeText(*x));
  if (!extentArg(e, call, OutFeatures, /*optional=*/tied, out))
    return Value::poison();
  int64_t in = shape.back();
  llvm::StringRef inName = axisName(*x, shape.size() - 1);
  llvm::StringRef outName = call[OutFeatures].dimName();
  if (tied && out == 0 && call[Weight].isTensor() &&
      shapeOf(call[Weight].asTensor()).size() == 2) {
    out = shapeOf(call[Weight].asTensor())[0];
    outName = axisName(call[Weight].asTensor(), 0);
  }

  // No input feature: nothing to draw for.
  Elaborator::Start start;
  if (in > 0) {
    double bound = 1 / std::sqrt(double(in));
    start = {amp::InitKind::uniform, {-bound, bound}};
  }
  const TensorData *weight = nullptr, *bias = nullptr;
  if (!weightArg(e, call, Weight, {out, in}, {outName, inName}, start,
                 weight) ||
      !biasArg(e, call, Bias, {out}, {outName}, start, bias))
    return Value::poison();

  // Operands of one type: the widest of them (a float is never narrowed here).
  ElemType element = promote(x->element, weight->element);
  if (bias)
    element = promote(element, bias->element);
  llvm::SmallVector<int64_t> result(shape);
  result.back() = out;
  Loc loc = call.expr->loc;
  if (!e.checkShape(result, element, loc))
    return Value::poison();
  llvm::SmallVector<llvm::StringRef> names = axisNames(*x);
  names.back() = outName;
  Location at = e.location(call);
  mlir::Value value = amp::LinearOp::create(
      e.emitter.builder, at, e.emitter.cast(at, x->value, element),
      e.emitter.cast(at, weight->value, element),
      bias ? e.emitter.cast(at, bias->value, element) : mlir::Value());
  return e.tensor(value, element, loc, names);
}

/// embedding(ids, num_embeddings, embedding_dim, padding_idx) -> ids + [dim]:
/// rows of weight [num, dim], which starts normal(0, 1) with zeros in the row
/// `padding_idx`; that row gets no gradient.
Value embedding(Elaborator &e, Call &call) {
  enum { Ids, Num, Dim, Padding, Weight };
  const TensorData *ids = nullptr, *weight = nullptr;
  Location at = e.location(call);
  mlir::Value indices;
  bool tied = !call[Weight].isNone();
  int64_t num = 0, dim = 0;
  if (!indexArg(e, call, Ids, at, ids, indices) ||
      !extentArg(e, call, Num, /*optional=*/tied, num) ||
      !extentArg(e, call, Dim, /*optional=*/tied, dim))
    return Value::poison();
  if (tied && call[Weight].isTensor() &&
      shapeOf(call[Weight].asTensor()).size() == 2) {
    llvm::ArrayRef<int64_t> shape = shapeOf(call[Weight].asTensor());
    num = num ? num : shape[0];
    dim = dim ? dim : shape[1];
  }
  std::optional<int64_t> padding;
  if (!call[Padding].isNone()) {
    int64_t given = 0;
    if (!e.intArg(call, Padding, given))
      return Value::poison();
    padding = given < 0 ? given + num : given;
    if (*padding < 0 || *padding >= num)
      return e.fail(call.args[Padding].loc,
                    "'embedding': 'padding_idx' " + llvm::Twine(given) +
                        " is outside the " + llvm::Twine(num) + " rows");
  }
  Elaborator::Start start{amp::InitKind::normal, {0, 1}};
  if (padding)
    start = {amp::InitKind::padded_normal,
             {0, 1, double(*padding * dim), double((*padding + 1) * dim)}};
  llvm::StringRef dimName = call[Dim].dimName();
  if (!weightArg(e, call, Weight, {num, dim}, {call[Num].dimName(), dimName},
                 start, weight))
    return Value::poison();

  llvm::SmallVector<int64_t> shape(shapeOf(*ids));
  shape.push_back(dim);
  llvm::SmallVector<llvm::StringRef> names = axisNames(*ids);
  names.push_back(axisName(*weight, 1));
  if (!e.checkShape(shape, weight->element, call.expr->loc))
    return Value::poison();
  auto rows = amp::TakeOp::create(e.emitter.builder, at, weight->value, indices,
                                  /*axis=*/0);
  if (padding)
    rows.setPaddingIdx(*padding);
  return e.tensor(rows, weight->element, call.expr->loc, names);
}

} // namespace

llvm::ArrayRef<FunctionLine> layerFunctions() {
  static constexpr FunctionLine lines[] = {
      {"linear(x, out_features = none, bias = true, weight = none)", linear,
       FunctionLine::Layer},
      {"embedding(ids, num_embeddings = none, embedding_dim = none, "
       "padding_idx = none, weight = none)",
       embedding, FunctionLine::Layer},
  };
  return lines;
}

} // namespace ampc::model
