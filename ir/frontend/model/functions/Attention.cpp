// attention, on [b, h, n, d] and on [b, n, h * d].
#include "ir/frontend/model/functions/Support.h"

#include <cmath>

using namespace mlir;

namespace ampc::model {
namespace {

enum { Q, K, V, Heads, KvHeads, Causal, Mask, Scale, Dropout };

/// A tensor of rank 3 [b, n, h * d] as [b, h, n, d].
mlir::Value splitHeads(Elaborator &e, Location loc, const TensorData &x,
                       int64_t heads) {
  llvm::ArrayRef<int64_t> shape = shapeOf(x);
  mlir::Value split = e.emitter.reshape(
      loc, x.value, {shape[0], shape[1], heads, shape[2] / heads});
  return permuted(e, loc, split, {0, 2, 1, 3});
}

/// `heads` and `kv_heads`: of rank 3 they divide the last axis, of rank 4 they
/// are axis 1 and need not be written.
bool headsArg(Elaborator &e, Call &call, size_t index, int64_t fallback,
              int64_t &heads) {
  heads = fallback;
  if (call[index].isNone())
    return true;
  if (!e.intArg(call, index, heads))
    return false;
  if (heads >= 1)
    return true;
  e.error(call.args[index].loc,
          "'attention': '" + call.function->formals[index].name +
              "' must be at least 1, got " + llvm::Twine(heads));
  return false;
}

/// True if an extent of operand `index` is what it must be.
bool extentIs(Elaborator &e, Call &call, size_t index, int64_t axis,
              int64_t wanted, const llvm::Twine &what) {
  if (shapeOf(call[index].asTensor())[axis] == wanted)
    return true;
  return mustFit(e, call, index,
                 "of " + llvm::Twine(wanted) + " in axis " + llvm::Twine(axis) +
                     ", " + what);
}

/// The mask with unit axes in front; bool or of a float type.
bool maskArg(Elaborator &e, Call &call, Location loc,
             llvm::ArrayRef<int64_t> scores, mlir::Value &mask) {
  if (call[Mask].isNone())
    return true;
  if (!call[Mask].isTensor())
    return mustBe(e, call, Mask, "a bool or float tensor");
  const TensorData &given = call[Mask].asTensor();
  if (given.element != ElemType::Bool && !isFloat(given.element))
    return mustBe(e, call, Mask, "a bool or float tensor");
  llvm::SmallVector<int64_t> shape(shapeOf(given));
  bool fits = shape.size() <= 4;
  while (fits && shape.size() < 4)
    shape.insert(shape.begin(), 1);
  for (size_t i = 0; fits && i < 4; ++i)
    fits = shape[i] == 1 || shape[i] == scores[i];
  if (!fits)
    return mustFit(e, call, Mask,
                   "one that broadcasts to " +
                       typeText(given.element, scores, {"b", "h", "n", "m"}));
  mask = e.emitter.reshape(loc, given.value, shape);
  return true;
}

Value attention(Elaborator &e, Call &call) {
  const TensorData *operands[3];
  bool causal = false;
  double dropout = 0;
  for (size_t i : {Q, K, V})
    if (!e.floatTensorArg(call, i, operands[i]))
      return Value::poison();
  if (!e.boolArg(call, Causal, causal) || !e.floatArg(call, Dropout, dropout))
    return Value::poison();
  if (!(dropout >= 0 && dropout <= 1))
    return e.fail(call.args[Dropout].loc,
                  "'attention': 'dropout' must be in [0, 1], got " +
                      formatFloat(dropout));
  size_t rank = shapeOf(*operands[Q]).size();
  for (size_t i : {Q, K, V})
    if (size_t own = shapeOf(*operands[i]).size();
        own != rank || (rank != 3 && rank != 4))
      return mustFit(e, call, i,
                     i == Q ? llvm::Twine("[b, n, heads * d] or [b, h, n, d]")
                            : "of " + llvm::Twine(rank) + " axes like 'q'"),
             Value::poison();

  // Extents: batch, query and key heads, queries, keys, and those of a row.
  auto extent = [&](size_t i, int64_t axis) {
    return shapeOf(*operands[i])[axis];
  };
  bool flat = rank == 3;
  int64_t heads = 0, kvHeads = 0, rows = flat ? 1 : 2, last = int64_t(rank) - 1;
  if (flat && call[Heads].isNone())
    return e.fail(call.expr->loc,
                  "'attention' of tensors of 3 axes needs 'heads'");
  if (!headsArg(e, call, Heads, flat ? 1 : extent(Q, 1), heads) ||
      !headsArg(e, call, KvHeads, flat ? heads : extent(K, 1), kvHeads))
    return Value::poison();
  if (flat) {
    for (size_t i : {Q, K, V})
      if (int64_t own = i == Q ? heads : kvHeads; extent(i, 2) % own != 0)
        return mustFit(e, call, i,
                       "divided by its " + llvm::Twine(own) +
                           " heads in axis 2"),
               Value::poison();
  } else if (!extentIs(e, call, Q, 1, heads, "its heads") ||
             !extentIs(e, call, K, 1, kvHeads, "its heads") ||
             !extentIs(e, call, V, 1, kvHeads, "the heads of 'k'")) {
    return Value::poison();
  }
  if (kvHeads == 0 || heads % kvHeads != 0)
    return e.fail(call.expr->loc, "'attention': the " + llvm::Twine(kvHeads) +
                                      " heads of 'k' must divide the " +
                                      llvm::Twine(heads) + " of 'q'");
  int64_t b = extent(Q, 0), n = extent(Q, rows), m = extent(K, rows);
  int64_t d = extent(Q, last) / (flat ? heads : 1);
  if (!extentIs(e, call, K, 0, b, "the batch of 'q'") ||
      !extentIs(e, call, V, 0, b, "the batch of 'q'") ||
      !extentIs(e, call, V, rows, m, "the rows of 'k'") ||
      !extentIs(e, call, K, last, d * (flat ? kvHeads : 1),
                "the size of a head of 'q'"))
    return Value::poison();

  double scale = d > 0 ? 1 / std::sqrt(double(d)) : 1;
  if (!call[Scale].isNone() && !e.floatArg(call, Scale, scale))
    return Value::poison();
  Location at = e.location(call);
  mlir::Value mask;
  if (!maskArg(e, call, at, {b, heads, n, m}, mask))
    return Value::poison();

  ElemType element = operands[Q]->element;
  for (size_t i : {K, V})
    element = promote(element, operands[i]->element);
  mlir::Value values[3];
  for (size_t i : {Q, K, V}) {
    values[i] = flat ? splitHeads(e, at, *operands[i], i == Q ? heads : kvHeads)
                     : operands[i]->value;
    values[i] = e.emitter.cast(at, values[i], element);
  }
  auto op = amp::AttentionOp::create(
      e.emitter.builder, at, values[Q], values[K], values[V], mask, causal,
      scale, dropout, dropout > 0 ? e.emitter.nextRandomSite() : 0);
  mlir::Value result = op.getOut();
  llvm::SmallVector<llvm::StringRef> names = axisNames(*operands[Q]);
  if (flat) {
    int64_t width = extent(V, 2) / kvHeads * heads;
    result = e.emitter.reshape(at, permuted(e, at, result, {0, 2, 1, 3}),
                               {b, n, width});
    if (width != extent(Q, 2))
      names[last] = {};
  } else {
    names[last] = axisName(*operands[V], last);
  }
  return e.tensor(result, element, call.expr->loc, names);
}

} // namespace

llvm::ArrayRef<FunctionLine> attentionFunctions() {
  static constexpr FunctionLine lines[] = {
      {"attention(q, k, v, heads = none, kv_heads = none, causal = false, "
       "mask = none, scale = none, dropout = 0)",
       attention, FunctionLine::Layer},
  };
  return lines;
}

} // namespace ampc::model
