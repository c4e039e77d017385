// Functions whose value is known at compile time: len, range, size, shape,
// dtype, int, float, str.
#include "ir/frontend/model/Elaborator.h"

#include <cmath>

namespace ampc::model {
namespace {

Value len(Elaborator &e, Call &call) {
  if (call[0].is(ValueKind::List))
    return Value::of(int64_t(call[0].asList().size()));
  return e.fail(call.args[0].loc, "expected a list, got " + call[0].describe());
}

/// range(n), range(a, b), range(a, b, step).
Value range(Elaborator &e, Call &call) {
  int64_t start = 0, stop = 0, step = 1;
  bool hasStop = !call[1].isNone();
  if (!e.intArg(call, 0, hasStop ? start : stop) ||
      (hasStop && !e.intArg(call, 1, stop)) || !e.intArg(call, 2, step))
    return Value::poison();
  if (step == 0)
    return e.fail(call.args[2].loc, "'range': the step must not be 0");
  // In 128 bits: no difference of two i64 overflows.
  __int128 span = __int128(stop) - start;
  __int128 count = step > 0 ? (span + step - 1) / step
                            : (-span - step - 1) / -__int128(step);
  if (step > 0 ? span <= 0 : span >= 0)
    count = 0;
  if (count > kMaxListLength)
    return e.fail(call.expr->loc, "a list has at most 1000000 items");
  llvm::SmallVector<Value, 0> items;
  items.reserve(count);
  for (int64_t i = 0; i < count; ++i)
    items.push_back(Value::of(int64_t(start + i * __int128(step))));
  return e.list(items, call.expr->loc);
}

Value extent(const TensorData &tensor, int64_t axis) {
  llvm::StringRef name = size_t(axis) < tensor.axisNames.size()
                             ? tensor.axisNames[axis]
                             : llvm::StringRef();
  return Value::of(shapeOf(tensor)[axis], name);
}

Value size(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  int64_t axis = 0;
  if (!e.tensorArg(call, 0, x) || !e.intArg(call, 1, axis) ||
      !e.axisInRange(call, 1, axis, *x, axis))
    return Value::poison();
  return extent(*x, axis);
}

Value shape(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  if (!e.tensorArg(call, 0, x))
    return Value::poison();
  llvm::SmallVector<Value, 4> extents;
  for (size_t axis = 0; axis < shapeOf(*x).size(); ++axis)
    extents.push_back(extent(*x, axis));
  return e.list(extents, call.expr->loc);
}

Value dtype(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  return e.tensorArg(call, 0, x) ? Value::of(x->element) : Value::poison();
}

Value toInt(Elaborator &e, Call &call) {
  const Value &v = call[0];
  if (v.is(ValueKind::Bool))
    return Value::of(int64_t(v.asBool()));
  double number = 0;
  if (v.is(ValueKind::Int))
    return Value::of(v.asInt());
  if (!e.floatArg(call, 0, number))
    return Value::poison();
  number = std::trunc(number);
  if (number < -0x1p63 || number >= 0x1p63)
    return e.fail(call.expr->loc, kNumberTooLarge);
  return Value::of(int64_t(number));
}

Value toFloat(Elaborator &e, Call &call) {
  if (call[0].is(ValueKind::Bool))
    return Value::of(double(call[0].asBool()));
  double number = 0;
  return e.floatArg(call, 0, number) ? Value::of(number) : Value::poison();
}

Value toString(Elaborator &e, Call &call) {
  const Value &v = call[0];
  switch (v.kind()) {
  case ValueKind::Int:
    return e.string(std::to_string(v.asInt()), call.expr->loc);
  case ValueKind::Float:
    return e.string(formatFloat(v.asFloat()), call.expr->loc);
  case ValueKind::Bool:
    return e.string(v.asBool() ? "true" : "false", call.expr->loc);
  case ValueKind::ElemType:
    return e.string(elemTypeName(v.asElemType()), call.expr->loc);
  case ValueKind::String:
    return v;
  default:
    return e.fail(call.args[0].loc,
                  "expected a number, bool, string or element type, got " +
                      v.describe());
  }
}

} // namespace

llvm::ArrayRef<FunctionLine> compileTimeFunctions() {
  static constexpr FunctionLine lines[] = {
      {"len(xs)", len, FunctionLine::CompileTime},
      {"range(a, b = none, step = 1)", range, FunctionLine::CompileTime},
      {"size(x, axis)", size, FunctionLine::CompileTime},
      {"shape(x)", shape, FunctionLine::CompileTime},
      {"dtype(x)", dtype, FunctionLine::CompileTime},
      {"int(v)", toInt, FunctionLine::CompileTime},
      {"float(v)", toFloat, FunctionLine::CompileTime},
      {"str(v)", toString, FunctionLine::CompileTime},
  };
  return lines;
}

} // namespace ampc::model
