// Rounding to the element types of the language (N1): from f64 straight to the
// target, one rounding to nearest, ties to even. Nothing here rounds twice,
// flushes a subnormal or loses a NaN.
#ifndef AMPC_IR_REFERENCE_ROUNDING_H
#define AMPC_IR_REFERENCE_ROUNDING_H

#include "mlir/IR/BuiltinTypes.h"

namespace ampc::reference {

/// A binary float format of the language.
struct FloatFormat {
  /// Bits of the significand, the implicit one included.
  int precision;
  /// Exponent of the smallest normal number.
  int minExponent;
  /// Largest finite value.
  double maxFinite;
  /// False for f8E4M3FN, where overflow gives NaN.
  bool hasInfinity;
  /// Bits of the format in storage.
  int bits;
};

/// The format of a float type; null for any other type and for floats the
/// language does not know.
const FloatFormat *formatOf(mlir::Type element);

/// Rounds f64 values to one format, fixed once so that loops over elements ask
/// no type.
class Rounder {
public:
  /// `element` is a float type of the language.
  explicit Rounder(mlir::Type element) : format(formatOf(element)) {}
  double operator()(double value) const;

private:
  double roundNarrow(double value) const;
  const FloatFormat *format;
};

/// `value` rounded to float type `element`.
double roundTo(double value, mlir::Type element);

/// The integer `value` rounded to float type `element`, once.
double roundInteger(int64_t value, mlir::Type element);

/// `value` wrapped to integer type `element` (two's complement; i1 keeps the
/// lowest bit, 0 or 1).
int64_t wrapTo(int64_t value, mlir::Type element);

/// `value` truncated toward zero to integer type `element`: the nearest bound
/// where it does not fit, 0 for NaN; to i1 whether it is nonzero.
int64_t truncateTo(double value, mlir::Type element);

/// The storage bits of `value`, which `element` can represent. A NaN keeps sign
/// and upper payload and becomes quiet.
uint64_t encode(double value, mlir::Type element);

/// The value of storage bits `bits`.
double decode(uint64_t bits, mlir::Type element);

} // namespace ampc::reference

#endif // AMPC_IR_REFERENCE_ROUNDING_H
