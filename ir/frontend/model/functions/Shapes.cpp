// Views: reshape, flatten, squeeze, unsqueeze, expand.
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {
namespace {

Value view(Elaborator &e, Call &call, const TensorData &x,
           llvm::ArrayRef<int64_t> shape,
           llvm::ArrayRef<llvm::StringRef> axisNames) {
  mlir::Value result = e.emitter.reshape(e.location(call), x.value, shape);
  return e.tensor(result, x.element, call.expr->loc, axisNames);
}

/// reshape(x, shape), one extent may be -1.
Value reshape(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;
  if (!e.tensorArg(call, 0, x) ||
      !e.shapeArg(call, 1, /*allowInferred=*/true, shape, names))
    return Value::poison();
  int64_t count = *countElements(shapeOf(*x));
  auto text = [&] { return typeText(x->element, shape, names); };
  auto *inferred = llvm::find(shape, -1);
  if (inferred != shape.end()) {
    *inferred = 1;
    std::optional<int64_t> others = countElements(shape);
    bool fits = others && *others != 0 && count % *others == 0;
    *inferred = fits ? count / *others : -1;
    if (!fits)
      return e.fail(call.args[1].loc, "'reshape': " + typeText(*x) + " has " +
                                          llvm::Twine(count) +
                                          " elements, which do not fill " +
                                          text());
  }
  std::optional<int64_t> made = countElements(shape);
  if (!made)
    return e.checkShape(shape, x->element, call.args[1].loc), Value::poison();
  if (*made != count)
    return e.fail(call.args[1].loc, "'reshape': " + typeText(*x) + " has " +
                                        llvm::Twine(count) + " elements, " +
                                        text() + " has " + llvm::Twine(*made));
  return view(e, call, *x, shape, names);
}

/// flatten(x, start_axis = 0, end_axis = -1).
Value flatten(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  int64_t start = 0, end = 0;
  if (!e.tensorArg(call, 0, x) || !e.intArg(call, 1, start) ||
      !e.intArg(call, 2, end))
    return Value::poison();
  llvm::ArrayRef<int64_t> shape = shapeOf(*x);
  if (shape.empty()) // a scalar becomes one element, as in PyTorch
    return view(e, call, *x, {1}, {});
  if (!e.axisInRange(call, 1, start, *x, start) ||
      !e.axisInRange(call, 2, end, *x, end))
    return Value::poison();
  if (end < start)
    return e.fail(call.args[2].loc,
                  "'flatten': the last axis stands before the first");
  llvm::SmallVector<int64_t> flat;
  llvm::SmallVector<llvm::StringRef> names;
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis) {
    if (axis > start && axis <= end) {
      flat.back() *=
          shape[axis]; // bounded: a part of the tensor's element count
      names.back() = {};
      continue;
    }
    flat.push_back(shape[axis]);
    names.push_back(axisName(*x, axis));
  }
  return view(e, call, *x, flat, names);
}

/// squeeze(x, axis): axes of extent 1 go; others stay, as in PyTorch.
Value squeeze(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  llvm::SmallVector<int64_t> axes, kept;
  llvm::SmallVector<llvm::StringRef> names;
  if (!e.tensorArg(call, 0, x) || !e.axesArg(call, 1, *x, axes))
    return Value::poison();
  llvm::ArrayRef<int64_t> shape = shapeOf(*x);
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis) {
    if (shape[axis] == 1 && llvm::is_contained(axes, axis))
      continue;
    kept.push_back(shape[axis]);
    names.push_back(axisName(*x, axis));
  }
  return view(e, call, *x, kept, names);
}

/// unsqueeze(x, axis): an axis of extent 1 comes to stand at `axis`.
Value unsqueeze(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  int64_t axis = 0;
  if (!e.tensorArg(call, 0, x) || !e.intArg(call, 1, axis))
    return Value::poison();
  int64_t rank = shapeOf(*x).size();
  int64_t at = axis < 0 ? axis + rank + 1 : axis;
  if (at < 0 || at > rank)
    return e.fail(call.args[1].loc, "'unsqueeze': axis " + llvm::Twine(axis) +
                                        " is outside the result of " +
                                        llvm::Twine(rank + 1) + " axes");
  llvm::SmallVector<int64_t> shape(shapeOf(*x));
  llvm::SmallVector<llvm::StringRef> names;
  for (int64_t i = 0; i < rank; ++i)
    names.push_back(axisName(*x, i));
  shape.insert(shape.begin() + at, 1);
  names.insert(names.begin() + at, llvm::StringRef());
  return view(e, call, *x, shape, names);
}

/// expand(x, shape): repeats axes of extent 1 and adds axes in front; -1 keeps
/// an extent.
Value expand(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  if (!e.tensorArg(call, 0, x))
    return Value::poison();
  llvm::ArrayRef<int64_t> from = shapeOf(*x);
  llvm::ArrayRef<Value> items =
      call[1].is(ValueKind::List) ? call[1].asList() : llvm::ArrayRef(call[1]);
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;
  for (const Value &item : items) {
    if (item.isPoison())
      return item;
    if (!item.is(ValueKind::Int))
      return e.fail(call.args[1].loc,
                    "expected a compile-time int, got " + item.describe());
    shape.push_back(item.asInt());
    names.push_back(item.dimName());
  }
  bool fits = shape.size() >= from.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    size_t added = shape.size() - from.size();
    if (i >= added && shape[i] == -1) {
      shape[i] = from[i - added];
      names[i] = axisName(*x, i - added);
    }
    fits = shape[i] >= 0 &&
           (i < added || from[i - added] == 1 || from[i - added] == shape[i]);
  }
  if (!fits)
    return e.fail(call.args[1].loc, "'expand': " + typeText(*x) +
                                        " cannot become " +
                                        typeText(x->element, shape));
  if (!e.checkShape(shape, x->element, call.args[1].loc))
    return Value::poison();
  return e.tensor(e.emitter.broadcast(e.location(call), x->value, shape),
                  x->element, call.expr->loc, names);
}

} // namespace

llvm::ArrayRef<FunctionLine> shapeFunctions() {
  static constexpr FunctionLine lines[] = {
      {"reshape(x, shape)", reshape, FunctionLine::Op},
      {"flatten(x, start_axis = 0, end_axis = -1)", flatten, FunctionLine::Op},
      {"squeeze(x, axis = none)", squeeze, FunctionLine::Op},
      {"unsqueeze(x, axis)", unsqueeze, FunctionLine::Op},
      {"expand(x, shape)", expand, FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
