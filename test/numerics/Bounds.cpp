// Bounds from the generated table and from the formats; see Bounds.h.
#include "test/numerics/Bounds.h"

#include "ir/reference/Rounding.h"
#include "test/numerics/tolerances/Measure.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>
#include <string>

using namespace mlir;

namespace ampc::test {

namespace {

struct TableRow {
  const char *format;
  Accumulation order;
  double entries[kToleranceLengths];
};

constexpr TableRow kTable[] = {
#include "test/numerics/Tolerances.inc"
};

std::string nameOf(Type element) {
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return name;
}

} // namespace

double accumulationBound(Type element, Accumulation order, int64_t length) {
  std::string format = nameOf(element);
  // 8-bit floats have fewer digits than f16 and f32 sums of them err less.
  if (element.getIntOrFloatBitWidth() == 8)
    format = "f16";
  for (const TableRow &row : kTable) {
    if (row.format != format || row.order != order)
      continue;
    int64_t columnLength = 1;
    for (double entry : row.entries) {
      if (length <= columnLength)
        return length == 0 ? 0 : entry;
      columnLength *= 4;
    }
    return row.entries[kToleranceLengths - 1] *
           (static_cast<double>(length) /
            static_cast<double>(columnLength / 4));
  }
  llvm_unreachable("the table has every format and order");
}

double roundingBound(double magnitude, Type element) {
  const reference::FloatFormat &format = *reference::formatOf(element);
  // Every finite magnitude below the smallest normal number has its spacing.
  double normal =
      std::max(std::fabs(magnitude), std::ldexp(1.0, format.minExponent));
  return std::max(std::ldexp(normal, -format.precision),
                  std::numeric_limits<double>::denorm_min());
}

double sumBound(Type element, Type result, Accumulation order, int64_t length,
                double magnitudes, double reference) {
  double error = accumulationBound(element, order, length) * magnitudes;
  return error + 2 * roundingBound(std::fabs(reference) + error, result);
}

double ulpBound(double reference, Type element, double ulps) {
  // One ulp is two half ulps; the reference's own rounding adds half of one.
  return (2 * ulps + 1) * roundingBound(reference, element);
}

} // namespace ampc::test
