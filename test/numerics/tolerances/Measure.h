// Measures the error of the accumulation orders and prints the table that
// Bounds.h reads.
#ifndef AMPC_TEST_NUMERICS_TOLERANCES_MEASURE_H
#define AMPC_TEST_NUMERICS_TOLERANCES_MEASURE_H

#include <cstdint>
#include <string>

namespace ampc::test {

/// Seed of the terms.
inline constexpr uint64_t kToleranceSeed = 20240611;
/// An entry is the largest error seen, times this.
inline constexpr double kToleranceSafety = 4.0;
/// Table lengths are 4^0, 4^1, ..., 4^(kToleranceLengths - 1).
inline constexpr int kToleranceLengths = 11;

/// Trials of one length and distribution: 2^20 terms in all, within [4, 256].
int64_t toleranceTrials(int64_t length);

/// The text of Tolerances.inc. The same on every machine: only sums, products,
/// fused multiply-adds and conversions of IEEE 754 take part.
std::string toleranceTable();

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_TOLERANCES_MEASURE_H
