// Checks of what ops look up.
#include "runtime/train/InputChecks.h"

#include <array>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt {

namespace {

/// The first element that breaks `check`: its position in the tensor. Elements
/// are looked at in the order of the check's extents.
template <class T>
std::optional<uint64_t> firstBroken(const IndexCheck &check, const T *data) {
  for (uint64_t extent : check.extents)
    if (extent == 0)
      return std::nullopt;
  size_t rank = check.extents.size();
  // The last axis is a plain loop; the ones before it count like an odometer.
  uint64_t inner = rank ? check.extents[rank - 1] : 1;
  uint64_t stride = rank ? check.strides[rank - 1] : 0;
  std::array<uint64_t, kMaxCheckRank> index{};
  uint64_t start = check.offset;
  for (;;) {
    for (uint64_t i = 0; i < inner; ++i) {
      auto value = int64_t(data[start + i * stride]);
      if ((value < check.low || value >= check.high) && value != check.ignore)
        return start + i * stride;
    }
    size_t axis = rank ? rank - 1 : 0;
    for (; axis > 0; --axis) {
      start += check.strides[axis - 1];
      if (++index[axis - 1] < check.extents[axis - 1])
        break;
      start -= check.extents[axis - 1] * check.strides[axis - 1];
      index[axis - 1] = 0;
    }
    if (axis == 0)
      return std::nullopt;
  }
}

/// `[3, 5]`, the coordinates of element `element`.
template <class Extent>
std::string positionText(uint64_t element, const std::vector<Extent> &shape) {
  std::vector<uint64_t> at(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = element % uint64_t(shape[axis]);
    element /= uint64_t(shape[axis]);
  }
  return fmt::format("[{}]", fmt::join(at, ", "));
}

/// Element `found` at `position` of `what` breaks `check`.
tl::unexpected<Error> outside(const IndexCheck &check, int64_t found,
                              const std::string &position,
                              const std::string &what) {
  std::string ignored =
      check.ignore ? fmt::format(" and is not the ignored {}", *check.ignore)
                   : "";
  return fail(Code::BadInput, check.where,
              fmt::format("{} {} at {} of {} is outside [{}, {}){} ({})",
                          check.noun, found, position, what, check.low,
                          check.high, ignored, check.op));
}

} // namespace

Expected<void> check_input(const Port &port, const TensorView &value) {
  for (const IndexCheck &check : port.checks) {
    std::optional<uint64_t> broken;
    int64_t found = 0;
    auto look = [&]<class T>(T) {
      const auto *data = reinterpret_cast<const T *>(value.bytes.data());
      broken = firstBroken(check, data);
      found = broken ? int64_t(data[*broken]) : 0;
    };
    if (port.dtype == DType::I8)
      look(int8_t());
    else if (port.dtype == DType::I32)
      look(int32_t());
    else if (port.dtype == DType::I64)
      look(int64_t());
    if (!broken)
      continue;
    return outside(check, found, positionText(*broken, port.shape),
                   fmt::format("'{}'", port.name));
  }
  return {};
}

Expected<void> check_fault(const Port &fault, const FaultRecord &record) {
  auto [number, position, element] = record;
  if (number < 0 || size_t(number) >= fault.checks.size())
    return {};
  const IndexCheck &check = fault.checks[size_t(number)];
  return outside(check, element,
                 positionText(uint64_t(position), check.extents),
                 "the computed tensor");
}

Error fault_of(Error error, int64_t iteration) {
  error.message = fmt::format("{}; iteration {} and all after it did not run",
                              error.message, iteration);
  return error;
}

} // namespace ampc::rt
