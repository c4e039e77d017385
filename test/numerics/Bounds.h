// Bounds on what rounding may change (N29): looked up in the generated table
// for sums and products, computed from the format for single roundings. No
// number here is chosen by hand.
#ifndef AMPC_TEST_NUMERICS_BOUNDS_H
#define AMPC_TEST_NUMERICS_BOUNDS_H

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>

namespace ampc::test {

/// The orders of the table (N10).
enum class Accumulation { row, column, contraction };

/// Bound on the error of accumulating `length` terms of float type `element`
/// (for a contraction: products of two such numbers) in its accumulation type,
/// per unit of the sum of the terms' magnitudes, before rounding to the result
/// type. Lengths between two columns take the longer one; beyond the table the
/// last column grows in proportion.
double accumulationBound(mlir::Type element, Accumulation order,
                         int64_t length);

/// Bound on one rounding of a number of magnitude `magnitude` to float type
/// `element`: half a unit in the last place, half the smallest subnormal at
/// least.
double roundingBound(double magnitude, mlir::Type element);

/// Bound on the difference of two conforming results of one accumulation: the
/// accumulation's error and one rounding of each result to `result`.
///   `magnitudes` the sum of the terms' magnitudes, `reference` the reference's
///   result
double sumBound(mlir::Type element, mlir::Type result, Accumulation order,
                int64_t length, double magnitudes, double reference);

/// Bound for a function specified to `ulps` units in the last place of
/// `element` (exp: 2), against a correctly rounded reference.
double ulpBound(double reference, mlir::Type element, double ulps);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_BOUNDS_H
