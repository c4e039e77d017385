// Elementwise primitives as arith and math ops.
#include "codegen/kernel/PrimitiveEmitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

Type ampc::typeLike(Type scalar, Type like) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), scalar);
  return scalar;
}

Value ampc::constantLike(OpBuilder &builder, Location loc, TypedAttr value,
                         Type like) {
  if (auto vector = dyn_cast<VectorType>(like)) {
    auto type = VectorType::get(vector.getShape(), value.getType());
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, value));
  }
  return arith::ConstantOp::create(builder, loc, value);
}

Type ampc::storageTypeFor(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

/// Whether values of `element` are held as f32.
static bool isNarrow(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

static Value integerConstant(OpBuilder &builder, Location loc, Type type,
                             const APInt &value) {
  return constantLike(
      builder, loc, IntegerAttr::get(getElementTypeOrSelf(type), value), type);
}

static Value floatConstant(OpBuilder &builder, Location loc, Type type,
                           double value) {
  return constantLike(builder, loc,
                      FloatAttr::get(getElementTypeOrSelf(type), value), type);
}

Value ampc::fromStorage(OpBuilder &builder, Location loc, Value stored,
                        Type element) {
  Type type = stored.getType();
  if (element.isInteger(1)) {
    Value zero = integerConstant(builder, loc, type, APInt::getZero(8));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, stored,
                                 zero);
  }
  if (isNarrow(element))
    return arith::ExtFOp::create(builder, loc,
                                 typeLike(builder.getF32Type(), type), stored);
  return stored;
}

Value ampc::toStorage(OpBuilder &builder, Location loc, Value value,
                      Type element) {
  if (element.isInteger(1))
    return arith::ExtUIOp::create(
        builder, loc, typeLike(builder.getI8Type(), value.getType()), value);
  if (!isNarrow(element))
    return value;
  // What was just rounded is stored as it was rounded; the extension between is
  // exact.
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    if (getElementTypeOrSelf(extension.getIn()) == element)
      return extension.getIn();
  return arith::TruncFOp::create(builder, loc,
                                 typeLike(element, value.getType()), value);
}

Value ampc::roundTo(OpBuilder &builder, Location loc, Value value,
                    Type element) {
  Type from = getElementTypeOrSelf(value);
  if (from == element)
    return value;
  if (element.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc,
                                 typeLike(element, value.getType()), value);
  Value rounded = arith::TruncFOp::create(
      builder, loc, typeLike(element, value.getType()), value);
  return isNarrow(element) ? fromStorage(builder, loc, rounded, element)
                           : rounded;
}

/// Float to integer: toward zero, the nearest bound outside the range, 0 for
/// NaN.
static Value saturate(OpBuilder &builder, Location loc, Value value,
                      IntegerType to) {
  Type type = value.getType(), result = typeLike(to, type);
  unsigned bits = to.getWidth();
  // 2^(bits-1) is exact in f32 and f64; values from there on, and below its
  // negative, are out.
  Value high = floatConstant(builder, loc, type, std::ldexp(1.0, bits - 1));
  Value low = floatConstant(builder, loc, type, -std::ldexp(1.0, bits - 1));
  Value inside = arith::FPToSIOp::create(builder, loc, result, value);
  Value tooHigh = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE,
                                        value, high);
  Value tooLow = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                       value, low);
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      value, value);
  Value max =
      integerConstant(builder, loc, result, APInt::getSignedMaxValue(bits));
  Value min =
      integerConstant(builder, loc, result, APInt::getSignedMinValue(bits));
  Value zero = integerConstant(builder, loc, result, APInt::getZero(bits));
  Value clamped = arith::SelectOp::create(builder, loc, tooHigh, max, inside);
  clamped = arith::SelectOp::create(builder, loc, tooLow, min, clamped);
  return arith::SelectOp::create(builder, loc, isNan, zero, clamped);
}

/// Integer to a float that is narrower than f32: once to nearest even. The way
/// there is an f64 that the integer equals, or whose last bit tells that it
/// does not (wide i64).
static Value narrowFromInteger(OpBuilder &builder, Location loc, Value value,
                               FloatType to) {
  Type type = value.getType();
  Type f64 = typeLike(builder.getF64Type(), type);
  if (getElementTypeOrSelf(type).isInteger(64)) {
    auto constant = [&](uint64_t bits) {
      return integerConstant(builder, loc, type, APInt(64, bits));
    };
    // Above 2^53 in magnitude: drop the low 11 bits, keep whether any was set
    // in bit 10.
    Value low = arith::AndIOp::create(builder, loc, value, constant(0x7ff));
    Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      low, constant(0));
    Value sticky = arith::SelectOp::create(builder, loc, any, constant(0x400),
                                           constant(0));
    Value kept =
        arith::AndIOp::create(builder, loc, value, constant(~uint64_t(0x7ff)));
    Value wide = arith::OrIOp::create(builder, loc, kept, sticky);
    // |value| >= 2^53 exactly when value + 2^53 is not in [0, 2^54).
    Value shifted =
        arith::AddIOp::create(builder, loc, value, constant(uint64_t(1) << 53));
    Value isWide =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, shifted,
                              constant(uint64_t(1) << 54));
    value = arith::SelectOp::create(builder, loc, isWide, wide, value);
  }
  return roundTo(builder, loc,
                 arith::SIToFPOp::create(builder, loc, f64, value), to);
}

