// sum, mean, max, min.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {
namespace {

template <amp::ReduceKind kind>
Value reduce(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  llvm::SmallVector<int64_t> axes;
  bool keepdim = false;
  bool sums = kind == amp::ReduceKind::sum;
  if (!(kind == amp::ReduceKind::mean ? e.floatTensorArg(call, 0, x)
                                      : e.tensorArg(call, 0, x)) ||
      !e.axesArg(call, 1, *x, axes) || !e.boolArg(call, 2, keepdim))
    return Value::poison();
  if (!sums && x->element == ElemType::Bool)
    return e.fail(call.args[0].loc,
                  "'" + call.name() +
                      "': 'x' must be a tensor of numbers, got " +
                      typeText(*x));

  llvm::ArrayRef<int64_t> shape = shapeOf(*x);
  llvm::SmallVector<int64_t> kept;
  llvm::SmallVector<llvm::StringRef> keptNames;
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis) {
    if (llvm::is_contained(axes, axis)) {
      if (!keepdim)
        continue;
      kept.push_back(1);
      keptNames.push_back({});
      continue;
    }
    kept.push_back(shape[axis]);
    keptNames.push_back(axis < int64_t(x->axisNames.size())
                            ? x->axisNames[axis]
                            : llvm::StringRef());
  }
  bool empty =
      llvm::any_of(axes, [&](int64_t axis) { return shape[axis] == 0; });
  if (empty && (kind == amp::ReduceKind::max || kind == amp::ReduceKind::min))
    return e.fail(call.expr->loc, "'" + call.name() + "' of no elements: " +
                                      typeText(*x) + " has an extent of 0");

  Location loc = e.location(call);
  mlir::Value input = x->value;
  // Sums of integers and bools are i64.
  ElemType element = sums && !isFloat(x->element) ? ElemType::I64 : x->element;
  if (x->element == ElemType::Bool || axes.empty())
    input = e.emitter.cast(loc, input, element);
  mlir::Value result = input;
  if (!axes.empty())
    result = amp::ReduceOp::create(e.emitter.builder, loc, kind, input, axes,
                                   e.emitter.elementType(element));
  result = e.emitter.reshape(loc, result, kept);
  return e.tensor(result, element, call.expr->loc, keptNames);
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
  };
  return lines;
}

} // namespace ampc::model
