// Tensors of given numbers: zeros, ones, full, zeros_like, ones_like, tensor.
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {
namespace {

Value make(Elaborator &e, Call &call, llvm::ArrayRef<int64_t> shape,
           llvm::ArrayRef<llvm::StringRef> names, ElemType element,
           const Value &number) {
  if (!e.checkShape(shape, element, call.args[0].loc))
    return Value::poison();
  if (!fits(e, number, element))
    return e.fail(call.expr->loc, "'" + call.name() +
                                      "': the number does not fit in " +
                                      elemTypeName(element));
  return e.tensor(e.emitter.constant(e.location(call), element, shape, number),
                  element, call.expr->loc, names);
}

template <int number>
Value filled(Elaborator &e, Call &call) {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;
  ElemType element;
  if (!e.shapeArg(call, 0, /*allowInferred=*/false, shape, names) ||
      !elementArg(e, call, 1, ElemType::F32, element))
    return Value::poison();
  return make(e, call, shape, names, element, Value::of(int64_t(number)));
}

/// full(shape, v): ints give i64, floats f32, bools bool, unless dtype says
/// otherwise.
Value full(Elaborator &e, Call &call) {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;
  ElemType element;
  if (!e.shapeArg(call, 0, /*allowInferred=*/false, shape, names))
    return Value::poison();
  const Value &v = call[1];
  if (!v.isNumber() && !v.is(ValueKind::Bool))
    return e.fail(call.args[1].loc,
                  "expected a compile-time number, got " + v.describe());
  ElemType natural = v.is(ValueKind::Int)     ? ElemType::I64
                     : v.is(ValueKind::Float) ? ElemType::F32
                                              : ElemType::Bool;
  if (!elementArg(e, call, 2, natural, element))
    return Value::poison();
  return make(e, call, shape, names, element, v);
}

template <int number>
Value filledLike(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  if (!e.tensorArg(call, 0, x))
    return Value::poison();
  return make(e, call, shapeOf(*x), x->axisNames, x->element,
              Value::of(int64_t(number)));
}

/// Walks a nested list of numbers in row-major order: extents in `shape`, items
/// in `items`. List depth is limited, so this recursion is.
bool flattenList(Elaborator &e, Call &call, const Value &value, size_t depth,
                 llvm::SmallVectorImpl<int64_t> &shape,
                 llvm::SmallVectorImpl<Value> &items, bool &known) {
  Loc loc = call.args[0].loc;
  if (value.isPoison())
    return false;
  if (!value.is(ValueKind::List)) {
    if (known && depth != shape.size()) {
      e.error(loc, "'tensor': lists and numbers stand side by side");
      return false;
    }
    known = true;
    if (value.isNumber() || value.is(ValueKind::Bool)) {
      items.push_back(value);
      return true;
    }
    e.error(loc, value.isTensor()
                     ? "'tensor' takes numbers, got " + value.describe() +
                           "; 'stack' joins tensors"
                     : "'tensor' takes numbers, got " + value.describe());
    return false;
  }
  llvm::ArrayRef<Value> list = value.asList();
  if (depth == shape.size() && !known) {
    shape.push_back(int64_t(list.size()));
    known = list.empty();
  } else if (depth >= shape.size()) {
    e.error(loc, "'tensor': lists and numbers stand side by side");
    return false;
  }
  if (int64_t(list.size()) != shape[depth]) {
    e.error(loc, "'tensor': lists of one level have " +
                     llvm::Twine(shape[depth]) + " and " +
                     llvm::Twine(list.size()) + " items");
    return false;
  }
  return llvm::all_of(list, [&](const Value &item) {
    return flattenList(e, call, item, depth + 1, shape, items, known);
  });
}

/// tensor(list): the list's nesting is the shape. A float among the numbers
/// makes it f32, else an int i64, else bools bool.
Value tensorOf(Elaborator &e, Call &call) {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<Value> items;
  bool known = false;
  if (call[0].is(ValueKind::List) &&
      call[0].listData()->values > kMaxListItemsMade)
    return e.fail(call.args[0].loc, "'tensor' takes lists of at most " +
                                        llvm::Twine(kMaxListItemsMade) +
                                        " values in all");
  if (!flattenList(e, call, call[0], 0, shape, items, known))
    return Value::poison();
  auto any = [&](ValueKind kind) {
    return llvm::any_of(items, [&](const Value &v) { return v.is(kind); });
  };
  ElemType natural = items.empty() || any(ValueKind::Float) ? ElemType::F32
                     : any(ValueKind::Int)                  ? ElemType::I64
                                                            : ElemType::Bool;
  ElemType element;
  if (!elementArg(e, call, 1, natural, element))
    return Value::poison();
  for (const Value &item : items)
    if (!fits(e, item, element))
      return e.fail(call.args[0].loc, "'tensor': " +
                                          (item.is(ValueKind::Int)
                                               ? std::to_string(item.asInt())
                                               : formatFloat(item.asFloat())) +
                                          " does not fit in " +
                                          elemTypeName(element));
  if (!e.checkShape(shape, element, call.args[0].loc))
    return Value::poison();
  return e.tensor(e.emitter.constant(e.location(call), element, shape, items),
                  element, call.expr->loc);
}

} // namespace

llvm::ArrayRef<FunctionLine> makerFunctions() {
  static constexpr FunctionLine lines[] = {
      {"zeros(shape, dtype = none)", filled<0>, FunctionLine::Maker},
      {"ones(shape, dtype = none)", filled<1>, FunctionLine::Maker},
      {"full(shape, v, dtype = none)", full, FunctionLine::Maker},
      {"zeros_like(x)", filledLike<0>, FunctionLine::Maker},
      {"ones_like(x)", filledLike<1>, FunctionLine::Maker},
      {"tensor(list, dtype = none)", tensorOf, FunctionLine::Maker},
  };
  return lines;
}

} // namespace ampc::model