static Value emitCast(OpBuilder &builder, CastOp op, Value value) {
  Location loc = op.getLoc();
  Type from = tensorType(op.getInput()).getElementType();
  Type to = tensorType(op.getResult()).getElementType();
  Type type = value.getType();
  if (to.isInteger(1)) {
    if (isa<FloatType>(from))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                   value,
                                   floatConstant(builder, loc, type, 0.0));
    Value zero = integerConstant(builder, loc, type,
                                 APInt::getZero(from.getIntOrFloatBitWidth()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  if (auto integer = dyn_cast<IntegerType>(to)) {
    if (isa<FloatType>(from))
      return saturate(builder, loc, value, integer);
    Type result = typeLike(to, type);
    if (from.isInteger(1))
      return arith::ExtUIOp::create(builder, loc, result, value);
    if (integer.getWidth() > from.getIntOrFloatBitWidth())
      return arith::ExtSIOp::create(builder, loc, result, value);
    return arith::TruncIOp::create(builder, loc, result, value);
  }
  if (isa<FloatType>(from))
    return roundTo(builder, loc, value, to);
  Type compute = typeLike(computeTypeFor(to), type);
  if (from.isInteger(1))
    return arith::UIToFPOp::create(builder, loc, compute, value);
  // i8 is exact in f32; wider integers are not, and must not be rounded twice.
  if (isNarrow(to) && from.getIntOrFloatBitWidth() > 8)
    return narrowFromInteger(builder, loc, value, cast<FloatType>(to));
  Value converted = arith::SIToFPOp::create(builder, loc, compute, value);
  return isNarrow(to) ? roundTo(builder, loc, converted, to) : converted;
}

static Value emitCompare(OpBuilder &builder, CompareOp op, Value lhs,
                         Value rhs) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  // In the order eq ne lt le gt ge. i1 counts as 0 and 1, so it compares as
  // unsigned.
  static constexpr F floats[] = {F::OEQ, F::UNE, F::OLT,
                                 F::OLE, F::OGT, F::OGE};
  static constexpr I integers[] = {I::eq,  I::ne,  I::slt,
                                   I::sle, I::sgt, I::sge};
  static constexpr I booleans[] = {I::eq,  I::ne,  I::ult,
                                   I::ule, I::ugt, I::uge};
  auto predicate = static_cast<unsigned>(op.getPredicate());
  Type element = getElementTypeOrSelf(lhs);
  if (isa<FloatType>(element))
    return arith::CmpFOp::create(builder, op.getLoc(), floats[predicate], lhs,
                                 rhs);
  return arith::CmpIOp::create(builder, op.getLoc(),
                               element.isInteger(1) ? booleans[predicate]
                                                    : integers[predicate],
                               lhs, rhs);
}

/// A binary primitive of floats and integers.
template <typename FloatOp, typename IntegerOp>
static Value binary(OpBuilder &builder, Location loc, ValueRange operands) {
  if (isa<FloatType>(getElementTypeOrSelf(operands[0])))
    return FloatOp::create(builder, loc, operands[0], operands[1]);
  return IntegerOp::create(builder, loc, operands[0], operands[1]);
}

Value ampc::oneNaN(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType();
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!element)
    return value;
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      value, value);
  Value quiet = constantLike(
      builder, loc,
      FloatAttr::get(element, APFloat::getQNaN(element.getFloatSemantics())),
      type);
  return arith::SelectOp::create(builder, loc, isNaN, quiet, value);
}

/// -1, 1, or the value itself where it is a zero or NaN.
static Value emitSign(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType(), element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element)) {
    auto beyond = [&](arith::CmpFPredicate predicate) {
      return arith::CmpFOp::create(builder, loc, predicate, value,
                                   floatConstant(builder, loc, type, 0.0));
    };
    Value above =
        arith::SelectOp::create(builder, loc, beyond(arith::CmpFPredicate::OGT),
                                floatConstant(builder, loc, type, 1.0), value);
    return arith::SelectOp::create(
        builder, loc, beyond(arith::CmpFPredicate::OLT),
        floatConstant(builder, loc, type, -1.0), above);
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  Value one = integerConstant(builder, loc, type, APInt(bits, 1));
  Value least = integerConstant(builder, loc, type, APInt::getAllOnes(bits));
  Value capped = arith::MinSIOp::create(builder, loc, value, one);
  return arith::MaxSIOp::create(builder, loc, capped, least);
}

