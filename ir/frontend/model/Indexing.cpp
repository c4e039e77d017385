// `x[i]`, `x[a:b:c]` on lists and tensors.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {

/// An int, or `fallback` for a part that is not written; false after an error.
bool Elaborator::indexInt(const Value &value, const Expr *where,
                          int64_t fallback, int64_t &result) {
  result = fallback;
  if (!where)
    return true;
  if (value.is(ValueKind::Int)) {
    result = value.asInt();
    return true;
  }
  if (value.isTensor())
    error(where->loc, "an index must be known at compile time, got " +
                          value.describe() +
                          "; use index_select, gather or embedding");
  else if (!value.isPoison())
    error(where->loc, "expected a compile-time int, got " + value.describe());
  return false;
}

/// `a:b:c` over `length` items, clamped as in Python.
bool Elaborator::sliceOf(const IndexItem &item, const ItemValues &values,
                         int64_t length, SliceRange &range) {
  int64_t start = 0, stop = 0;
  if (!indexInt(values.start, item.start, 0, start) ||
      !indexInt(values.stop, item.stop, length, stop) ||
      !indexInt(values.step, item.step, 1, range.step))
    return false;
  if (range.step <= 0) {
    error(item.step->loc, "the step of a slice must be at least 1, got " +
                              llvm::Twine(range.step));
    return false;
  }
  auto clamp = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + length : at, 0, length);
  };
  range.start = clamp(start);
  stop = clamp(stop);
  range.size =
      range.start < stop ? (stop - range.start - 1) / range.step + 1 : 0;
  if (range.size == 0)
    range.start = 0;
  if (range.size <= 1)
    range.step = 1;
  return true;
}

Value Elaborator::evalIndex(const IndexExpr *expr) {
  Value base = eval(expr->base);
  llvm::SmallVector<ItemValues, 4> items;
  bool poisoned = base.isPoison();
  for (const IndexItem &item : expr->items) {
    auto part = [&](const Expr *e) { return e ? eval(e) : Value::none(); };
    ItemValues values;
    values.start = part(item.start);
    values.stop = part(item.stop);
    values.step = part(item.step);
    poisoned |= values.start.isPoison() || values.stop.isPoison() ||
                values.step.isPoison();
    items.push_back(values);
  }
  if (poisoned)
    return Value::poison();
  if (base.isTensor())
    return indexTensor(expr, base.asTensor(), items);
  if (!base.is(ValueKind::List))
    return fail(expr->loc, "expected a list or a tensor before '[', got " +
                               base.describe());
  if (items.size() != 1 || expr->items[0].kind == IndexItem::Ellipsis)
    return fail(expr->loc, "a list takes one index");
  const IndexItem &item = expr->items[0];
  llvm::ArrayRef<Value> list = base.asList();
  int64_t length = list.size(), start = 0;
  if (item.kind == IndexItem::Single) {
    if (!indexInt(items[0].start, item.start, 0, start))
      return Value::poison();
    int64_t at = start < 0 ? start + length : start;
    if (at < 0 || at >= length)
      return fail(item.loc, "index " + llvm::Twine(start) +
                                " is outside the list of length " +
                                llvm::Twine(length));
    return list[at];
  }
  SliceRange range;
  if (!sliceOf(item, items[0], length, range))
    return Value::poison();
  if (range.step == 1)
    return this->list(list.slice(range.start, range.size), expr->loc);
  llvm::SmallVector<Value, 8> picked;
  for (int64_t i = 0; i < range.size; ++i)
    picked.push_back(list[range.start + i * range.step]);
  return this->list(picked, expr->loc);
}

Value Elaborator::indexTensor(const IndexExpr *expr, const TensorData &x,
                              llvm::ArrayRef<ItemValues> items) {
  llvm::ArrayRef<int64_t> shape = shapeOf(x);
  int64_t rank = shape.size(), consumed = 0;
  unsigned ellipses = 0;
  auto addsAxis = [&](size_t i) {
    return expr->items[i].kind == IndexItem::Single && items[i].start.isNone();
  };
  for (size_t i = 0; i < items.size(); ++i) {
    bool isEllipsis = expr->items[i].kind == IndexItem::Ellipsis;
    if (isEllipsis && ++ellipses > 1)
      return fail(expr->items[i].loc, "an index takes one '...'");
    consumed += !isEllipsis && !addsAxis(i);
  }
  if (consumed > rank)
    return fail(expr->loc, llvm::Twine(consumed) + " indices for the " +
                               llvm::Twine(rank) +
                               (rank == 1 ? " axis of " : " axes of ") +
                               typeText(x));

  llvm::SmallVector<int64_t> starts, sizes, steps, result;
  llvm::SmallVector<llvm::StringRef> names;
  auto nameOf = [&](size_t axis) {
    return axis < x.axisNames.size() ? x.axisNames[axis] : llvm::StringRef();
  };
  auto keepAxes = [&](int64_t count) {
    for (; count > 0; --count) {
      size_t axis = starts.size();
      starts.push_back(0);
      sizes.push_back(shape[axis]);
      steps.push_back(1);
      result.push_back(shape[axis]);
      names.push_back(nameOf(axis));
    }
  };
  for (size_t i = 0; i < items.size(); ++i) {
    const IndexItem &item = expr->items[i];
    size_t axis = starts.size();
    if (item.kind == IndexItem::Ellipsis) {
      keepAxes(rank - consumed);
    } else if (addsAxis(i)) {
      result.push_back(1);
      names.push_back({});
    } else if (item.kind == IndexItem::Single) {
      int64_t at = 0;
      if (!indexInt(items[i].start, item.start, 0, at))
        return Value::poison();
      int64_t fromFront = at < 0 ? at + shape[axis] : at;
      if (fromFront < 0 || fromFront >= shape[axis])
        return fail(item.loc, "index " + llvm::Twine(at) + " is outside axis " +
                                  llvm::Twine(axis) + " of extent " +
                                  llvm::Twine(shape[axis]));
      starts.push_back(fromFront);
      sizes.push_back(1);
      steps.push_back(1);
    } else {
      SliceRange range;
      if (!sliceOf(item, items[i], shape[axis], range))
        return Value::poison();
      starts.push_back(range.start);
      sizes.push_back(range.size);
      steps.push_back(range.step);
      result.push_back(range.size);
      names.push_back(range.size == shape[axis] ? nameOf(axis)
                                                : llvm::StringRef());
    }
  }
  keepAxes(rank - int64_t(starts.size()));

  Location at = emitter.location(expr->loc);
  std::optional<std::string> path = operatorPath("index", expr->loc);
  if (!path)
    return Value::poison();
  Emitter::Naming naming(emitter, *path);
  mlir::Value value = x.value;
  if (llvm::ArrayRef<int64_t>(sizes) != shape)
    value =
        amp::SliceOp::create(emitter.builder, at, value, starts, sizes, steps);
  return tensor(emitter.reshape(at, value, result), x.element, expr->loc,
                names);
}

} // namespace ampc::model
