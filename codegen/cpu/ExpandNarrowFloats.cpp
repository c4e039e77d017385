// Conversions of 8 and 16 bit floats by integer arithmetic (Passes.td).
#include "codegen/cpu/Passes.h"
#include "codegen/kernel/PrimitiveEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

namespace ampc {
#define GEN_PASS_DEF_EXPANDNARROWFLOATS
#include "codegen/cpu/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {

/// Integer and float arithmetic on scalars or vectors shaped like the operand.
struct Bits {
  OpBuilder &builder;
  Location loc;
  Type like;

  Type i(unsigned width) {
    return typeLike(builder.getIntegerType(width), like);
  }
  Type f32() { return typeLike(builder.getF32Type(), like); }
  Value u32(uint32_t value) {
    return constantLike(
        builder, loc,
        builder.getIntegerAttr(builder.getI32Type(), APInt(32, value)), like);
  }
  Value number(float value) {
    return constantLike(builder, loc, builder.getF32FloatAttr(value), like);
  }
  Value cast(Type type, Value value) {
    return arith::BitcastOp::create(builder, loc, type, value);
  }
  Value band(Value a, Value b) {
    return arith::AndIOp::create(builder, loc, a, b);
  }
  Value bor(Value a, Value b) {
    return arith::OrIOp::create(builder, loc, a, b);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  Value shl(Value a, unsigned by) {
    return arith::ShLIOp::create(builder, loc, a, u32(by));
  }
  Value shr(Value a, unsigned by) {
    return arith::ShRUIOp::create(builder, loc, a, u32(by));
  }
  Value above(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, a, b);
  }
  Value choose(Value which, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, which, a, b);
  }
  Value widen(Value narrow) {
    return arith::ExtUIOp::create(builder, loc, i(32), narrow);
  }
  Value truncate(unsigned width, Value wide) {
    return arith::TruncIOp::create(builder, loc, i(width), wide);
  }
};

/// An 8-bit format: sign, exponent, `mantissa` bits.
struct Small {
  unsigned mantissa;
  int bias;
  bool hasInf; ///< else the all-ones pattern is the only NaN and overflow gives
               ///< it
};
constexpr Small kE4M3{3, 7, false}, kE5M2{2, 15, true};

} // namespace

static std::optional<Small> smallFormat(Type element) {
  if (isa<Float8E4M3FNType>(element))
    return kE4M3;
  if (isa<Float8E5M2Type>(element))
    return kE5M2;
  return std::nullopt;
}

/// bf16 bits of an f32: round to nearest even; a NaN stays one (its quiet bit
/// is set). Both ways share the last shift, and the comparison is one of
/// floats: two instructions of a vector less than on integers alone.
static Value roundToBf16(Bits m, Value value) {
  Value bits = m.cast(m.i(32), value);
  Value odd = m.band(m.shr(bits, 16), m.u32(1));
  Value rounded = m.add(bits, m.add(odd, m.u32(0x7fff)));
  Value nan = m.bor(bits, m.u32(0x400000));
  Value isNan = arith::CmpFOp::create(m.builder, m.loc,
                                      arith::CmpFPredicate::UNO, value, value);
  return m.truncate(16, m.shr(m.choose(isNan, nan, rounded), 16));
}

/// Bits of an 8-bit float, from an f32: round to nearest even.
static Value roundToSmall(Bits m, Value value, Small format) {
  unsigned drop = 23 - format.mantissa;
  int least = 1 - format.bias; // exponent of the least normal number
  Value bits = m.cast(m.i(32), value);
  Value sign = m.band(m.shr(bits, 24), m.u32(0x80));
  Value magnitude = m.band(bits, m.u32(0x7fffffff));
  // Normal results: round at bit `drop`, then change the bias of the exponent.
  Value odd = m.band(m.shr(magnitude, drop), m.u32(1));
  Value rounded = m.add(magnitude, m.add(odd, m.u32((1u << (drop - 1)) - 1)));
  Value normal = m.sub(m.shr(rounded, drop),
                       m.u32((127 - format.bias) << format.mantissa));
  // Subnormal results: adding 2^23 units of the least subnormal leaves their
  // count in the low bits.
  float magic =
      std::ldexp(1.0f, least - static_cast<int>(format.mantissa) + 23);
  Value shifted = arith::AddFOp::create(
      m.builder, m.loc, m.cast(m.f32(), magnitude), m.number(magic));
  Value subnormal =
      m.sub(m.cast(m.i(32), shifted), m.u32(llvm::bit_cast<uint32_t>(magic)));
  Value isNormal = m.above(
      magnitude, m.u32(llvm::bit_cast<uint32_t>(std::ldexp(1.0f, least)) - 1));
  Value result = m.choose(isNormal, normal, subnormal);
  // Beyond the largest finite number. inf itself comes here too.
  uint32_t infinity = format.hasInf ? 0x7c : 0x7f,
           nan = format.hasInf ? 0x7e : 0x7f;
  Value over = m.above(result, m.u32(infinity - 1));
  result = m.choose(over, m.u32(infinity), result);
  Value isNan = m.above(magnitude, m.u32(0x7f800000));
  result = m.choose(isNan, m.u32(nan), result);
  return m.truncate(8, m.bor(result, sign));
}

