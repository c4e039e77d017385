// Checkpoints: safetensors files that hold masters under their own names,
// optimizer state and counters under `ampc.`, and who made them in the
// metadata. Shared by every stepper.
#pragma once

#include "runtime/data/Safetensors.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ampc::rt {

/// Metadata of a checkpoint.
struct CheckpointInfo {
  uint64_t model_hash = 0; ///< 0: unknown
  uint64_t seed = 0;
  std::string data; ///< what it was trained on
};

/// A variable that is saved or loaded.
struct VariableSlot {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  /// Further names of a tied tensor: weights files may use them.
  std::vector<std::string> aliases = {};
  size_t number = 0; ///< in its store
};

/// Where the values of variables stand: in this process's memory or a device's.
class AMPC_API VariableStore {
public:
  using Look = std::function<Expected<void>(std::span<const std::byte>)>;
  using Fill = std::function<Expected<void>(std::span<std::byte>)>;

  virtual ~VariableStore();
  /// Hands the bytes of `slot` to `look`.
  [[nodiscard]] virtual Expected<void> look(const VariableSlot &slot,
                                            const Look &look) const = 0;
  /// Hands `fill` bytes to write the whole new value of `slot` to.
  [[nodiscard]] virtual Expected<void> fill(const VariableSlot &slot,
                                            const Fill &fill) = 0;
};

/// Names that begin so belong to the optimizer and the run, not to the model.
inline constexpr std::string_view kStatePrefix = "ampc.";

/// Writes a checkpoint of the `slots` of `store` atomically.
[[nodiscard]] AMPC_API Expected<void>
write_checkpoint(const std::string &path, std::span<const VariableSlot> slots,
                 const VariableStore &store, const CheckpointInfo &info,
                 bool overwrite);

/// Reads a checkpoint into the `slots` of `store`: every slot must be there
/// with its type and shape, and nothing else. A file of another model (both
/// hashes known and different) is refused. Nothing is written unless all is
/// well.
[[nodiscard]] AMPC_API Expected<CheckpointInfo>
read_checkpoint(const std::string &path, std::span<const VariableSlot> slots,
                VariableStore &store, uint64_t model_hash);

/// What the metadata of a checkpoint says; its tensors are not looked at.
[[nodiscard]] AMPC_API Expected<CheckpointInfo>
read_checkpoint_info(const std::string &path);

/// Reads weights into the `slots` of `store` (model variables only) by name or
/// alias, converting between float types. Where the file holds several names of
/// one slot their tensors must be the same bit for bit. Names of the file that
/// begin with `ampc.` are passed over. Missing or extra names are an error that
/// lists them, unless `partial`. Nothing is written unless all is well.
[[nodiscard]] AMPC_API Expected<void>
read_weights(const std::string &path, std::span<const VariableSlot> slots,
             VariableStore &store, bool partial);

} // namespace ampc::rt
