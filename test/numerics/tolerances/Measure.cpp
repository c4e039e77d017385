// The generator of the tolerance table; see Measure.h.
#include "test/numerics/tolerances/Measure.h"

#include "ir/reference/Rounding.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "test/numerics/Graph.h"
#include "test/numerics/Orders.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>

using namespace mlir;

namespace ampc::test {

namespace {

enum Order { row, column, contraction, orderCount };
constexpr const char *kOrderNames[] = {"row", "column", "contraction"};

/// Terms whose sums behave differently: all of one sign, mixed signs that
/// cancel, and mixed signs over twenty binary orders of magnitude.
enum Distribution { positive, mixed, wide, distributionCount };

double draw(Distribution distribution, Numbers &numbers) {
  // All 53 bits of an f64, so that sums of f64 round too.
  double magnitude = static_cast<double>(numbers.word() >> 11) * 0x1p-53;
  if (distribution == positive)
    return magnitude;
  uint64_t bits = numbers.word();
  double value = bits >> 63 ? magnitude : -magnitude;
  if (distribution == mixed)
    return value;
  return std::ldexp(value, -static_cast<int>(bits % 21));
}

/// The order's error against ascending f64 sums (the reference evaluator's),
/// divided by the sum of the terms' magnitudes: the largest of all trials.
/// Terms are of the format that `round` rounds to; T is their accumulation
/// type.
template <typename T>
std::array<double, orderCount> measure(const reference::Rounder &round,
                                       int64_t length, Numbers &numbers) {
  std::array<double, orderCount> worst{};
  std::vector<T> a(length), b(length);
  auto record = [&](Order order, T value, double exact, double magnitude) {
    if (magnitude > 0)
      worst[order] =
          std::max(worst[order],
                   std::fabs(static_cast<double>(value) - exact) / magnitude);
  };
  for (int kind = 0; kind < distributionCount; ++kind)
    for (int64_t trial = 0; trial < toleranceTrials(length); ++trial) {
      double sum = 0, magnitude = 0, dot = 0, dotMagnitude = 0;
      for (int64_t i = 0; i < length; ++i) {
        double x = round(draw(static_cast<Distribution>(kind), numbers));
        double y = round(draw(static_cast<Distribution>(kind), numbers));
        a[i] = static_cast<T>(x);
        b[i] = static_cast<T>(y);
        sum += x;
        magnitude += std::fabs(x);
        dot += x * y;
        dotMagnitude += std::fabs(x * y);
      }
      record(row, rowSum(a), sum, magnitude);
      record(column, columnSum(a), sum, magnitude);
      record(contraction, blockedDot<T, false>(a, b), dot, dotMagnitude);
      record(contraction, blockedDot<T, true>(a, b), dot, dotMagnitude);
      record(contraction, straightDot<T, false>(a, b), dot, dotMagnitude);
      record(contraction, straightDot<T, true>(a, b), dot, dotMagnitude);
    }
  return worst;
}

} // namespace

int64_t toleranceTrials(int64_t length) {
  return std::clamp<int64_t>((int64_t(1) << 20) / length, 4, 256);
}

std::string toleranceTable() {
  MLIRContext context;
  Builder builder(&context);
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "// Generated: `ampc-tolerances > test/numerics/Tolerances.inc` "
         "(test/numerics/tolerances).\n"
      << "// Seed " << kToleranceSeed << "; per length n " << toleranceTrials(1)
      << " trials, for long n as many as make 2^20 terms, at\n"
      << "// least " << toleranceTrials(int64_t(1) << 30) << ", of each of "
      << static_cast<int>(distributionCount) << " distributions; safety factor "
      << llvm::format("%g", kToleranceSafety) << ".\n"
      << "// An entry bounds |accumulated - reference| / sum of |terms|, "
         "before any rounding to the\n"
      << "// result type. One row a format of the terms (f64 accumulates in "
         "f64, the others in f32)\n"
      << "// and order; one column a length 4^0, 4^1, ..., 4^"
      << kToleranceLengths - 1 << ".\n"
      << "// clang-format off\n";
  for (auto [name, type] :
       {std::pair<const char *, Type>("f64", builder.getF64Type()),
        {"f32", builder.getF32Type()},
        {"f16", builder.getF16Type()},
        {"bf16", builder.getBF16Type()}}) {
    reference::Rounder round(type);
    std::array<std::array<double, kToleranceLengths>, orderCount> table{};
    for (int column = 0; column < kToleranceLengths; ++column) {
      int64_t length = int64_t(1) << (2 * column);
      Numbers numbers(kToleranceSeed + static_cast<uint64_t>(column));
      std::array<double, orderCount> worst =
          type.isF64() ? measure<double>(round, length, numbers)
                       : measure<float>(round, length, numbers);
      for (int order = 0; order < orderCount; ++order) {
        // Longer never bounds less: lengths in between take the next entry.
        double before = column ? table[order][column - 1] : 0;
        table[order][column] =
            std::max(before, worst[order] * kToleranceSafety);
      }
    }
    for (int order = 0; order < orderCount; ++order) {
      out << "{\"" << name << "\", Accumulation::" << kOrderNames[order]
          << ", {";
      for (int column = 0; column < kToleranceLengths; ++column)
        out << (column ? ", " : "")
            << llvm::format("%.3e", table[order][column]);
      out << "}},\n";
    }
  }
  out << "// clang-format on\n";
  return text;
}

} // namespace ampc::test
