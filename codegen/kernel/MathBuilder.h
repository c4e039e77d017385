// Arithmetic on one number or on a vector of them, for the expansions of math
// functions.
#ifndef AMPC_CODEGEN_KERNEL_MATHBUILDER_H
#define AMPC_CODEGEN_KERNEL_MATHBUILDER_H

#include "codegen/kernel/PrimitiveEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace ampc {

/// Builds arithmetic on f32 or f64 values of `type`, a scalar or a vector.
struct MathBuilder {
  using Value = mlir::Value;
  using Compare = mlir::arith::CmpFPredicate;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;

  bool isF32() const { return mlir::getElementTypeOrSelf(type).isF32(); }
  /// The integers of the floats' width.
  mlir::Type integers() const {
    unsigned bits = mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    return typeLike(builder.getIntegerType(bits), type);
  }
  /// The same shape in f64.
  MathBuilder wide() const {
    return {builder, loc, typeLike(builder.getF64Type(), type)};
  }
  Value extend(Value value) const { // from f32, by the wide builder
    return mlir::arith::ExtFOp::create(builder, loc, type, value);
  }
  Value round(Value value) const { // to f32, by the narrow builder
    return mlir::arith::TruncFOp::create(builder, loc, type, value);
  }

  Value number(double value) const {
    return constantLike(
        builder, loc,
        mlir::FloatAttr::get(mlir::getElementTypeOrSelf(type), value), type);
  }
  Value integer(int64_t value) const {
    return constantLike(
        builder, loc,
        mlir::IntegerAttr::get(mlir::getElementTypeOrSelf(integers()), value),
        type);
  }

  Value add(Value a, Value b) const {
    return binary<mlir::arith::AddFOp>(a, b);
  }
  Value sub(Value a, Value b) const {
    return binary<mlir::arith::SubFOp>(a, b);
  }
  Value mul(Value a, Value b) const {
    return binary<mlir::arith::MulFOp>(a, b);
  }
  Value div(Value a, Value b) const {
    return binary<mlir::arith::DivFOp>(a, b);
  }
  Value mul(Value a, double b) const { return mul(a, number(b)); }
  Value add(Value a, double b) const { return add(a, number(b)); }
  Value fma(Value a, Value b, Value c) const {
    return mlir::math::FmaOp::create(builder, loc, a, b, c);
  }
  Value fma(Value a, double b, Value c) const { return fma(a, number(b), c); }
  Value negate(Value a) const {
    return mlir::arith::NegFOp::create(builder, loc, a);
  }
  Value absolute(Value a) const {
    return mlir::math::AbsFOp::create(builder, loc, a);
  }
  Value floor(Value a) const {
    return mlir::math::FloorOp::create(builder, loc, a);
  }
  /// The nearest integer, ties to even.
  Value nearest(Value a) const {
    return mlir::math::RoundEvenOp::create(builder, loc, a);
  }
  /// The polynomial with ascending `coefficients` at `x`.
  Value polynomial(llvm::ArrayRef<double> coefficients, Value x) const {
    Value sum = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, number(coefficient));
    return sum;
  }

  Value compare(Compare predicate, Value a, double b) const {
    return compare(predicate, a, number(b));
  }
  Value compare(Compare predicate, Value a, Value b) const {
    return mlir::arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value isNan(Value a) const { return compare(Compare::UNO, a, a); }
  Value select(Value condition, Value a, Value b) const {
    return mlir::arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value both(Value a, Value b) const {
    return mlir::arith::AndIOp::create(builder, loc, a, b);
  }
  /// `limit` where `value` is beyond it; NaN stays.
  Value clamp(Value value, Compare beyond, double limit) const {
    return select(compare(beyond, value, limit), number(limit), value);
  }

  Value bits(Value value) const {
    return mlir::arith::BitcastOp::create(builder, loc, integers(), value);
  }
  Value fromBits(Value value) const {
    return mlir::arith::BitcastOp::create(builder, loc, type, value);
  }
  Value signBit(Value value) const {
    unsigned width = mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    return mlir::arith::AndIOp::create(builder, loc, bits(value),
                                       integer(int64_t(-1) << (width - 1)));
  }
  /// `value` with the bits `sign` (of `signBit`) exchanged in it.
  Value flipSign(Value value, Value sign) const {
    return fromBits(
        mlir::arith::XOrIOp::create(builder, loc, bits(value), sign));
  }

private:
  template <typename Op>
  Value binary(Value a, Value b) const {
    return Op::create(builder, loc, a, b);
  }
};

/// How exact an f64 result must be: to f64's precision, or so that rounding it
/// to f32 costs next to nothing.
enum class Exactness { f32, f64 };

// Every function takes and gives values of `m.type`, f32 or f64.
mlir::Value expandExp(MathBuilder m, mlir::Value x);
mlir::Value expandTanh(MathBuilder m, mlir::Value x);
mlir::Value expandLog(MathBuilder m, mlir::Value x);
mlir::Value expandLog1p(MathBuilder m, mlir::Value x);
mlir::Value expandPow(MathBuilder m, mlir::Value x, mlir::Value y);
mlir::Value expandErf(MathBuilder m, mlir::Value x);
mlir::Value expandSin(MathBuilder m, mlir::Value x);
mlir::Value expandCos(MathBuilder m, mlir::Value x);
/// C's fmod, which is exact.
mlir::Value expandFmod(MathBuilder m, mlir::Value x, mlir::Value y);

/// e^x by an f64 builder, times 2^0 where `tail` is null, else e^(x + tail) for
/// a tail below an ulp of x.
mlir::Value exp64(MathBuilder m, mlir::Value x, Exactness exactness,
                  mlir::Value tail = {});

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_MATHBUILDER_H
