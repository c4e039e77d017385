// Safetensors: the format of checkpoints and weights. 8 bytes of header length,
// a JSON header, then the elements of each tensor one after the other. A file
// from elsewhere is hostile: nothing in the header is believed before it is
// checked against the file.
#pragma once

#include "runtime/core/Tensor.h"
#include "runtime/plan/Export.h"
#include "runtime/plan/FileIO.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::rt {

/// A mapped file. Move-only; what it hands out lives as long as it.
class AMPC_API Safetensors {
public:
  /// One tensor of the file.
  struct Entry {
    std::string name;
    DType dtype = DType::F32;
    std::vector<int64_t> shape;
    std::span<const std::byte> bytes;

    TensorView view() const { return {dtype, shape, bytes}; }
  };

  /// Maps and checks the file (one that ends with `.gz` is inflated): Code
  /// BadInput with the tensor, the expected and the actual value.
  [[nodiscard]] static Expected<Safetensors> open(const std::string &path);

  /// In the order of their bytes.
  std::span<const Entry> tensors() const { return entries; }
  /// The tensor called `name`, or null.
  const Entry *find(std::string_view name) const;
  /// Hands the bytes of `entry`, a tensor of this file, to `take`: runs of
  /// whole elements in order, and where in the tensor each begins. Of a mapped
  /// file no more than a few runs are in memory at a time.
  [[nodiscard]] Expected<void>
  read(const Entry &entry,
       const std::function<Expected<void>(
           size_t at, std::span<const std::byte> run)> &take) const;
  /// Whether two tensors of this file have the same bytes, read likewise.
  [[nodiscard]] bool haveSameBytes(const Entry &a, const Entry &b) const;
  /// The `__metadata__` map.
  const std::map<std::string, std::string> &metadata() const { return meta; }
  /// Path, for messages.
  const std::string &path() const { return name; }

private:
  FileBytes file;
  std::string name;
  std::vector<Entry> entries;
  std::map<std::string, size_t, std::less<>> index;
  std::map<std::string, std::string> meta;
};

/// A tensor of a file that is being written.
struct TensorHead {
  std::string_view name;
  DType dtype = DType::F32;
  std::span<const int64_t> shape;
};

/// Hands the bytes of tensor `index` to `take`.
using TensorSource = std::function<Expected<void>(
    size_t index,
    const std::function<Expected<void>(std::span<const std::byte>)> &take)>;

/// Writes `tensors` in the order given, one after the other from `source`,
/// atomically. Names must differ. Types without a safetensors name (f8): Code
/// BadInput. An existing file: Code Usage unless `overwrite`.
[[nodiscard]] AMPC_API Expected<void>
write_safetensors(const std::string &path, std::span<const TensorHead> tensors,
                  const TensorSource &source,
                  const std::map<std::string, std::string> &metadata,
                  bool overwrite);

/// The same from memory.
[[nodiscard]] AMPC_API Expected<void>
write_safetensors(const std::string &path, std::span<const NamedView> tensors,
                  const std::map<std::string, std::string> &metadata,
                  bool overwrite);

} // namespace ampc::rt
