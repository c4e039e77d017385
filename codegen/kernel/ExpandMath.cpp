// Math functions as arithmetic, once for every target (Passes.td).
//
// exp: n = round(x / ln 2) by adding and subtracting 1.5 * 2^23 (f32) or 1.5 *
// 2^52 (f64), whose low bits then hold n; r = x - n ln 2 with ln 2 in two
// parts, the first with so few bits that n times it is exact; e^r = 1 + (r +
// r^2 q(r)) with q interpolated at Chebyshev points of
// [-ln 2 / 2, ln 2 / 2]; times 2^n as two factors, so that subnormal results
// are rounded once more and not flushed, and overflow gives inf.
#include "codegen/kernel/Passes.h"
#include "codegen/kernel/PrimitiveEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace ampc {
#define GEN_PASS_DEF_EXPANDMATH
#include "codegen/kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {

/// The numbers of one format.
struct ExpConstants {
  double low, high; ///< below: 0; above: inf (the argument is clamped to them)
  double magic;     ///< 1.5 * 2^(mantissa bits)
  double ln2High, ln2Low; ///< ln 2 = ln2High + ln2Low
  ArrayRef<double> q;     ///< coefficients of q, ascending
  unsigned mantissaBits;
  int64_t bias;
};

constexpr double kQ32[] = {0x1p-1, 0x1.5554dep-3, 0x1.55551ap-5, 0x1.120b64p-7,
                           0x1.6d10fep-10};
constexpr double kQ64[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,
                           0x1.5555555553d67p-5,  0x1.11111111109b4p-7,
                           0x1.6c16c1788a49bp-10, 0x1.a01a01a7c327ap-13,
                           0x1.a019b9133a48ap-16, 0x1.71de0db21e27fp-19,
                           0x1.28917e2c43a66p-22, 0x1.af38a0d2d9620p-26};
const ExpConstants kExp32 = {-104.0,
                             89.0,
                             0x1.8p23,
                             0x1.63p-1,
                             -0x1.bd0106p-13,
                             kQ32,
                             /*mantissaBits=*/23,
                             /*bias=*/127};
const ExpConstants kExp64 = {-746.0,
                             710.0,
                             0x1.8p52,
                             0x1.62e42fefap-1,
                             0x1.cf79abc9e3b3ap-40,
                             kQ64,
                             /*mantissaBits=*/52,
                             /*bias=*/1023};

/// Builds arithmetic shaped like the argument.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;
  Type type;

  Value number(double value) {
    return constantLike(
        builder, loc, FloatAttr::get(getElementTypeOrSelf(type), value), type);
  }
  Value integer(int64_t value) {
    return constantLike(
        builder, loc, IntegerAttr::get(getElementTypeOrSelf(integers()), value),
        type);
  }
  Type integers() {
    return typeLike(builder.getIntegerType(
                        getElementTypeOrSelf(type).getIntOrFloatBitWidth()),
                    type);
  }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value bits(Value value) {
    return arith::BitcastOp::create(builder, loc, integers(), value);
  }
  Value fromBits(Value value) {
    return arith::BitcastOp::create(builder, loc, type, value);
  }
  /// `limit` where `value` is beyond it, NaN stays.
  Value clamp(Value value, arith::CmpFPredicate beyond, double limit) {
    Value is =
        arith::CmpFOp::create(builder, loc, beyond, value, number(limit));
    return arith::SelectOp::create(builder, loc, is, number(limit), value);
  }
  /// 2^n for n (integers) in the normal range.
  Value powerOfTwo(Value n, const ExpConstants &c) {
    Value biased = arith::AddIOp::create(builder, loc, n, integer(c.bias));
    return fromBits(
        arith::ShLIOp::create(builder, loc, biased, integer(c.mantissaBits)));
  }
};

} // namespace

static Value expandExp(Arithmetic m, Value x, const ExpConstants &c) {
  OpBuilder &builder = m.builder;
  Location loc = m.loc;
  x = m.clamp(x, arith::CmpFPredicate::OGT, c.high);
  x = m.clamp(x, arith::CmpFPredicate::OLT, c.low);
  Value shifted = m.fma(x, m.number(0x1.71547652b82fep0), m.number(c.magic));
  Value n = arith::SubFOp::create(builder, loc, shifted, m.number(c.magic));
  Value r = m.fma(n, m.number(-c.ln2High), x);
  r = m.fma(n, m.number(-c.ln2Low), r);
  Value q = m.number(c.q.back());
  for (double coefficient : llvm::reverse(c.q.drop_back()))
    q = m.fma(q, r, m.number(coefficient));
  Value square = arith::MulFOp::create(builder, loc, r, r);
  Value p =
      arith::AddFOp::create(builder, loc, m.fma(q, square, r), m.number(1.0));
  Value whole = arith::SubIOp::create(builder, loc, m.bits(shifted),
                                      m.bits(m.number(c.magic)));
  Value half = arith::ShRSIOp::create(builder, loc, whole, m.integer(1));
  Value rest = arith::SubIOp::create(builder, loc, whole, half);
  p = arith::MulFOp::create(builder, loc, p, m.powerOfTwo(half, c));
  return arith::MulFOp::create(builder, loc, p, m.powerOfTwo(rest, c));
}

namespace {

class ExpandMathPass : public ampc::impl::ExpandMathBase<ExpandMathPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    bool failed = false;
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<math::MathDialect>(op->getDialect()))
        return;
      if (isa<math::SqrtOp, math::FmaOp, math::CountTrailingZerosOp>(op))
        return;
      Type type = op->getResult(0).getType(),
           element = getElementTypeOrSelf(type);
      if (!isa<math::ExpOp>(op) || !(element.isF32() || element.isF64())) {
        op->emitOpError() << "on " << type << " is not available yet";
        failed = true;
        return;
      }
      OpBuilder builder(op);
      Value value = expandExp({builder, op->getLoc(), type}, op->getOperand(0),
                              element.isF32() ? kExp32 : kExp64);
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    });
    if (failed)
      signalPassFailure();
  }
};

} // namespace
