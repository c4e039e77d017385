// Division that rounds toward minus infinity, of floats and integers.
#include "codegen/kernel/PrimitiveEmitter.h"

using namespace mlir;
using namespace ampc;

namespace {

/// A division that rounds toward minus infinity, and its remainder.
struct FloorDivision {
  OpBuilder &builder;
  Location loc;
  Value lhs, rhs;

  Value number(double value) {
    return constantLike(builder, loc,
                        builder.getFloatAttr(getElementTypeOrSelf(lhs), value),
                        lhs.getType());
  }
  Value integer(int64_t value) {
    return constantLike(builder, loc,
                        IntegerAttr::get(getElementTypeOrSelf(lhs), value),
                        lhs.getType());
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }

  /// Whether the truncated division's remainder `r` is not zero and differs
  /// from the divisor in sign.
  Value floatDiffers(Value r) {
    Value isNegative = compare(arith::CmpFPredicate::OLT, r, number(0.0));
    Value isPositive = compare(arith::CmpFPredicate::OGT, r, number(0.0));
    Value below = compare(arith::CmpFPredicate::OLT, rhs, number(0.0));
    return select(below, isPositive, isNegative);
  }
  Value floatRemainder() {
    Value r = arith::RemFOp::create(builder, loc, lhs, rhs);
    Value moved = arith::AddFOp::create(builder, loc, r, rhs);
    return select(floatDiffers(r), moved, r);
  }
  Value floatQuotient() {
    Value r = arith::RemFOp::create(builder, loc, lhs, rhs);
    Value whole = arith::SubFOp::create(builder, loc, lhs, r);
    Value nearest = math::RoundEvenOp::create(
        builder, loc, arith::DivFOp::create(builder, loc, whole, rhs));
    Value less = arith::SubFOp::create(builder, loc, nearest, number(1.0));
    Value floor = select(floatDiffers(r), less, nearest);
    Value quotient = arith::DivFOp::create(builder, loc, lhs, rhs);
    // A zero has the quotient's sign.
    Value zero =
        select(compare(arith::CmpFPredicate::OLT, quotient, number(0.0)),
               number(-0.0), number(0.0));
    Value isQuotientZero =
        compare(arith::CmpFPredicate::OEQ, quotient, number(0.0));
    zero = select(isQuotientZero, quotient, zero);
    floor = select(compare(arith::CmpFPredicate::OEQ, floor, number(0.0)), zero,
                   floor);
    Value byZero = compare(arith::CmpFPredicate::OEQ, rhs, number(0.0));
    return select(byZero, quotient, floor);
  }

  /// A divisor that traps nowhere: 1 in the place of 0 and of -1.
  Value safeDivisor(Value isZero, Value isMinusOne) {
    return select(arith::OrIOp::create(builder, loc, isZero, isMinusOne),
                  integer(1), rhs);
  }
  /// The quotient, or the remainder, of integers.
  Value integerResult(bool quotient) {
    Value isZero = compare(arith::CmpIPredicate::eq, rhs, integer(0));
    Value isMinusOne = compare(arith::CmpIPredicate::eq, rhs, integer(-1));
    Value divisor = safeDivisor(isZero, isMinusOne);
    Value truncated = arith::DivSIOp::create(builder, loc, lhs, divisor);
    Value product = arith::MulIOp::create(builder, loc, truncated, divisor);
    Value r = arith::SubIOp::create(builder, loc, lhs, product);
    Value signs = arith::XOrIOp::create(builder, loc, r, divisor);
    Value differs = arith::AndIOp::create(
        builder, loc, compare(arith::CmpIPredicate::ne, r, integer(0)),
        compare(arith::CmpIPredicate::slt, signs, integer(0)));
    if (!quotient) {
      Value moved = arith::AddIOp::create(builder, loc, r, divisor);
      Value result = select(differs, moved, r);
      return select(arith::OrIOp::create(builder, loc, isZero, isMinusOne),
                    integer(0), result);
    }
    Value less = arith::SubIOp::create(builder, loc, truncated, integer(1));
    Value result = select(differs, less, truncated);
    Value negative = arith::SubIOp::create(builder, loc, integer(0), lhs);
    result = select(isMinusOne, negative, result);
    return select(isZero, integer(0), result);
  }
};

} // namespace

Value ampc::emitFloorQuotient(OpBuilder &builder, Location loc, Value lhs,
                              Value rhs) {
  FloorDivision division{builder, loc, lhs, rhs};
  return isa<FloatType>(getElementTypeOrSelf(lhs))
             ? division.floatQuotient()
             : division.integerResult(/*quotient=*/true);
}

Value ampc::emitFloorRemainder(OpBuilder &builder, Location loc, Value lhs,
                               Value rhs) {
  FloorDivision division{builder, loc, lhs, rhs};
  return isa<FloatType>(getElementTypeOrSelf(lhs))
             ? division.floatRemainder()
             : division.integerResult(/*quotient=*/false);
}