/// The magnitude; the least integer stays itself.
static Value emitAbs(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType(), element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element))
    return math::AbsFOp::create(builder, loc, value);
  Value zero = integerConstant(builder, loc, type,
                               APInt::getZero(element.getIntOrFloatBitWidth()));
  Value negative = arith::SubIOp::create(builder, loc, zero, value);
  return arith::MaxSIOp::create(builder, loc, value, negative);
}

FailureOr<Value> ampc::emitPrimitive(OpBuilder &builder, Operation *op,
                                     ValueRange operands) {
  Location loc = op->getLoc();
  Value value =
      TypeSwitch<Operation *, Value>(op)
          .Case([&](AddOp) {
            return binary<arith::AddFOp, arith::AddIOp>(builder, loc, operands);
          })
          .Case([&](SubOp) {
            return binary<arith::SubFOp, arith::SubIOp>(builder, loc, operands);
          })
          .Case([&](MulOp) {
            return binary<arith::MulFOp, arith::MulIOp>(builder, loc, operands);
          })
          .Case([&](DivOp) -> Value {
            return arith::DivFOp::create(builder, loc, operands[0],
                                         operands[1]);
          })
          .Case([&](MaximumOp) {
            return oneNaN(builder, loc,
                          binary<arith::MaximumFOp, arith::MaxSIOp>(
                              builder, loc, operands));
          })
          .Case([&](MinimumOp) {
            return oneNaN(builder, loc,
                          binary<arith::MinimumFOp, arith::MinSIOp>(
                              builder, loc, operands));
          })
          .Case([&](NegOp) -> Value {
            return arith::NegFOp::create(builder, loc, operands[0]);
          })
          .Case([&](ExpOp) -> Value {
            return math::ExpOp::create(builder, loc, operands[0]);
          })
          .Case([&](SqrtOp) -> Value {
            return math::SqrtOp::create(builder, loc, operands[0]);
          })
          .Case([&](LogOp) -> Value {
            return math::LogOp::create(builder, loc, operands[0]);
          })
          .Case([&](Log1pOp) -> Value {
            return math::Log1pOp::create(builder, loc, operands[0]);
          })
          .Case([&](TanhOp) -> Value {
            return math::TanhOp::create(builder, loc, operands[0]);
          })
          .Case([&](ErfOp) -> Value {
            return math::ErfOp::create(builder, loc, operands[0]);
          })
          .Case([&](SinOp) -> Value {
            return math::SinOp::create(builder, loc, operands[0]);
          })
          .Case([&](CosOp) -> Value {
            return math::CosOp::create(builder, loc, operands[0]);
          })
          .Case([&](PowOp) -> Value {
            return math::PowFOp::create(builder, loc, operands[0], operands[1]);
          })
          .Case([&](FloorOp) -> Value {
            return math::FloorOp::create(builder, loc, operands[0]);
          })
          .Case([&](AbsOp) { return emitAbs(builder, loc, operands[0]); })
          .Case([&](SignOp) { return emitSign(builder, loc, operands[0]); })
          .Case([&](FloorDivOp) {
            return emitFloorQuotient(builder, loc, operands[0], operands[1]);
          })
          .Case([&](RemainderOp) {
            return emitFloorRemainder(builder, loc, operands[0], operands[1]);
          })
          .Case([&](AndOp) -> Value {
            return arith::AndIOp::create(builder, loc, operands[0],
                                         operands[1]);
          })
          .Case([&](OrOp) -> Value {
            return arith::OrIOp::create(builder, loc, operands[0], operands[1]);
          })
          .Case([&](XorOp) -> Value {
            return arith::XOrIOp::create(builder, loc, operands[0],
                                         operands[1]);
          })
          .Case([&](NotOp) -> Value {
            Type type = operands[0].getType();
            unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
            return arith::XOrIOp::create(
                builder, loc, operands[0],
                integerConstant(builder, loc, type, APInt::getAllOnes(bits)));
          })
          .Case([&](CompareOp compare) {
            return emitCompare(builder, compare, operands[0], operands[1]);
          })
          .Case([&](SelectOp) -> Value {
            return arith::SelectOp::create(builder, loc, operands[0],
                                           operands[1], operands[2]);
          })
          .Case(
              [&](CastOp cast) { return emitCast(builder, cast, operands[0]); })
          .Default([](Operation *) { return Value(); });
  if (!value)
    return op->emitOpError() << "inside a group is not available yet";
  // What only moves a value is already rounded; a cast rounds by itself.
  Type element = tensorType(op->getResult(0)).getElementType();
  if (isNarrow(element) &&
      !isa<CastOp, SelectOp, MaximumOp, MinimumOp, AbsOp, SignOp>(op))
    return roundTo(builder, loc, value, element);
  return value;
}
