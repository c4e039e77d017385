// Reductions: sum, mean, max, min, prod, var, std, argmax, logsumexp.
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// What is left of a shape without some axes; with `keepdim` they have extent
/// 1.
struct Kept {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;

  Kept(const TensorData &x, llvm::ArrayRef<int64_t> axes, bool keepdim) {
    for (auto [axis, extent] : llvm::enumerate(shapeOf(x))) {
      bool gone = llvm::is_contained(axes, int64_t(axis));
      if (gone && !keepdim)
        continue;
      shape.push_back(gone ? 1 : extent);
      names.push_back(gone ? llvm::StringRef() : axisName(x, axis));
    }
  }
};

/// True if a reduction over `axes` has something to reduce; an error if not.
bool hasElements(Elaborator &e, Call &call, const TensorData &x,
                 llvm::ArrayRef<int64_t> axes) {
  if (!llvm::any_of(axes, [&](int64_t axis) { return shapeOf(x)[axis] == 0; }))
    return true;
  e.error(call.expr->loc, "'" + call.name() + "' of no elements: " +
                              typeText(x) + " has an extent of 0");
  return false;
}

template <amp::ReduceKind kind>
Value reduce(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  llvm::SmallVector<int64_t> axes;
  bool keepdim = false;
  // Sums and products of integers and bools are i64.
  bool widens = kind == amp::ReduceKind::sum || kind == amp::ReduceKind::prod;
  bool picks = kind == amp::ReduceKind::max || kind == amp::ReduceKind::min;
  if (!(kind == amp::ReduceKind::mean ? e.floatTensorArg(call, 0, x)
                                      : e.tensorArg(call, 0, x)) ||
      !e.axesArg(call, 1, *x, axes) || !e.boolArg(call, 2, keepdim))
    return Value::poison();
  if (!widens && x->element == ElemType::Bool)
    return mustBe(e, call, 0, "a tensor of numbers"), Value::poison();
  if (picks && !hasElements(e, call, *x, axes))
    return Value::poison();

  Location loc = e.location(call);
  mlir::Value input = x->value;
  ElemType element =
      widens && !isFloat(x->element) ? ElemType::I64 : x->element;
  if (x->element == ElemType::Bool || axes.empty())
    input = e.emitter.cast(loc, input, element);
  mlir::Value result = input;
  if (!axes.empty())
    result = amp::ReduceOp::create(e.emitter.builder, loc, kind, input, axes,
                                   e.emitter.elementType(element));
  Kept kept(*x, axes, keepdim);
  return e.tensor(e.emitter.reshape(loc, result, kept.shape), element,
                  call.expr->loc, kept.names);
}

/// var(x, axis = none, correction = 1, keepdim = false); std is its root.
template <bool root>
Value variance(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  llvm::SmallVector<int64_t> axes;
  int64_t correction = 0;
  bool keepdim = false;
  if (!e.floatTensorArg(call, 0, x) || !e.axesArg(call, 1, *x, axes) ||
      !e.intArg(call, 2, correction) || !e.boolArg(call, 3, keepdim))
    return Value::poison();
  if (correction < 0)
    return e.fail(call.args[2].loc,
                  "'" + call.name() +
                      "': 'correction' must be at least 0, got " +
                      llvm::Twine(correction));
  Location loc = e.location(call);
  Kept kept(*x, axes, keepdim);
  mlir::Value input = x->value;
  if (axes.empty()) { // of single elements
    llvm::SmallVector<int64_t> single(shapeOf(*x));
    axes.push_back(single.size());
    single.push_back(1);
    input = e.emitter.reshape(loc, input, single);
  }
  mlir::Value result =
      amp::VarianceOp::create(e.emitter.builder, loc, input, axes, correction);
  if (root)
    result = amp::SqrtOp::create(e.emitter.builder, loc, result);
  return e.tensor(e.emitter.reshape(loc, result, kept.shape), x->element,
                  call.expr->loc, kept.names);
}

/// argmax(x, axis = none, keepdim = false): none counts in row-major order.
Value argmax(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  int64_t axis = 0;
  bool keepdim = false, whole = call[1].isNone();
  if (!e.tensorArg(call, 0, x) || !e.boolArg(call, 2, keepdim) ||
      (!whole && !axisArg(e, call, 1, *x, axis)))
    return Value::poison();
  if (x->element == ElemType::Bool)
    return mustBe(e, call, 0, "a tensor of numbers"), Value::poison();
  llvm::SmallVector<int64_t> axes;
  if (whole)
    axes.assign(llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(*x).size())));
  else
    axes.push_back(axis);
  if (!hasElements(e, call, *x, axes))
    return Value::poison();
  Location loc = e.location(call);
  mlir::Value input = x->value;
  if (whole)
    input = e.emitter.reshape(loc, input, {*countElements(shapeOf(*x))});
  mlir::Value result =
      amp::ArgmaxOp::create(e.emitter.builder, loc, input, axis);
  Kept kept(*x, axes, keepdim);
  return e.tensor(e.emitter.reshape(loc, result, kept.shape), ElemType::I64,
                  call.expr->loc, kept.names);
}

/// logsumexp(x, axis, keepdim = false).
Value logsumexp(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  llvm::SmallVector<int64_t> axes;
  bool keepdim = false;
  if (!e.floatTensorArg(call, 0, x) || !e.axesArg(call, 1, *x, axes) ||
      !e.boolArg(call, 2, keepdim))
    return Value::poison();
  Location loc = e.location(call);
  mlir::Value result = x->value;
  if (!axes.empty()) // of a scalar: itself
    result = amp::LogsumexpOp::create(e.emitter.builder, loc, result, axes);
  Kept kept(*x, axes, keepdim);
  return e.tensor(e.emitter.reshape(loc, result, kept.shape), x->element,
                  call.expr->loc, kept.names);
}

} // namespace

llvm::ArrayRef<FunctionLine> reductionFunctions() {
  static constexpr FunctionLine lines[] = {
      {"sum(x, axis = none, keepdim = false)", reduce<amp::ReduceKind::sum>,
       FunctionLine::Op},
      {"mean(x, axis = none, keepdim = false)", reduce<amp::ReduceKind::mean>,
       FunctionLine::Op},
      {"max(x, axis = none, keepdim = false)", reduce<amp::ReduceKind::max>,
       FunctionLine::Op},
      {"min(x, axis = none, keepdim = false)", reduce<amp::ReduceKind::min>,
       FunctionLine::Op},
      {"prod(x, axis = none, keepdim = false)", reduce<amp::ReduceKind::prod>,
       FunctionLine::Op},
      {"var(x, axis = none, correction = 1, keepdim = false)", variance<false>,
       FunctionLine::Op},
      {"std(x, axis = none, correction = 1, keepdim = false)", variance<true>,
       FunctionLine::Op},
      {"argmax(x, axis = none, keepdim = false)", argmax, FunctionLine::Op},
      {"logsumexp(x, axis, keepdim = false)", logsumexp, FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
