// Random numbers: randn, rand, randint, randn_like, rand_like, bernoulli,
// dropout.
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// Numbers of f32 or f64 from the next stream.
mlir::Value draw(Elaborator &e, Location loc, amp::Distribution distribution,
                 ElemType element, llvm::ArrayRef<int64_t> shape) {
  return amp::RandomOp::create(
      e.emitter.builder, loc, e.emitter.tensorType(element, shape),
      distribution, ValueRange(), amp::RandomMode::train,
      e.emitter.nextRandomSite());
}

/// randn(shape), rand(shape): f32.
template <amp::Distribution distribution>
Value drawn(Elaborator &e, Call &call) {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;
  if (!e.shapeArg(call, 0, /*allowInferred=*/false, shape, names) ||
      !e.checkShape(shape, ElemType::F32, call.args[0].loc))
    return Value::poison();
  return e.tensor(draw(e, e.location(call), distribution, ElemType::F32, shape),
                  ElemType::F32, call.expr->loc, names);
}

/// randn_like(x), rand_like(x): of x's type; narrow floats are drawn in f32.
template <amp::Distribution distribution>
Value drawnLike(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  if (!e.floatTensorArg(call, 0, x))
    return Value::poison();
  Location loc = e.location(call);
  ElemType wide = x->element == ElemType::F64 ? ElemType::F64 : ElemType::F32;
  mlir::Value value = draw(e, loc, distribution, wide, shapeOf(*x));
  return e.tensor(e.emitter.cast(loc, value, x->element), x->element,
                  call.expr->loc, x->axisNames);
}

/// The numbers that u = (24 random bits) * 2^-24 can tell apart.
constexpr int64_t kMaxRandomRange = int64_t(1) << 24;

/// randint(low, high, shape): low + floor(u * (high - low)), i64. The product
/// of u < 1 and an integer of at most 24 bits stays below it in f32, and the
/// cast truncates.
Value randint(Elaborator &e, Call &call) {
  int64_t low = 0, high = 0;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;
  if (!e.intArg(call, 0, low) || !e.intArg(call, 1, high) ||
      !e.shapeArg(call, 2, /*allowInferred=*/false, shape, names) ||
      !e.checkShape(shape, ElemType::I64, call.args[2].loc))
    return Value::poison();
  if (high <= low)
    return e.fail(call.args[1].loc, "'randint': 'high' must be above 'low' (" +
                                        llvm::Twine(low) + "), got " +
                                        llvm::Twine(high));
  __int128 range = __int128(high) - low;
  if (range > kMaxRandomRange)
    return e.fail(call.args[1].loc,
                  "'randint': at most 16777216 different numbers can be drawn, "
                  "[" +
                      llvm::Twine(low) + ", " + llvm::Twine(high) +
                      ") has more");
  Location loc = e.location(call);
  OpBuilder &builder = e.emitter.builder;
  mlir::Value u =
      draw(e, loc, amp::Distribution::uniform, ElemType::F32, shape);
  mlir::Value scaled = amp::MulOp::create(
      builder, loc, u,
      e.emitter.constant(loc, ElemType::F32, shape, Value::of(int64_t(range))));
  mlir::Value result = e.emitter.cast(loc, scaled, ElemType::I64);
  if (low != 0)
    result = amp::AddOp::create(
        builder, loc, result,
        e.emitter.constant(loc, ElemType::I64, shape, Value::of(low)));
  return e.tensor(result, ElemType::I64, call.expr->loc, names);
}

/// bernoulli(p): 1 where u < p, else 0, in p's type.
Value bernoulli(Elaborator &e, Call &call) {
  const TensorData *p = nullptr;
  if (!e.floatTensorArg(call, 0, p))
    return Value::poison();
  Location loc = e.location(call);
  ElemType wide = p->element == ElemType::F64 ? ElemType::F64 : ElemType::F32;
  mlir::Value u = draw(e, loc, amp::Distribution::uniform, wide, shapeOf(*p));
  mlir::Value kept = amp::CompareOp::create(
      e.emitter.builder, loc, e.emitter.tensorType(ElemType::Bool, shapeOf(*p)),
      amp::ComparePredicate::lt, u, e.emitter.cast(loc, p->value, wide));
  return e.tensor(e.emitter.cast(loc, kept, p->element), p->element,
                  call.expr->loc, p->axisNames);
}

/// dropout(x, p = 0.5).
Value dropout(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  double p = 0;
  if (!e.floatTensorArg(call, 0, x) || !e.floatArg(call, 1, p))
    return Value::poison();
  if (!(p >= 0 && p <= 1))
    return e.fail(call.args[1].loc,
                  "'dropout': 'p' must be in [0, 1], got " + formatFloat(p));
  if (p == 0) // keeps everything
    return e.tensor(x->value, x->element, call.expr->loc, x->axisNames);
  mlir::Value result =
      amp::DropoutOp::create(e.emitter.builder, e.location(call), x->value, p,
                             e.emitter.nextRandomSite());
  return e.tensor(result, x->element, call.expr->loc, x->axisNames);
}

} // namespace

llvm::ArrayRef<FunctionLine> randomFunctions() {
  static constexpr FunctionLine lines[] = {
      {"randn(shape)", drawn<amp::Distribution::normal>, FunctionLine::Maker},
      {"rand(shape)", drawn<amp::Distribution::uniform>, FunctionLine::Maker},
      {"randint(low, high, shape)", randint, FunctionLine::Maker},
      {"randn_like(x)", drawnLike<amp::Distribution::normal>,
       FunctionLine::Maker},
      {"rand_like(x)", drawnLike<amp::Distribution::uniform>,
       FunctionLine::Maker},
      {"bernoulli(p)", bernoulli, FunctionLine::Maker},
      {"dropout(x, p = 0.5)", dropout, FunctionLine::Layer},
  };
  return lines;
}

} // namespace ampc::model
