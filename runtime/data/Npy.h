// NumPy's array files, versions 1 to 3, little-endian in C order. Data may hold
// f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 b1, tensors what has the same name there: f2 f4
// f8 i1 i4 i8 b1. The header is a Python literal and is read by an own strict
// parser: a file from elsewhere is hostile.
#pragma once

#include "runtime/data/Elements.h"
#include "runtime/plan/FileIO.h"

#include <string>
#include <vector>

namespace ampc::rt {

/// An array in the bytes of a file.
struct NpyArray {
  Element element = Element::F32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes; ///< the elements
};

/// Checks the bytes of an .npy file; `path` stands in errors. Wrong magic,
/// version, element type, order or length: Code BadInput with the expected and
/// the actual value.
[[nodiscard]] Expected<NpyArray> parseNpy(std::span<const std::byte> file,
                                          const std::string &path);

/// A mapped array of tensor elements. Move-only.
class AMPC_API NpyFile {
public:
  /// Maps and checks the file; one that ends with `.gz` is inflated.
  [[nodiscard]] static Expected<NpyFile> open(const std::string &path);

  DType dtype() const { return type; }
  std::span<const int64_t> shape() const { return extents; }
  /// The elements; not aligned for direct use by kernels.
  std::span<const std::byte> bytes() const { return elements; }
  /// Borrows the whole array.
  TensorView view() const { return {type, extents, elements}; }

private:
  FileBytes file;
  DType type = DType::F32;
  std::vector<int64_t> extents;
  std::span<const std::byte> elements;
};

/// Writes `tensor` atomically as version 1 (2 where the header is long). Types
/// without a NumPy name (bf16, f8): Code BadInput. An existing file: Code Usage
/// unless `overwrite`.
[[nodiscard]] AMPC_API Expected<void>
write_npy(const std::string &path, const TensorView &tensor, bool overwrite);

} // namespace ampc::rt
