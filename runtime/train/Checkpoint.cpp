// Checkpoints and weights.
#include "runtime/train/Checkpoint.h"

#include "runtime/train/StepRules.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace ampc::rt {

VariableStore::~VariableStore() = default;

namespace {

constexpr std::string_view kVersion = "1";

std::optional<uint64_t>
number(const std::map<std::string, std::string> &metadata,
       const std::string &key, int base) {
  auto found = metadata.find(key);
  if (found == metadata.end())
    return std::nullopt;
  const std::string &text = found->second;
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

/// `'a', 'b', 'c' and 4 more`.
std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += fmt::format("{}'{}'", i ? ", " : "", names[i]);
  if (names.size() > kShown)
    text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

/// The tensors of the file that are `slot` under any of its names, its own
/// first.
std::vector<const Safetensors::Entry *> tensorsOf(const Safetensors &file,
                                                  const VariableSlot &slot) {
  std::vector<const Safetensors::Entry *> found;
  if (const Safetensors::Entry *entry = file.find(slot.name))
    found.push_back(entry);
  for (const std::string &alias : slot.aliases)
    if (const Safetensors::Entry *entry = file.find(alias))
      found.push_back(entry);
  return found;
}

/// The tensor that holds the weight `slot`, or null. A tied tensor has one
/// value: a file that holds two of its names holds the same twice.
Expected<const Safetensors::Entry *> weightOf(const Safetensors &file,
                                              const VariableSlot &slot) {
  std::vector<const Safetensors::Entry *> found = tensorsOf(file, slot);
  for (size_t i = 1; i < found.size(); ++i) {
    const Safetensors::Entry &first = *found.front(), *other = found[i];
    if (other->dtype == first.dtype && other->shape == first.shape &&
        file.haveSameBytes(*other, first))
      continue;
    return fail(Code::BadInput, file.path(),
                fmt::format("'{}' and '{}' are one tied tensor in the model, "
                            "the file holds two that differ ({} and {})",
                            first.name, other->name,
                            typeText(first.dtype, first.shape),
                            typeText(other->dtype, other->shape)));
  }
  return found.empty() ? nullptr : found.front();
}

/// Names the file lacks and names the model lacks, as one message; empty if
/// none. A checkpoint has all of the `state`, and no alias.
std::string difference(const Safetensors &file,
                       std::span<const VariableSlot> slots, bool state) {
  std::vector<std::string> missing, extra;
  for (const VariableSlot &slot : slots)
    if (state ? !file.find(slot.name) : tensorsOf(file, slot).empty())
      missing.push_back(slot.name);
  for (const Safetensors::Entry &entry : file.tensors()) {
    bool ours =
        std::any_of(slots.begin(), slots.end(), [&](const VariableSlot &slot) {
          return slot.name == entry.name ||
                 (!state && std::ranges::count(slot.aliases, entry.name));
        });
    if (!ours && (state || !entry.name.starts_with(kStatePrefix)))
      extra.push_back(entry.name);
  }
  std::string text;
  if (!missing.empty())
    text = "the file lacks " + listed(missing);
  if (!extra.empty())
    text += (text.empty() ? "" : "; ") + ("the model lacks " + listed(extra));
  return text;
}

tl::unexpected<Error> mismatch(const Safetensors &file,
                               const VariableSlot &slot,
                               const Safetensors::Entry &entry) {
  return fail(Code::BadInput, file.path(),
              fmt::format("'{}' is {} in the model, the file holds {}",
                          entry.name, typeText(slot.dtype, slot.shape),
                          typeText(entry.dtype, entry.shape)));
}

Expected<CheckpointInfo> infoOf(const Safetensors &file) {
  const auto &metadata = file.metadata();
  auto version = metadata.find("ampc.version");
  if (version == metadata.end())
    return fail(Code::BadInput, file.path(),
                "not a checkpoint: it has no 'ampc.version' (weights alone are "
                "read with "
                "--weights)");
  if (version->second != kVersion)
    return fail(Code::BadInput, file.path(),
                fmt::format("checkpoint of version '{}', expected '{}'",
                            version->second, kVersion));
  std::optional<uint64_t> hash = number(metadata, "ampc.model_hash", 16);
  std::optional<uint64_t> seed = number(metadata, "ampc.seed", 10);
  if (!hash || !seed)
    return fail(Code::BadInput, file.path(),
                "the metadata 'ampc.model_hash' or 'ampc.seed' is no number");
  CheckpointInfo info{*hash, *seed, ""};
  if (auto data = metadata.find("ampc.data"); data != metadata.end())
    info.data = data->second;
  return info;
}

} // namespace

Expected<void> write_checkpoint(const std::string &path,
                                std::span<const VariableSlot> slots,
                                const VariableStore &store,
                                const CheckpointInfo &info, bool overwrite) {
  std::vector<TensorHead> heads;
  for (const VariableSlot &slot : slots)
    heads.push_back({slot.name, slot.dtype, slot.shape});
  return write_safetensors(
      path, heads,
      [&](size_t i, const auto &take) { return store.look(slots[i], take); },
      {{"ampc.version", std::string(kVersion)},
       {"ampc.model_hash", fmt::format("{:016x}", info.model_hash)},
       {"ampc.seed", fmt::format("{}", info.seed)},
       {"ampc.data", info.data}},
      overwrite);
}

Expected<CheckpointInfo> read_checkpoint_info(const std::string &path) {
  AMPC_ASSIGN(Safetensors file, Safetensors::open(path));
  return infoOf(file);
}

Expected<CheckpointInfo> read_checkpoint(const std::string &path,
                                         std::span<const VariableSlot> slots,
                                         VariableStore &store,
                                         uint64_t model_hash) {
  AMPC_ASSIGN(Safetensors file, Safetensors::open(path));
  AMPC_ASSIGN(CheckpointInfo info, infoOf(file));
  if (info.model_hash && model_hash && info.model_hash != model_hash)
    return fail(
        Code::BadInput, path,
        fmt::format(
            "checkpoint of another model (hash {:016x}, this one is {:016x}); "
            "--weights reads its weights alone",
            info.model_hash, model_hash));
  std::string names = difference(file, slots, /*state=*/true);
  bool isScaled = file.find(state::kScale) != nullptr,
       wantsScale = std::any_of(
           slots.begin(), slots.end(),
           [](const VariableSlot &slot) { return slot.name == state::kScale; });
  if (isScaled != wantsScale)
    names +=
        fmt::format("; the checkpoint was made {} a dynamic loss scale, as f16 "
                    "has it: give "
                    "the --precision and --loss-scale of its run, or --weights",
                    isScaled ? "with" : "without");
  if (!names.empty())
    return fail(Code::BadInput, path, names);
  for (const VariableSlot &slot : slots) {
    const Safetensors::Entry &entry = *file.find(slot.name);
    if (entry.dtype != slot.dtype || entry.shape != slot.shape)
      return mismatch(file, slot, entry);
  }
  for (const VariableSlot &slot : slots) {
    const Safetensors::Entry &entry = *file.find(slot.name);
    AMPC_TRY(store.fill(slot, [&](std::span<std::byte> to) -> Expected<void> {
      return file.read(
          entry,
          [&](size_t at, std::span<const std::byte> run) -> Expected<void> {
            std::ranges::copy(run, to.begin() + ptrdiff_t(at));
            return {};
          });
    }));
  }
  return info;
}

Expected<void> read_weights(const std::string &path,
                            std::span<const VariableSlot> slots,
                            VariableStore &store, bool partial) {
  AMPC_ASSIGN(Safetensors file, Safetensors::open(path));
  std::string names = difference(file, slots, /*state=*/false);
  if (!names.empty() && !partial)
    return fail(Code::BadInput, path, names + " (--partial allows it)");
  std::vector<const Safetensors::Entry *> entries;
  for (const VariableSlot &slot : slots) {
    AMPC_ASSIGN(const Safetensors::Entry *entry, weightOf(file, slot));
    if (entry && (entry->shape != slot.shape ||
                  (entry->dtype != slot.dtype &&
                   !(info(entry->dtype).isFloat && info(slot.dtype).isFloat))))
      return mismatch(file, slot, *entry);
    entries.push_back(entry);
  }
  for (size_t i = 0; i < slots.size(); ++i)
    if (const Safetensors::Entry *entry = entries[i])
      AMPC_TRY(store.fill(slots[i], [&](std::span<std::byte> to) {
        size_t from = sizeOf(entry->dtype), size = sizeOf(slots[i].dtype);
        return file.read(
            *entry, [&](size_t at, std::span<const std::byte> run) {
              return convert(entry->dtype, run.data(), slots[i].dtype,
                             to.data() + at / from * size, run.size() / from);
            });
      }));
  return {};
}

} // namespace ampc::rt
