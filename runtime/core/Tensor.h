// Dense row-major tensors on the host: a view (borrowed) and an owner. What
// goes into and comes out of a session; kernels see bare pointers.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/plan/Export.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ampc::rt {

/// Borrowed, read-only elements. Lives as long as what it points to.
struct TensorView {
  DType dtype = DType::F32;
  std::span<const int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Owned, 64-byte aligned elements. Move-only; `clone` copies.
class AMPC_API Tensor {
public:
  Tensor() = default;

  /// A zeroed tensor. Extents that are negative or too large: Code BadInput; no
  /// memory: Code DoesNotFit.
  [[nodiscard]] static Expected<Tensor> zeros(DType dtype,
                                              std::span<const int64_t> shape);
  /// A tensor with a copy of `view`'s bytes.
  [[nodiscard]] static Expected<Tensor> copy_of(const TensorView &view);
  /// A deep copy.
  [[nodiscard]] Expected<Tensor> clone() const { return copy_of(view()); }

  DType dtype() const { return type; }
  std::span<const int64_t> shape() const { return extents; }
  /// Number of elements.
  uint64_t count() const { return byteCount / sizeOf(type); }
  std::span<std::byte> bytes() { return {data.get(), byteCount}; }
  std::span<const std::byte> bytes() const { return {data.get(), byteCount}; }

  /// The elements as `T`, which must have the size of one.
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T *>(data.get()), byteCount / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T *>(data.get()), byteCount / sizeof(T)};
  }

  /// Borrows the whole tensor.
  TensorView view() const { return {type, extents, bytes()}; }

private:
  struct Free {
    AMPC_API void operator()(std::byte *address) const;
  };
  DType type = DType::F32;
  std::vector<int64_t> extents;
  std::unique_ptr<std::byte[], Free> data;
  size_t byteCount = 0;
};

/// A tensor with the name of the output, input or variable it is.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// A borrowed tensor with a name.
struct NamedView {
  std::string_view name;
  TensorView view;
};

/// Copies `from` into `to` (the same number of elements, at `count`),
/// converting the element type: f16 and bf16 round to nearest even. Integers
/// convert to floats, never back.
[[nodiscard]] AMPC_API Expected<void> convert(DType fromType,
                                              const std::byte *from,
                                              DType toType, std::byte *to,
                                              uint64_t count);

} // namespace ampc::rt
