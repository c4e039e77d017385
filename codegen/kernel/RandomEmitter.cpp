// Philox4x32-10 as arith ops: the number of an element from its number alone
// (N17).
#include "codegen/kernel/PrimitiveEmitter.h"

#include <numbers>

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

namespace {

/// Builds i32 and i64 arithmetic on scalars or vectors shaped like `like`.
struct Words {
  OpBuilder &builder;
  Location loc;
  Type like;

  Value i32(uint32_t value) {
    return constantLike(builder, loc, builder.getI32IntegerAttr(value), like);
  }
  Value i64(uint64_t value) {
    return constantLike(builder, loc, builder.getI64IntegerAttr(value), like);
  }
  Value low(Value wide) {
    return arith::TruncIOp::create(builder, loc,
                                   typeLike(builder.getI32Type(), like), wide);
  }
  Value high(Value wide) {
    return low(arith::ShRUIOp::create(builder, loc, wide, i64(32)));
  }
  Value wide(Value word) {
    return arith::ExtUIOp::create(builder, loc,
                                  typeLike(builder.getI64Type(), like), word);
  }
  Value product(Value word, uint32_t factor) {
    return arith::MulIOp::create(builder, loc, wide(word), i64(factor));
  }
  Value exclusive(Value a, Value b) {
    return arith::XOrIOp::create(builder, loc, a, b);
  }
  /// `scalar` in every lane.
  Value spread(Value scalar) {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector::BroadcastOp::create(
          builder, loc, VectorType::get(vector.getShape(), scalar.getType()),
          scalar);
    return scalar;
  }
};

} // namespace

/// The words of the elements' counters and each element's place among them.
struct Draw {
  Value lane;
  Value words[4];
};

static Draw drawWords(Words words, RandomOp op, Value seed, Value index,
                      Value micro, Value elements, Value site) {
  OpBuilder &builder = words.builder;
  Location loc = words.loc;
  Value quad = arith::ShRUIOp::create(builder, loc, elements, words.i64(2));
  Value lane =
      arith::AndIOp::create(builder, loc, words.low(elements), words.i32(3));

  Value seeds = words.spread(seed);
  Value key0 = words.low(seeds), key1 = words.high(seeds);
  Value micros = arith::ShLIOp::create(
      builder, loc, words.low(words.spread(micro)), words.i32(16));
  Value upper =
      arith::AndIOp::create(builder, loc, words.high(quad), words.i32(0xffff));
  Value counter[4] = {
      words.low(quad), arith::OrIOp::create(builder, loc, micros, upper),
      words.low(words.spread(index)),
      site ? words.spread(site)
           : words.i32(static_cast<uint32_t>(op.getMode()) << 30 |
                       static_cast<uint32_t>(op.getSite()))};
  for (int round = 0; round < 10; ++round) {
    Value p0 = words.product(counter[0], 0xD2511F53u);
    Value p1 = words.product(counter[2], 0xCD9E8D57u);
    Value next0 =
        words.exclusive(words.exclusive(words.high(p1), counter[1]), key0);
    Value next2 =
        words.exclusive(words.exclusive(words.high(p0), counter[3]), key1);
    counter[0] = next0;
    counter[1] = words.low(p1);
    counter[2] = next2;
    counter[3] = words.low(p0);
    key0 = arith::AddIOp::create(builder, loc, key0, words.i32(0x9E3779B9u));
    key1 = arith::AddIOp::create(builder, loc, key1, words.i32(0xBB67AE85u));
  }
  return {lane, {counter[0], counter[1], counter[2], counter[3]}};
}

/// (word >> 8) + `offset`, times 2^-24: a word's upper 24 bits fit a signed
/// i32, so that it is exact in f32 and f64.
static Value unitFrom(Words words, Type type, Value word, uint32_t offset) {
  OpBuilder &builder = words.builder;
  Location loc = words.loc;
  Value bits = arith::ShRUIOp::create(builder, loc, word, words.i32(8));
  if (offset)
    bits = arith::AddIOp::create(builder, loc, bits, words.i32(offset));
  Value number = arith::SIToFPOp::create(builder, loc, type, bits);
  Value unit = constantLike(
      builder, loc, builder.getFloatAttr(getElementTypeOrSelf(type), 0x1p-24),
      type);
  return arith::MulFOp::create(builder, loc, number, unit);
}

static Value emitUniform(Words words, Type type, const Draw &draw) {
  OpBuilder &builder = words.builder;
  Location loc = words.loc;
  Value word = draw.words[3];
  for (int i = 2; i >= 0; --i) {
    Value mine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       draw.lane, words.i32(i));
    word = arith::SelectOp::create(builder, loc, mine, draw.words[i], word);
  }
  return unitFrom(words, type, word, 0);
}

/// Box-Muller of words (0, 1) for lanes 0 and 1, of (2, 3) for 2 and 3. A sine
/// is the cosine a quarter turn earlier, and quarter turns of u2, a multiple of
/// 2^-24, are exact.
static Value emitNormal(Words words, Type type, const Draw &draw) {
  OpBuilder &builder = words.builder;
  Location loc = words.loc;
  auto number = [&](double value) {
    return constantLike(builder, loc,
                        builder.getFloatAttr(getElementTypeOrSelf(type), value),
                        type);
  };
  auto hasBit = [&](uint32_t bit) -> Value {
    Value masked =
        arith::AndIOp::create(builder, loc, draw.lane, words.i32(bit));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, masked,
                                 words.i32(0));
  };
  Value isUpper = hasBit(2), isSine = hasBit(1);
  Value a = arith::SelectOp::create(builder, loc, isUpper, draw.words[2],
                                    draw.words[0]);
  Value b = arith::SelectOp::create(builder, loc, isUpper, draw.words[3],
                                    draw.words[1]);
  Value u1 = unitFrom(words, type, a, 1), u2 = unitFrom(words, type, b, 0);
  Value log = math::LogOp::create(builder, loc, u1);
  Value radius = math::SqrtOp::create(
      builder, loc, arith::MulFOp::create(builder, loc, log, number(-2.0)));
  Value earlier = arith::SubFOp::create(builder, loc, u2, number(0.25));
  Value turn = arith::SelectOp::create(builder, loc, isSine, earlier, u2);
  Value angle =
      arith::MulFOp::create(builder, loc, turn, number(2 * std::numbers::pi));
  Value cosine = math::CosOp::create(builder, loc, angle);
  return arith::MulFOp::create(builder, loc, radius, cosine);
}

Value ampc::emitRandom(OpBuilder &builder, RandomOp op, Value seed, Value index,
                       Value micro, Value elements, Value site) {
  Words words{builder, op.getLoc(), elements.getType()};
  Type type =
      typeLike(tensorType(op.getResult()).getElementType(), elements.getType());
  Draw draw = drawWords(words, op, seed, index, micro, elements, site);
  return op.getDistribution() == Distribution::uniform
             ? emitUniform(words, type, draw)
             : emitNormal(words, type, draw);
}
