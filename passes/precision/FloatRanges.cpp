// Interval arithmetic over an entry; see FloatRanges.h.
#include "passes/precision/FloatRanges.h"

#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

FloatRange joined(const FloatRange &a, const FloatRange &b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// 0 times what has no bound is 0: the factor is 0 wherever it is taken.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

FloatRange product(const FloatRange &a, const FloatRange &b) {
  auto [low, high] = std::minmax({times(a.low, b.low), times(a.low, b.high),
                                  times(a.high, b.low), times(a.high, b.high)});
  return {low, high};
}

FloatRange sum(const FloatRange &a, const FloatRange &b) {
  return {a.low + b.low, a.high + b.high};
}

/// `range`, `count` times added up.
FloatRange repeated(const FloatRange &range, double count) {
  return {times(range.low, count), times(range.high, count)};
}

FloatRange ofConstant(ConstantOp op) {
  auto elements = dyn_cast<DenseFPElementsAttr>(op.getValue());
  if (!elements || elements.getNumElements() == 0)
    return {};
  FloatRange range{kInfinity, -kInfinity};
  auto add = [&](APFloat value) {
    bool loses = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    double number = value.convertToDouble();
    range = joined(range, {number, number});
  };
  if (elements.isSplat())
    add(elements.getSplatValue<APFloat>());
  else
    for (const APFloat &value : elements.getValues<APFloat>())
      add(value);
  return std::isnan(range.low) || std::isnan(range.high) ? FloatRange() : range;
}

/// How many elements of its input each element of a reduction is made of.
double reducedCount(ReduceOp op) {
  double all = static_cast<double>(tensorType(op.getInput()).getNumElements());
  double kept =
      static_cast<double>(tensorType(op.getResult()).getNumElements());
  return kept > 0 ? all / kept : 0;
}

FloatRange ofReduction(ReduceOp op, const FloatRange &input) {
  switch (op.getKind()) {
  case ReduceKind::sum:
    return repeated(input, reducedCount(op));
  case ReduceKind::mean:
  case ReduceKind::max:
  case ReduceKind::min:
    return input;
  default:
    return {};
  }
}

} // namespace

FloatRanges::FloatRanges(func::FuncOp func) {
  for (Operation &op : func.front().without_terminator()) {
    FloatRange range = visit(&op);
    for (Value result : op.getResults())
      ranges[result] = range;
  }
}

FloatRange FloatRanges::visit(Operation *op) const {
  auto in = [&](unsigned i) { return of(op->getOperand(i)); };
  constexpr FloatRange unit{0, 1}, balanced{-1, 1}, positive{0, kInfinity},
      negative{-kInfinity, 0};
  return llvm::TypeSwitch<Operation *, FloatRange>(op)
      .Case([&](ConstantOp constant) { return ofConstant(constant); })
      .Case<SigmoidOp, SoftmaxOp, OneHotOp, CompareOp, AccuracyOp>(
          [&](auto) { return unit; })
      .Case<TanhOp, ErfOp, SinOp, CosOp, SignOp>([&](auto) { return balanced; })
      .Case<SoftplusOp, SqrtOp, RsqrtOp, MseOp, L1Op, HuberOp, CrossEntropyOp,
            VarianceOp>([&](auto) { return positive; })
      .Case([&](LogSoftmaxOp) { return negative; })
      .Case([&](ReluOp) {
        return FloatRange{0, std::max(in(0).high, 0.0)};
      })
      .Case([&](ExpOp) {
        return FloatRange{std::exp(in(0).low), std::exp(in(0).high)};
      })
      .Case([&](AbsOp) {
        return FloatRange{0, in(0).magnitude()};
      })
      .Case([&](NegOp) {
        return FloatRange{-in(0).high, -in(0).low};
      })
      .Case([&](ClipOp clip) {
        FloatRange range = in(0);
        if (std::optional<APFloat> low = clip.getMin())
          range.low = std::max(range.low, low->convertToDouble());
        if (std::optional<APFloat> high = clip.getMax())
          range.high = std::min(range.high, high->convertToDouble());
        // Rounding of a bound may take it out of the interval by one place.
        return range;
      })
      .Case([&](AddOp) { return sum(in(0), in(1)); })
      .Case([&](SubOp) {
        return sum(in(0), {-in(1).high, -in(1).low});
      })
      .Case([&](MulOp) { return product(in(0), in(1)); })
      .Case([&](MaximumOp) {
        return FloatRange{std::max(in(0).low, in(1).low),
                          std::max(in(0).high, in(1).high)};
      })
      .Case([&](MinimumOp) {
        return FloatRange{std::min(in(0).low, in(1).low),
                          std::min(in(0).high, in(1).high)};
      })
      .Case([&](SelectOp) { return joined(in(1), in(2)); })
      .Case([&](CastOp cast) {
        return tensorType(cast.getInput()).getElementType().isInteger(1)
                   ? unit
                   : in(0);
      })
      .Case<ReshapeOp, TransposeOp, SliceOp, BroadcastOp, DetachOp, TakeOp,
            GatherOp>([&](auto) { return in(0); })
      .Case([&](PadOp) {
        return joined(in(0), {0, 0});
      })
      .Case([&](ConcatOp) {
        FloatRange range = in(0);
        for (unsigned i = 1; i < op->getNumOperands(); ++i)
          range = joined(range, in(i));
        return range;
      })
      .Case([&](ReduceOp reduce) { return ofReduction(reduce, in(0)); })
      .Case([&](MatmulOp matmul) {
        if (matmul.hasEpilogue())
          return FloatRange();
        FloatRange range = repeated(product(in(0), in(1)),
                                    static_cast<double>(matmul.extents().k));
        return matmul.getInit() ? sum(range, in(2)) : range;
      })
      .Default([](Operation *) { return FloatRange(); });
}

} // namespace ampc
