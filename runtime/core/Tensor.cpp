// Tensors and element type conversion.
#include "runtime/core/Tensor.h"
#include "runtime/core/Float16.h"

#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt {

void Tensor::Free::operator()(std::byte *address) const { std::free(address); }

Expected<Tensor> Tensor::zeros(DType dtype, std::span<const int64_t> shape) {
  std::optional<uint64_t> count = countOf(shape);
  if (!count)
    return fail(
        Code::BadInput, "",
        fmt::format(
            "the extents of {} are negative or their product is over 2^48",
            typeText(dtype, shape)));
  Tensor tensor;
  tensor.type = dtype;
  tensor.extents.assign(shape.begin(), shape.end());
  tensor.byteCount = *count * sizeOf(dtype);
  size_t rounded = (tensor.byteCount + 63) / 64 * 64;
  if (rounded) {
    tensor.data.reset(
        static_cast<std::byte *>(std::aligned_alloc(64, rounded)));
    if (!tensor.data)
      return fail(Code::DoesNotFit, "",
                  fmt::format("no memory for {} bytes of {}", tensor.byteCount,
                              typeText(dtype, shape)));
    std::memset(tensor.data.get(), 0, rounded);
  }
  return tensor;
}

Expected<Tensor> Tensor::copy_of(const TensorView &view) {
  AMPC_ASSIGN(Tensor tensor, zeros(view.dtype, view.shape));
  if (tensor.byteCount != view.bytes.size())
    return fail(Code::Usage, "",
                fmt::format("{} needs {} bytes, the view has {}",
                            typeText(view.dtype, view.shape), tensor.byteCount,
                            view.bytes.size()));
  if (tensor.byteCount)
    std::memcpy(tensor.data.get(), view.bytes.data(), tensor.byteCount);
  return tensor;
}

namespace {

template <class T>
T loadAs(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Element as f64: exact for every type but large i64.
double toDouble(DType type, const std::byte *from) {
  switch (type) {
  case DType::F64:
    return loadAs<double>(from);
  case DType::F32:
    return loadAs<float>(from);
  case DType::F16:
    return f16ToFloat(loadAs<uint16_t>(from));
  case DType::BF16:
    return bf16ToFloat(loadAs<uint16_t>(from));
  case DType::Bool:
    return loadAs<uint8_t>(from) != 0;
  case DType::I8:
    return loadAs<int8_t>(from);
  case DType::I32:
    return loadAs<int32_t>(from);
  case DType::I64:
    return double(loadAs<int64_t>(from));
  default:
    return 0;
  }
}

/// f64 to f32 so that a second rounding to 16 bits is as good as one: round to
/// odd.
float toOddFloat(double value) {
  float nearest = float(value);
  if (double(nearest) == value || !(nearest == nearest) ||
      nearest - nearest != 0)
    return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  bool away =
      (double(nearest) > value) == (value > 0); // rounded away from zero
  if (away)
    bits -= 1;
  return std::bit_cast<float>(bits | 1);
}

void storeFloat(DType type, double value, std::byte *to) {
  if (type == DType::F64) {
    std::memcpy(to, &value, 8);
  } else if (type == DType::F32) {
    float narrow = float(value);
    std::memcpy(to, &narrow, 4);
  } else {
    float odd = toOddFloat(value);
    uint16_t half = type == DType::F16 ? floatToF16(odd) : floatToBf16(odd);
    std::memcpy(to, &half, 2);
  }
}

int64_t toInteger(DType type, const std::byte *from) {
  switch (type) {
  case DType::Bool:
    return loadAs<uint8_t>(from) != 0;
  case DType::I8:
    return loadAs<int8_t>(from);
  case DType::I32:
    return loadAs<int32_t>(from);
  default:
    return loadAs<int64_t>(from);
  }
}

bool isEightBitFloat(DType type) {
  return type == DType::F8E4M3 || type == DType::F8E5M2;
}

} // namespace

Expected<void> convert(DType fromType, const std::byte *from, DType toType,
                       std::byte *to, uint64_t count) {
  if (fromType == toType) {
    std::memcpy(to, from, count * sizeOf(toType));
    return {};
  }
  bool narrows = info(fromType).isFloat && !info(toType).isFloat;
  if (narrows || isEightBitFloat(fromType) || isEightBitFloat(toType))
    return fail(Code::BadInput, "",
                fmt::format("elements of {} do not convert to {}",
                            name_of(fromType), name_of(toType)));
  size_t step = sizeOf(fromType), stride = sizeOf(toType);
  if (info(toType).isFloat) {
    for (uint64_t i = 0; i < count; ++i)
      storeFloat(toType, toDouble(fromType, from + i * step), to + i * stride);
    return {};
  }
  for (uint64_t i = 0; i < count; ++i) {
    int64_t value = toInteger(fromType, from + i * step);
    int64_t low = toType == DType::Bool  ? 0
                  : toType == DType::I8  ? -128
                  : toType == DType::I32 ? INT32_MIN
                                         : INT64_MIN;
    int64_t high = toType == DType::Bool  ? 1
                   : toType == DType::I8  ? 127
                   : toType == DType::I32 ? INT32_MAX
                                          : INT64_MAX;
    if (value < low || value > high)
      return fail(Code::BadInput, "",
                  fmt::format("element {} is {}, outside {}", i, value,
                              name_of(toType)));
    std::memcpy(to + i * stride, &value, stride); // little-endian
  }
  return {};
}

} // namespace ampc::rt
