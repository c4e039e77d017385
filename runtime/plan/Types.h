// The element types and the table of their names and sizes. The order is that
// of plan.fbs and is part of the plan's format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ampc::rt {

/// Element type of a tensor; the numbers are those of `fb::DType`.
enum class DType : uint8_t {
  F64 = 0,
  F32,
  F16,
  BF16,
  F8E4M3,
  F8E5M2,
  Bool,
  I8,
  I32,
  I64
};

/// One row of the element type table.
struct DTypeInfo {
  std::string_view name; ///< as the model language writes it: `f32`
  uint8_t bytes;         ///< size of one element in bytes
  bool isFloat;
};

/// The table, indexed by the value of `DType`.
inline constexpr std::array<DTypeInfo, 10> kDTypes = {{
    {"f64", 8, true},
    {"f32", 4, true},
    {"f16", 2, true},
    {"bf16", 2, true},
    {"f8e4m3", 1, true},
    {"f8e5m2", 1, true},
    {"bool", 1, false},
    {"i8", 1, false},
    {"i32", 4, false},
    {"i64", 8, false},
}};

/// The table row of `type`.
constexpr const DTypeInfo &info(DType type) {
  return kDTypes[static_cast<size_t>(type)];
}

/// Size of one element in bytes.
constexpr size_t sizeOf(DType type) { return info(type).bytes; }

/// Name as the model language writes it.
constexpr std::string_view name_of(DType type) { return info(type).name; }

/// The type called `name`, if there is one.
constexpr std::optional<DType> dtypeByName(std::string_view name) {
  for (size_t i = 0; i < kDTypes.size(); ++i)
    if (kDTypes[i].name == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

/// Largest extent or element count that a plan may name: 2^48.
inline constexpr uint64_t kMaxExtent = uint64_t(1) << 48;

/// Largest byte count that a plan may name: 2^52, so that any tensor can be
/// named. What fits is the machine's matter.
inline constexpr uint64_t kMaxBytes = uint64_t(1) << 52;

/// Most extents that a check of an input's elements walks over.
inline constexpr size_t kMaxCheckRank = 16;

/// Number of elements of `shape`; nothing if an extent is negative or the count
/// exceeds 2^48.
constexpr std::optional<uint64_t> countOf(std::span<const int64_t> shape) {
  uint64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0 || uint64_t(extent) > kMaxExtent)
      return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (count > kMaxExtent / uint64_t(extent))
      return std::nullopt;
    else
      count *= uint64_t(extent);
  }
  return empty ? 0 : count;
}

/// `f32[256, 1024]`, for messages.
inline std::string typeText(DType type, std::span<const int64_t> shape) {
  std::string text(name_of(type));
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i)
      text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + ']';
}

} // namespace ampc::rt
