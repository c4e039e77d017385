// The value of amp.random; see Random.h and Random.td.
#include "ir/reference/Random.h"

#include "ir/reference/Models.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace ampc::reference {

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                   uint64_t key) {
  uint32_t low = static_cast<uint32_t>(key),
           high = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ low,
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ high,
               static_cast<uint32_t>(first)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return counter;
}

std::array<uint32_t, 4> RandomStream::words(uint64_t element) const {
  uint64_t quad = element / 4;
  uint32_t upper = static_cast<uint32_t>((quad >> 32) & 0xffff);
  return philox4x32({static_cast<uint32_t>(quad), (micro << 16) | upper, index,
                     (static_cast<uint32_t>(mode) << 30) | site},
                    seed);
}

double RandomStream::uniform(uint64_t element) const {
  return static_cast<double>(words(element)[element % 4] >> 8) * 0x1p-24;
}

double RandomStream::normal(uint64_t element) const {
  std::array<uint32_t, 4> drawn = words(element);
  uint32_t a = drawn[element % 4 / 2 * 2], b = drawn[element % 4 / 2 * 2 + 1];
  double u1 = static_cast<double>((a >> 8) + 1) *
              0x1p-24; // in (0, 1]: the logarithm is finite
  double u2 = static_cast<double>(b >> 8) * 0x1p-24;
  double radius = std::sqrt(-2.0 * std::log(u1));
  double angle = 2.0 * std::numbers::pi * u2;
  return radius * (element % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

FailureOr<RandomStream> streamOf(amp::RandomSite op,
                                 ArrayRef<const Tensor *> key) {
  if (key.empty())
    return op->emitOpError()
           << "has no seed, index and micro yet; evaluate an entry";
  return RandomStream{static_cast<uint64_t>(key[0]->integers()[0]),
                      op.getMode(), static_cast<uint32_t>(op.getSite()),
                      static_cast<uint32_t>(key[1]->integers()[0]),
                      static_cast<uint32_t>(key[2]->integers()[0])};
}

void applyDropout(const RandomStream &stream, double p, Type compute,
                  std::vector<double> &values) {
  double divisor = roundTo(1 - p, compute);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = stream.uniform(i) >= p ? values[i] / divisor : 0;
}

namespace {

struct RandomModel : Model<RandomModel, amp::RandomOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::RandomOp>(operation);
    FailureOr<RandomStream> stream = streamOf(op, in);
    if (failed(stream))
      return failure();
    bool uniform = op.getDistribution() == amp::Distribution::uniform;
    Tensor result(resultType(op));
    Rounder round(result.elementType());
    for (int64_t i = 0, count = result.size(); i < count; ++i)
      result.floats()[i] =
          round(uniform ? stream->uniform(i) : stream->normal(i));
    out.push_back(std::move(result));
    return success();
  }
};

struct DropoutModel : Model<DropoutModel, amp::DropoutOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::DropoutOp>(operation);
    double p = op.getP().convertToDouble();
    std::vector<double> values = in[0]->floats();
    if (op.drawsIn(op.getMode())) {
      FailureOr<RandomStream> stream = streamOf(op, in.drop_front());
      if (failed(stream))
        return failure();
      applyDropout(*stream, p,
                   amp::computeTypeFor(resultType(op).getElementType()),
                   values);
    } else if (op.getMode() == amp::RandomMode::train && p == 1) {
      llvm::fill(values, 0.0);
    }
    out.push_back(Tensor::ofFloats(resultType(op), std::move(values)));
    return success();
  }
};

} // namespace

void attachRandomModels(MLIRContext &context) {
  amp::RandomOp::attachInterface<RandomModel>(context);
  amp::DropoutOp::attachInterface<DropoutModel>(context);
}

} // namespace ampc::reference
