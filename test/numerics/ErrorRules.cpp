// The rules of the running error analysis. With a value x known within e:
// an exact function of interval arithmetic gives the propagated part; where
// the op rounds, both the conforming value and the reference do, each by at
// most half a unit in the last place. A correctly rounded op on exact operands
// has one value, so its error is 0.
#include "test/numerics/ErrorRules.h"

#include "ir/dialect/Dialect.h"
#include "ir/reference/Indexing.h"
#include "ir/reference/MatrixProduct.h"
#include "test/numerics/Bounds.h"
#include "test/numerics/Intervals.h"

#include <cmath>

using namespace mlir;

namespace ampc::test {

namespace {

/// Whether `x` is surely this infinity.
bool isInfinity(Number x) { return std::isinf(x.value) && x.error == 0; }

/// Sums and differences; one that a masked element's infinity decides has one
/// value.
void boundSum(ArrayRef<SharedBounded> in, Bounded &out, bool sure) {
  roundedMap(in, out, sure,
             [](Number a, Number b) { return a.error + b.error; });
  for (int64_t i = 0; i < out.value.size(); ++i)
    if (isInfinity(at(in[0], i)) != isInfinity(at(in[1], i)) &&
        std::isfinite(in[0]->error[i] + in[1]->error[i]))
      out.error[i] = 0;
}

double divError(Number a, Number b) {
  double least = std::fabs(b.value) - b.error;
  if (!(least > 0))
    return kUnknown;
  return (a.error + std::fabs(a.value / b.value) * b.error) / least;
}

double sqrtError(Number x) {
  if (x.low() < 0)
    return kUnknown; // may be NaN
  return reach(std::sqrt(x.value), std::sqrt(x.low()), std::sqrt(x.high()));
}

void boundExp(ArrayRef<SharedBounded> in, Bounded &out) {
  Type element = out.value.elementType();
  for (int64_t i = 0; i < out.value.size(); ++i) {
    double value = out.value.number(i);
    if (!std::isfinite(in[0]->value.number(i)) && in[0]->error[i] == 0)
      continue; // exp of inf and NaN has no rounding
    double propagated = value * std::expm1(in[0]->error[i]);
    out.error[i] = propagated + ulpBound(value + propagated, element, 2);
  }
}

void boundSelect(ArrayRef<SharedBounded> in, Bounded &out) {
  exactMap(out, [&](int64_t i) {
    bool chosen = in[0]->value.integers()[i];
    Number own = at(in[chosen ? 1 : 2], i), other = at(in[chosen ? 2 : 1], i);
    if (in[0]->error[i] == 0)
      return own.error;
    return std::max(own.error,
                    std::fabs(own.value - other.value) + other.error);
  });
}

/// 1 where the comparison may go either way. Intervals that touch may, exactly
/// known numbers never.
void boundCompare(ArrayRef<SharedBounded> in, Bounded &out) {
  exactMap(out, [&](int64_t i) {
    Number a = at(in[0], i), b = at(in[1], i);
    double slack = a.error + b.error;
    return slack > 0 && !(std::fabs(a.value - b.value) > slack) ? 1.0 : 0.0;
  });
}

void boundCast(ArrayRef<SharedBounded> in, Bounded &out, bool sure) {
  Type to = out.value.elementType();
  exactMap(out, [&](int64_t i) {
    Number x = at(in[0], i);
    bool isExact = out.value.number(i) == x.value; // widening, for instance
    if (x.error == 0 && (sure || isExact || !isa<FloatType>(to)))
      return 0.0;
    if (to.isInteger(1))
      return x.magnitude() > 2 * x.error ? 0.0 : 1.0;
    if (!isa<FloatType>(to))
      return x.error + 1;
    return x.error + twoRoundings(out.value.number(i), x.error, to);
  });
}

void boundConstant(Bounded &out, bool sure) {
  if (sure || !out.value.isFloat())
    return;
  exactMap(out, [&](int64_t i) {
    double value = out.value.number(i);
    bool hasOneValue = value == 0 || !std::isfinite(value);
    return hasOneValue ? 0.0 : roundingBound(value, out.value.elementType());
  });
}

void boundBroadcast(amp::BroadcastOp op, ArrayRef<SharedBounded> in,
                    Bounded &out) {
  ArrayRef<int64_t> shape = in[0]->value.shape();
  SmallVector<int64_t> own = reference::rowMajorStrides(shape);
  SmallVector<int64_t> strides(out.value.shape().size(), 0);
  for (auto [i, axis] : llvm::enumerate(op.getAxes()))
    strides[axis] = shape[i] == 1 ? 0 : own[i];
  reference::walkStrided(
      out.value.shape(), strides,
      [&](int64_t to, int64_t from) { out.error[to] = in[0]->error[from]; });
}

void boundReduce(amp::ReduceOp op, ArrayRef<SharedBounded> in, Bounded &out) {
  const Bounded &input = *in[0];
  SmallVector<int64_t> kept = reference::rowMajorStrides(out.value.shape()),
                       strides;
  int64_t next = 0, length = 1;
  for (auto [axis, extent] : llvm::enumerate(input.value.shape())) {
    bool reduced = llvm::is_contained(op.getAxes(), static_cast<int64_t>(axis));
    strides.push_back(reduced ? 0 : kept[next++]);
    length *= reduced ? extent : 1;
  }
  bool isProduct = op.getKind() == amp::ReduceKind::prod;
  size_t count = out.error.size();
  // Sums of errors and magnitudes; products of magnitudes; ends of extremes.
  std::vector<double> errors(count, 0.0),
      magnitudes(count, isProduct ? 1.0 : 0.0);
  std::vector<double> exact(count, 1.0), high(count, -kUnknown),
      low(count, kUnknown);
  std::vector<double> highOfLows(count, -kUnknown), lowOfHighs(count, kUnknown);
  std::vector<double> first(count, -1.0); // error of the first element
  std::vector<int64_t> nonzero(count, 0);
  reference::walkStrided(
      input.value.shape(), strides, [&](int64_t from, int64_t to) {
        Number x{input.value.number(from), input.error[from]};
        errors[to] += x.error;
        nonzero[to] += x.magnitude() != 0;
        first[to] = first[to] < 0 ? x.error : first[to];
        magnitudes[to] = isProduct ? magnitudes[to] * x.magnitude()
                                   : magnitudes[to] + x.magnitude();
        exact[to] *= std::fabs(x.value);
        high[to] = std::max(high[to], x.high());
        highOfLows[to] = std::max(highOfLows[to], x.low());
        low[to] = std::min(low[to], x.low());
        lowOfHighs[to] = std::min(lowOfHighs[to], x.high());
      });
  Type from = input.value.elementType(), to = out.value.elementType();
  bool isFloat = isa<FloatType>(to);
  Accumulation order = op.getOrder() == amp::AccumulationOrder::row
                           ? Accumulation::row
                           : Accumulation::column;
  for (size_t i = 0; i < count; ++i) {
    double value = out.value.number(static_cast<int64_t>(i)), error = 0;
    switch (op.getKind()) {
    case amp::ReduceKind::max:
      out.error[i] = errors[i] == 0 ? 0 : reach(value, highOfLows[i], high[i]);
      continue;
    case amp::ReduceKind::min:
      out.error[i] = errors[i] == 0 ? 0 : reach(value, low[i], lowOfHighs[i]);
      continue;
    case amp::ReduceKind::first:
      error = first[i];
      if (from == to) {
        out.error[i] = error;
        continue;
      }
      break;
    case amp::ReduceKind::prod: {
      // Each factor is one rounding in the accumulation type.
      double unit = isFloat ? roundingBound(1, op.getAccumulation()) : 0;
      error = magnitudes[i] - exact[i] +
              magnitudes[i] *
                  std::expm1(static_cast<double>(length) * std::log1p(unit));
      break;
    }
    case amp::ReduceKind::sum:
    case amp::ReduceKind::mean:
      // One exact number among zeros: a label's, or none of a masked row or of
      // no elements.
      if (nonzero[i] <= 1 && errors[i] == 0 && from == to &&
          op.getKind() == amp::ReduceKind::sum)
        continue;
      error = errors[i];
      if (isFloat)
        error += accumulationBound(from, order, length) * magnitudes[i];
      if (op.getKind() == amp::ReduceKind::mean) {
        error /= static_cast<double>(length);
        error += roundingBound(std::fabs(value) + error, op.getAccumulation());
      }
      break;
    }
    out.error[i] = error + twoRoundings(value, error, to);
  }
}

void boundMatmul(amp::MatmulOp op, ArrayRef<SharedBounded> in, Bounded &out) {
  auto magnitudes = [](const Bounded &operand, bool withErrors) {
    std::vector<double> values;
    for (size_t i = 0; i < operand.error.size(); ++i)
      values.push_back(std::fabs(operand.value.floats()[i]) +
                       (withErrors ? operand.error[i] : 0.0));
    return values;
  };
  // |A||B| with and without errors: their difference is what errors can add.
  auto product = [&](bool withErrors) {
    return reference::matrixProduct(
        op, magnitudes(*in[0], withErrors), magnitudes(*in[1], withErrors),
        op.getInit() ? magnitudes(*in[2], withErrors) : std::vector<double>());
  };
  std::vector<double> wide = product(true);
  bool exact = llvm::all_of(in, [](const SharedBounded &operand) {
    return llvm::all_of(operand->error, [](double e) { return e == 0; });
  });
  std::vector<double> tight = exact ? wide : product(false);
  // What the sums begin from is one more term.
  int64_t k = op.extents().k + (op.getInit() ? 1 : 0);
  double relative = accumulationBound(in[0]->value.elementType(),
                                      Accumulation::contraction, k);
  // The two f64 products above are rounded too.
  if (!exact)
    relative += 2 * static_cast<double>(k) * 0x1p-53;
  for (size_t i = 0; i < out.error.size(); ++i) {
    double error = std::max(wide[i] - tight[i], 0.0) + relative * wide[i];
    out.error[i] = error + twoRoundings(out.value.floats()[i], error,
                                        out.value.elementType());
  }
}

void boundRandom(amp::RandomOp op, Bounded &out) {
  if (op.getDistribution() == amp::Distribution::uniform)
    return; // integer arithmetic and one exact scaling
  // r cos(t) with r = sqrt(-2 ln u), at most sqrt(48 ln 2), in arithmetic of
  // the result's type with ln and cos within 2 ulp (4 units of roundoff): r has
  // the relative error 4/2 + 1, t the absolute error 2 * 2 pi, the product one.
  double unit = roundingBound(1, out.value.elementType());
  double radius = std::sqrt(48 * std::log(2.0));
  llvm::fill(out.error, radius * (3 + 4 * M_PI + 4 + 1) * unit);
}

} // namespace

LogicalResult boundErrors(Operation *op, ArrayRef<SharedBounded> in,
                          Roundings roundings,
                          MutableArrayRef<Bounded> results) {
  Bounded &out = results[0];
  bool sure = roundings == Roundings::typed; // exact operands give one value
  auto takeFirst = [&](int64_t i) { return in[0]->error[i]; };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<amp::AddOp, amp::SubOp>(
          [&](auto) { return boundSum(in, out, sure), success(); })
      .Case([&](amp::MulOp) {
        roundedMap(in, out, sure, [](Number a, Number b) {
          return std::fabs(a.value) * b.error + std::fabs(b.value) * a.error +
                 a.error * b.error;
        });
        return success();
      })
      .Case([&](amp::DivOp) {
        return roundedMap(in, out, sure, divError), success();
      })
      .Case([&](amp::SqrtOp) {
        roundedMap(in, out, sure,
                   [](Number x, Number) { return sqrtError(x); });
        return success();
      })
      .Case<amp::MaximumOp, amp::MinimumOp>([&](auto typed) {
        bool largest = isa<amp::MaximumOp>(typed);
        exactMap(out, [&](int64_t i) {
          Number a = at(in[0], i), b = at(in[1], i);
          if (a.error == 0 && b.error == 0)
            return 0.0;
          auto pick = [&](double x, double y) {
            return largest ? std::max(x, y) : std::min(x, y);
          };
          return reach(out.value.number(i), pick(a.low(), b.low()),
                       pick(a.high(), b.high()));
        });
        return success();
      })
      .Case<amp::NegOp, amp::AbsOp, amp::ReshapeOp>(
          [&](auto) { return exactMap(out, takeFirst), success(); })
      .Case([&](amp::ExpOp) { return boundExp(in, out), success(); })
      .Case([&](amp::SelectOp) { return boundSelect(in, out), success(); })
      .Case([&](amp::CompareOp) { return boundCompare(in, out), success(); })
      .Case([&](amp::CastOp) { return boundCast(in, out, sure), success(); })
      .Case(
          [&](amp::ConstantOp) { return boundConstant(out, sure), success(); })
      .Case([&](amp::BroadcastOp typed) {
        return boundBroadcast(typed, in, out), success();
      })
      .Case([&](amp::ReduceOp typed) {
        return boundReduce(typed, in, out), success();
      })
      .Case([&](amp::MatmulOp typed) {
        return boundMatmul(typed, in, out), success();
      })
      .Case([&](amp::RandomOp typed) {
        return boundRandom(typed, out), success();
      })
      .Case([&](amp::AdamOp) { return boundAdam(op, in, results), success(); })
      .Default([&](Operation *other) {
        if (boundFunction(other, in, sure, out))
          return success();
        if (succeeded(boundMovement(other, in, sure, out)))
          return success();
        return LogicalResult(other->emitOpError() << "has no error rule");
      });
}

} // namespace ampc::test
