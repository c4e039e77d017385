// Reads sizes; see Size.h.
#include "tools/ampc/Size.h"

#include <algorithm>
#include <charconv>

namespace ampc {

rt::Expected<uint64_t> sizeOption(const char *option, const std::string &text,
                                  std::optional<uint64_t> whole) {
  double number = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  std::string unit(stop, end);
  constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},         {"B", 1},        {"KiB", 0x1p10},
      {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  auto known = std::find_if(std::begin(units), std::end(units),
                            [&](auto &known) { return known.first == unit; });
  double bytes = -1;
  if (error == std::errc() && unit == "%") {
    if (!whole)
      return rt::fail(rt::Code::Environment, option,
                      "the system does not say how much memory there is; give "
                      "a number of bytes");
    bytes = number / 100 * double(*whole);
  } else if (error == std::errc() && known != std::end(units)) {
    bytes = number * known->second;
  }
  if (!(bytes >= 1 && bytes < 0x1p63))
    return rt::fail(rt::Code::Usage, option,
                    "expected a size as 512MiB, 2GiB, 75% or a number of bytes "
                    "above 0, got '" +
                        text + "'");
  return uint64_t(bytes);
}

} // namespace ampc
