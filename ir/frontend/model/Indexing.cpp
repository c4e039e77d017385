// `xs[i]`, `xs[a:b:c]` on lists.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {

Value Elaborator::evalIndex(const IndexExpr *expr) {
  Value base = eval(expr->base);
  struct Item {
    Value start, stop, step;
  };
  llvm::SmallVector<Item, 2> items;
  for (const IndexItem &item : expr->items) {
    auto part = [&](const Expr *e) { return e ? eval(e) : Value::none(); };
    Item values;
    values.start = part(item.start);
    values.stop = part(item.stop);
    values.step = part(item.step);
    items.push_back(values);
  }
  if (base.isPoison())
    return base;
  if (base.isTensor())
    return unavailable(expr->loc, "indexing a tensor");
  if (!base.is(ValueKind::List))
    return fail(expr->loc, "expected a list or a tensor before '[', got " +
                               base.describe());
  if (items.size() != 1 || expr->items[0].kind == IndexItem::Ellipsis)
    return fail(expr->loc, "a list takes one index");

  // An int, or `fallback` for none; false after an error.
  auto intOf = [&](const Value &value, const Expr *where, int64_t fallback,
                   int64_t &result) {
    result = fallback;
    if (value.isNone() && !where)
      return true;
    if (value.is(ValueKind::Int)) {
      result = value.asInt();
      return true;
    }
    if (!value.isPoison())
      error(where->loc, "expected a compile-time int, got " + value.describe());
    return false;
  };
  const IndexItem &item = expr->items[0];
  llvm::ArrayRef<Value> list = base.asList();
  int64_t length = list.size(), start = 0, stop = 0, step = 1;
  if (item.kind == IndexItem::Single) {
    if (!intOf(items[0].start, item.start, 0, start))
      return Value::poison();
    int64_t at = start < 0 ? start + length : start;
    if (at < 0 || at >= length)
      return fail(item.loc, "index " + llvm::Twine(start) +
                                " is outside the list of length " +
                                llvm::Twine(length));
    return list[at];
  }
  if (!intOf(items[0].start, item.start, 0, start) ||
      !intOf(items[0].stop, item.stop, length, stop) ||
      !intOf(items[0].step, item.step, 1, step))
    return Value::poison();
  if (step <= 0)
    return fail(item.step->loc, "the step of a slice must be at least 1, got " +
                                    llvm::Twine(step));
  auto clamp = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + length : at, 0, length);
  };
  start = clamp(start);
  stop = clamp(stop);
  if (step == 1)
    return this->list(start < stop ? list.slice(start, stop - start)
                                   : llvm::ArrayRef<Value>(),
                      expr->loc);
  llvm::SmallVector<Value, 8> picked;
  for (int64_t at = start; at < stop; at += std::min(step, length))
    picked.push_back(list[at]);
  return this->list(picked, expr->loc);
}

} // namespace ampc::model
