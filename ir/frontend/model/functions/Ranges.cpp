// Tensors of evenly spaced numbers: arange, iota.
#include "ir/frontend/model/functions/Support.h"

#include <cmath>

using namespace mlir;

namespace ampc::model {
namespace {

/// arange(n), arange(a, b), arange(a, b, step): ints give i64; a float among
/// them gives f32, each number a + i * step in f64, rounded once.
Value arange(Elaborator &e, Call &call) {
  Loc loc = call.expr->loc;
  bool hasStop = call.args.size() > 1 && !call[1].isNone();
  Value start = hasStop ? call[0] : Value::of(int64_t(0));
  Value stop = call[hasStop ? 1 : 0];
  Value step = call.args.size() > 2 ? call[2] : Value::of(int64_t(1));
  for (size_t i = 0; i < call.args.size(); ++i)
    if (double number; !(i == 1 && !hasStop) && !e.floatArg(call, i, number))
      return Value::poison();
  if (step.asFloat() == 0)
    return e.fail(call.args[2].loc,
                  "'" + call.name() + "': the step must not be 0");
  bool ints = start.is(ValueKind::Int) && stop.is(ValueKind::Int) &&
              step.is(ValueKind::Int);
  // Of ints exactly: in 128 bits no difference of two i64 overflows.
  double count = 0;
  if (ints) {
    __int128 span = __int128(stop.asInt()) - start.asInt(), by = step.asInt();
    count = double((span + by + (by > 0 ? -1 : 1)) / by);
  } else {
    count = std::ceil((stop.asFloat() - start.asFloat()) / step.asFloat());
  }
  if (count < 0)
    return e.fail(loc,
                  "'" + call.name() + "': the step leads away from the end");
  if (!(count <= double(kMaxElements)))
    return e.fail(loc, "'" + call.name() + "' of 2^48 numbers or more");
  int64_t n = int64_t(count);
  llvm::StringRef name = hasStop ? llvm::StringRef() : stop.dimName();

  Location at = e.location(call);
  mlir::Value result = amp::IotaOp::create(
      e.emitter.builder, at, n, e.emitter.elementType(ElemType::I64));
  ElemType element = ints ? ElemType::I64 : ElemType::F64;
  result = e.emitter.cast(at, result, element);
  if (step.asFloat() != 1)
    result = amp::MulOp::create(e.emitter.builder, at, result,
                                e.emitter.constant(at, element, {n}, step));
  if (start.asFloat() != 0)
    result = amp::AddOp::create(e.emitter.builder, at, result,
                                e.emitter.constant(at, element, {n}, start));
  if (!ints)
    result = e.emitter.cast(at, result, element = ElemType::F32);
  return e.tensor(result, element, loc, name);
}

} // namespace

llvm::ArrayRef<FunctionLine> rangeFunctions() {
  static constexpr FunctionLine lines[] = {
      {"arange(a, b = none, step = 1)", arange, FunctionLine::Maker},
      {"iota(n)", arange, FunctionLine::Maker},
  };
  return lines;
}

} // namespace ampc::model
