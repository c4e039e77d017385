// Errors of functions in units of the last place.
#ifndef AMPC_TEST_UNIT_CODEGEN_ULPS_H
#define AMPC_TEST_UNIT_CODEGEN_ULPS_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ampc::test {

/// The error of `actual` in units of the last place of `exact` in f32's grid;
/// 0 where both are the same special value.
inline double ulps32(float actual, double exact) {
  float nearest = float(exact);
  if (std::isnan(exact) || std::isinf(nearest) || exact == 0) {
    bool same = std::isnan(exact) ? std::isnan(actual)
                                  : std::bit_cast<uint32_t>(actual) ==
                                        std::bit_cast<uint32_t>(nearest);
    return same ? 0 : INFINITY;
  }
  if (!std::isfinite(actual))
    return INFINITY;
  double unit = std::exp2(std::max(std::ilogb(exact), -126) - 23);
  return std::fabs(double(actual) - exact) / unit;
}

} // namespace ampc::test

#endif // AMPC_TEST_UNIT_CODEGEN_ULPS_H
