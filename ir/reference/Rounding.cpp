// Rounding to the element types of the language; see Rounding.h.
#include "ir/reference/Rounding.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;

namespace ampc::reference {

namespace {

constexpr FloatFormat kF64{53, -1022, 0x1.fffffffffffffp1023, true, 64};
constexpr FloatFormat kF32{24, -126, 0x1.fffffep127, true, 32};
constexpr FloatFormat kF16{11, -14, 65504.0, true, 16};
constexpr FloatFormat kBF16{8, -126, 0x1.fep127, true, 16};
constexpr FloatFormat kF8E4M3FN{4, -6, 448.0, false, 8};
constexpr FloatFormat kF8E5M2{3, -14, 57344.0, true, 8};

constexpr int kF64Mantissa = 52;
constexpr int kF64Bias = 1023;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// 2^exponent, exponent in the normal range of f64.
double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + kF64Bias)
                               << kF64Mantissa);
}

/// Exponent of a finite nonzero f64; below every other format's range for
/// subnormals.
int exponentOf(double value) {
  return static_cast<int>((std::bit_cast<uint64_t>(value) >> kF64Mantissa) &
                          0x7ff) -
         kF64Bias;
}

} // namespace

const FloatFormat *formatOf(Type element) {
  if (isa<Float32Type>(element))
    return &kF32;
  if (isa<Float64Type>(element))
    return &kF64;
  if (isa<BFloat16Type>(element))
    return &kBF16;
  if (isa<Float16Type>(element))
    return &kF16;
  if (isa<Float8E4M3FNType>(element))
    return &kF8E4M3FN;
  if (isa<Float8E5M2Type>(element))
    return &kF8E5M2;
  return nullptr;
}

double Rounder::operator()(double value) const {
  if (format == &kF32)
    return static_cast<double>(static_cast<float>(value));
  if (format == &kF64)
    return value;
  return roundNarrow(value);
}

double Rounder::roundNarrow(double value) const {
  if (value == 0 || std::isnan(value))
    return value;
  if (std::isinf(value))
    return format->hasInfinity ? value : kNaN;
  // The spacing of the format's numbers around `value`; below the normal range
  // it stays constant.
  int exponent = std::max(exponentOf(value), format->minExponent);
  double spacing = powerOfTwo(exponent - format->precision + 1);
  // Scaling by a power of two is exact. Adding and subtracting 2^52 rounds to
  // an integer, ties to even, in f64's own rounding.
  double magnitude = std::fabs(value) / spacing;
  double rounded = ((magnitude + 0x1p52) - 0x1p52) * spacing;
  if (rounded > format->maxFinite)
    rounded =
        format->hasInfinity ? std::numeric_limits<double>::infinity() : kNaN;
  return std::copysign(rounded, value);
}

double roundTo(double value, Type element) { return Rounder(element)(value); }

double roundInteger(int64_t value, Type element) {
  if (isa<Float64Type>(element))
    return static_cast<double>(value);
  if (isa<Float32Type>(element))
    return static_cast<double>(static_cast<float>(value));
  // Through f64 by rounding to odd: the 11 lowest bits of the magnitude join in
  // one sticky bit, so that f64 holds the number exactly and the second step is
  // the only rounding to nearest.
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value)
                                 : static_cast<uint64_t>(value);
  if (magnitude >> 53) {
    uint64_t low = magnitude & 0x7ff;
    magnitude = (magnitude & ~uint64_t(0x7ff)) | (low ? 0x800 : 0);
  }
  double exact = static_cast<double>(magnitude);
  return roundTo(value < 0 ? -exact : exact, element);
}

int64_t wrapTo(int64_t value, Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    return value & 1;
  unsigned unused = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

int64_t truncateTo(double value, Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    return value != 0;
  if (std::isnan(value))
    return 0;
  int64_t high = std::numeric_limits<int64_t>::max() >> (64 - width);
  int64_t low = -high - 1;
  // The bounds as f64: -2^(width-1) is exact, 2^(width-1) is the first number
  // above the range.
  double bound = powerOfTwo(static_cast<int>(width) - 1);
  if (value >= bound)
    return high;
  if (value <= -bound)
    return low;
  return static_cast<int64_t>(value);
}

uint64_t encode(double value, Type element) {
  const FloatFormat &format = *formatOf(element);
  if (&format == &kF64)
    return std::bit_cast<uint64_t>(value);
  if (&format == &kF32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  int mantissaBits = format.precision - 1;
  uint64_t sign = static_cast<uint64_t>(std::signbit(value))
                  << (format.bits - 1);
  uint64_t exponentMask =
      ((uint64_t(1) << (format.bits - 1 - mantissaBits)) - 1) << mantissaBits;
  uint64_t mantissaMask = (uint64_t(1) << mantissaBits) - 1;
  if (std::isnan(value)) {
    if (!format.hasInfinity)
      return sign | exponentMask | mantissaMask;
    uint64_t payload =
        std::bit_cast<uint64_t>(value) >> (kF64Mantissa - mantissaBits);
    uint64_t quiet = uint64_t(1) << (mantissaBits - 1);
    return sign | exponentMask | quiet | (payload & mantissaMask);
  }
  if (std::isinf(value))
    return sign | exponentMask;
  double magnitude = std::fabs(value);
  if (magnitude <
      powerOfTwo(
          format.minExponent)) // zero or subnormal: a count of smallest steps
    return sign |
           static_cast<uint64_t>(magnitude /
                                 powerOfTwo(format.minExponent - mantissaBits));
  uint64_t mantissa =
      (std::bit_cast<uint64_t>(magnitude) >> (kF64Mantissa - mantissaBits)) &
      mantissaMask;
  uint64_t exponent =
      static_cast<uint64_t>(exponentOf(magnitude) - format.minExponent + 1);
  return sign | (exponent << mantissaBits) | mantissa;
}

double decode(uint64_t bits, Type element) {
  const FloatFormat &format = *formatOf(element);
  if (&format == &kF64)
    return std::bit_cast<double>(bits);
  if (&format == &kF32)
    return static_cast<double>(
        std::bit_cast<float>(static_cast<uint32_t>(bits)));
  int mantissaBits = format.precision - 1;
  uint64_t top = (uint64_t(1) << (format.bits - 1 - mantissaBits)) -
                 1; // the highest exponent
  uint64_t mantissa = bits & ((uint64_t(1) << mantissaBits) - 1);
  uint64_t exponent = (bits >> mantissaBits) & top;
  bool negative = (bits >> (format.bits - 1)) & 1;
  double magnitude;
  if (format.hasInfinity && exponent == top && mantissa == 0) {
    magnitude = std::numeric_limits<double>::infinity();
  } else if (exponent == top && (format.hasInfinity || mantissa == 7)) {
    uint64_t payload = mantissa << (kF64Mantissa - mantissaBits);
    magnitude = std::bit_cast<double>(uint64_t(0x7ff8) << 48 | payload);
  } else if (exponent == 0) {
    magnitude = static_cast<double>(mantissa) *
                powerOfTwo(format.minExponent - mantissaBits);
  } else {
    double significand =
        static_cast<double>(mantissa | (uint64_t(1) << mantissaBits));
    magnitude = significand * powerOfTwo(static_cast<int>(exponent) - 1 +
                                         format.minExponent - mantissaBits);
  }
  return negative ? -magnitude : magnitude;
}

} // namespace ampc::reference
