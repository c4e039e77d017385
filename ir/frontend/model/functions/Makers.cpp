// Tensors of one number: zeros, ones, full, zeros_like, ones_like.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// True if `number` keeps its meaning in `element`.
bool fits(const Value &number, ElemType element) {
  if (isFloat(element) || element == ElemType::Bool)
    return true;
  if (number.is(ValueKind::Float))
    return false;
  if (number.is(ValueKind::Bool))
    return true;
  unsigned bits = element == ElemType::I8    ? 8
                  : element == ElemType::I32 ? 32
                                             : 64;
  return bits == 64 || (number.asInt() >= -(int64_t(1) << (bits - 1)) &&
                        number.asInt() < int64_t(1) << (bits - 1));
}

Value make(Elaborator &e, Call &call, llvm::ArrayRef<int64_t> shape,
           llvm::ArrayRef<llvm::StringRef> names, ElemType element,
           const Value &number) {
  if (!e.checkShape(shape, element, call.args[0].loc))
    return Value::poison();
  if (!fits(number, element))
    return e.fail(call.expr->loc, "'" + call.name() +
                                      "': the number does not fit in " +
                                      elemTypeName(element));
  return e.tensor(e.emitter.constant(e.location(call), element, shape, number),
                  element, call.expr->loc, names);
}

bool elementArg(Elaborator &e, Call &call, size_t index, ElemType fallback,
                ElemType &element) {
  element = fallback;
  if (call[index].isNone())
    return true;
  if (!call[index].is(ValueKind::ElemType)) {
    e.error(call.args[index].loc,
            "expected an element type, got " + call[index].describe());
    return false;
  }
  element = call[index].asElemType();
  return true;
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

} // namespace

llvm::ArrayRef<FunctionLine> makerFunctions() {
  static constexpr FunctionLine lines[] = {
      {"zeros(shape, dtype = none)", filled<0>, FunctionLine::Maker},
      {"ones(shape, dtype = none)", filled<1>, FunctionLine::Maker},
      {"full(shape, v, dtype = none)", full, FunctionLine::Maker},
      {"zeros_like(x)", filledLike<0>, FunctionLine::Maker},
      {"ones_like(x)", filledLike<1>, FunctionLine::Maker},
  };
  return lines;
}

} // namespace ampc::model