/// The f32 that an 8-bit float equals.
static Value extendSmall(Bits m, Value narrow, Small format) {
  Value bits = m.widen(narrow);
  Value sign = m.shl(m.band(bits, m.u32(0x80)), 24);
  Value magnitude = m.band(bits, m.u32(0x7f));
  // Exponent and mantissa in place, then the difference of the biases as an
  // exact product, which also normalises subnormals.
  Value placed = m.cast(m.f32(), m.shl(magnitude, 23 - format.mantissa));
  Value scaled = arith::MulFOp::create(
      m.builder, m.loc, placed, m.number(std::ldexp(1.0f, 127 - format.bias)));
  Value result = m.cast(m.i(32), scaled);
  if (format.hasInf) {
    Value special =
        m.bor(m.u32(0x7f800000), m.shl(m.band(magnitude, m.u32(3)), 21));
    result = m.choose(m.above(magnitude, m.u32(0x7b)), special, result);
  } else {
    result =
        m.choose(m.above(magnitude, m.u32(0x7e)), m.u32(0x7fc00000), result);
  }
  return m.cast(m.f32(), m.bor(result, sign));
}

/// An f64 as f32 rounded to odd: where it is not exact, the last bit is 1, so
/// that a following rounding to fewer bits sees on which side of a tie the f64
/// was.
static Value roundToOdd(Bits m, Value value) {
  OpBuilder &builder = m.builder;
  Location loc = m.loc;
  Value nearest = arith::TruncFOp::create(builder, loc, m.f32(), value);
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), nearest);
  Value inexact = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE,
                                        back, value);
  auto magnitude = [&](Value number) {
    Type i64 = m.i(64);
    Value mask =
        constantLike(builder, loc,
                     builder.getIntegerAttr(builder.getI64Type(),
                                            APInt::getSignedMaxValue(64)),
                     i64);
    return m.band(m.cast(i64, number), mask);
  };
  Value bits = m.cast(m.i(32), nearest);
  Value away = m.above(magnitude(back), magnitude(value));
  Value toZero = m.choose(away, m.sub(bits, m.u32(1)), bits);
  return m.cast(m.f32(), m.choose(inexact, m.bor(toZero, m.u32(1)), bits));
}

static Value expandTruncation(Bits m, Value value, Type to) {
  Value single =
      getElementTypeOrSelf(value).isF64() ? roundToOdd(m, value) : value;
  Type result = typeLike(to, m.like);
  if (isa<BFloat16Type>(to))
    return m.cast(result, roundToBf16(m, single));
  if (std::optional<Small> format = smallFormat(to))
    return m.cast(result, roundToSmall(m, single, *format));
  return arith::TruncFOp::create(m.builder, m.loc, result, single); // f16
}

static Value expandExtension(Bits m, Value value, Type from, Type to) {
  Value single;
  if (isa<BFloat16Type>(from))
    single = m.cast(m.f32(), m.shl(m.widen(m.cast(m.i(16), value)), 16));
  else if (std::optional<Small> format = smallFormat(from))
    single = extendSmall(m, m.cast(m.i(8), value), *format);
  else
    single = arith::ExtFOp::create(m.builder, m.loc, m.f32(), value); // f16
  if (to.isF32())
    return single;
  return arith::ExtFOp::create(m.builder, m.loc, typeLike(to, m.like), single);
}

namespace {

/// The integer type that carries the bits of a bf16 or f8 type, under the same
/// vector or memref; `type` itself for all others (a matrix unit's tiles keep
/// their format).
Type asBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  bool moved = isa<FloatType>(element) && !element.isF64() &&
               !element.isF32() && !element.isF16() &&
               isa<FloatType, VectorType, MemRefType>(type);
  if (!moved)
    return type;
  Type bits =
      IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth());
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(bits);
  return bits;
}

/// What is left of such values is only moved: loaded, selected, stored. LLVM
/// would legalise moves of bf16 by calls of its conversion routines, so they
/// are carried as integers.
void carryAsBits(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op);
        constant && asBits(constant.getType()) != constant.getType()) {
      Type bits = getElementTypeOrSelf(asBits(constant.getType()));
      auto toBits = [](const APFloat &value) { return value.bitcastToAPInt(); };
      if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
        constant.setValueAttr(
            IntegerAttr::get(bits, toBits(number.getValue())));
      else if (auto list = dyn_cast<DenseFPElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            cast<TypedAttr>(Attribute(list.mapValues(bits, toBits))));
    }
    for (Value result : op->getResults())
      result.setType(asBits(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(asBits(argument.getType()));
  });
  FunctionType type = func.getFunctionType();
  func.setFunctionType(FunctionType::get(
      func.getContext(), llvm::map_to_vector(type.getInputs(), asBits),
      llvm::map_to_vector(type.getResults(), asBits)));
  func.walk([](arith::BitcastOp op) {
    if (op.getIn().getType() != op.getType())
      return;
    op.getResult().replaceAllUsesWith(op.getIn());
    op.erase();
  });
}

class ExpandNarrowFloatsPass
    : public ampc::impl::ExpandNarrowFloatsBase<ExpandNarrowFloatsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
        return;
      Value input = op->getOperand(0);
      Type from = getElementTypeOrSelf(input),
           to = getElementTypeOrSelf(op->getResult(0));
      OpBuilder builder(op);
      Bits bits{builder, op->getLoc(), input.getType()};
      // f16 <-> f32 and f32 <-> f64 are instructions.
      bool extends = isa<arith::ExtFOp>(op);
      Type wide = extends ? to : from, narrow = extends ? from : to;
      if (narrow.isF32() || (narrow.isF16() && wide.isF32()))
        return;
      Value value = extends ? expandExtension(bits, input, from, to)
                            : expandTruncation(bits, input, to);
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    });
    getOperation()->walk(carryAsBits);
  }
};

} // namespace
