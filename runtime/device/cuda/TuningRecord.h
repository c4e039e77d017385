// Which algorithm of cuBLASLt each product of a plan runs, kept in a file
// beside the plan (`FILE.ampx.tune`): what was chosen when the plan was first
// opened on a device is what runs there from then on, so that the bits stay the
// same (docs/numerics.md, N10). A choice holds for one device model and one
// version of the library; a file has those of several.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/device/cuda/Api.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace ampc::rt::cuda {

/// A chosen algorithm, as the library wrote it, and the scratch memory it
/// takes.
struct PinnedAlgorithm {
  BlasAlgorithm algorithm{};
  uint64_t workspaceBytes = 0;
};

class TuningRecord {
public:
  /// Called with a line that the user should see.
  using Note = std::function<void(const std::string &)>;

  /// A record that is kept nowhere.
  TuningRecord() = default;

  /// The record at `path` as far as it is about `device`, the text of a device
  /// model and a library. None there, none of this device, damaged: a record
  /// without choices, and `note` says which of them and that all are made anew.
  static TuningRecord open(const std::string &path, const std::string &device,
                           const Note &note);

  /// The choice for a product, described by `product`.
  std::optional<PinnedAlgorithm> find(const std::string &product) const;
  void pin(const std::string &product, const PinnedAlgorithm &chosen);
  /// Counts a choice that the library does not take; it is to be pinned anew.
  void refuse() { ++refused; }

  /// Writes what was pinned since it was opened, beside what the file has of
  /// other devices. `note` says where it cannot be written, and how many
  /// choices were refused.
  void write(const Note &note) const;

private:
  std::string path, device;
  /// Of all devices: device, then product.
  std::map<std::string, std::map<std::string, PinnedAlgorithm>> choices;
  bool isChanged = false;
  unsigned refused = 0;
};

} // namespace ampc::rt::cuda
