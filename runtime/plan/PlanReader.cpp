// Opens plan files. Order of checks: is it a plan, of this version, complete,
// undamaged, well formed, meaningful; each failure says which, with the
// expected and the actual value.
#include "runtime/plan/PlanFile.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ampc::rt {

using Bytes = std::span<const std::byte>;

static tl::unexpected<Error> damaged(const std::string &name,
                                     std::string text) {
  return fail(Code::BadInput, name, std::move(text));
}

/// Checks header and table hash; gives the header.
static Expected<PlanHeader> readHeader(Bytes bytes, const std::string &name) {
  PlanHeader header{};
  size_t present = std::min(bytes.size(), kPlanMagic.size());
  if (present == 0 ||
      std::memcmp(bytes.data(), kPlanMagic.data(), present) != 0)
    return damaged(name,
                   "not a plan file: the first bytes are not those of a plan");
  if (bytes.size() < sizeof header)
    return damaged(name,
                   fmt::format("truncated plan: expected a header of {} bytes, "
                               "the file has {} bytes",
                               sizeof header, bytes.size()));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kFormatVersion)
    return damaged(name,
                   fmt::format("plan of format version {}, this runtime reads "
                               "version {}; compile the model again",
                               header.version, kFormatVersion));
  if (header.fileBytes != bytes.size())
    return damaged(
        name,
        fmt::format("{} plan: expected {} bytes, the file has {}",
                    header.fileBytes > bytes.size() ? "truncated" : "damaged",
                    header.fileBytes, bytes.size()));
  if (header.sections == 0 || header.sections > kMaxSections)
    return damaged(name,
                   fmt::format("damaged plan: {} sections, expected 1 to {}",
                               header.sections, kMaxSections));
  size_t tableEnd = sizeof header + header.sections * sizeof(SectionEntry);
  if (tableEnd > bytes.size())
    return damaged(name,
                   fmt::format("truncated plan: the section table ends at byte "
                               "{}, the file has {}",
                               tableEnd, bytes.size()));
  PlanHeader zeroed = header;
  zeroed.hash = 0;
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, &zeroed, sizeof zeroed);
  XXH3_64bits_update(&state, bytes.data() + sizeof header,
                     tableEnd - sizeof header);
  uint64_t actual = XXH3_64bits_digest(&state);
  if (actual != header.hash)
    return damaged(name,
                   fmt::format("damaged plan: header and section table hash to "
                               "{:016x}, expected {:016x}",
                               actual, header.hash));
  return header;
}

static bool isKnown(uint32_t kind) {
  return kind >= static_cast<uint32_t>(SectionKind::Metadata) &&
         kind <= static_cast<uint32_t>(SectionKind::Tuning);
}

Expected<PlanFile> PlanFile::open(FileBytes bytes, std::string name) {
  PlanFile result;
  Bytes all = bytes.bytes();
  AMPC_ASSIGN(PlanHeader header, readHeader(all, name));

  std::vector<SectionEntry> table(header.sections);
  std::memcpy(table.data(), all.data() + sizeof header,
              table.size() * sizeof(SectionEntry));
  uint64_t end = sizeof header + table.size() * sizeof(SectionEntry);
  for (size_t i = 0; i < table.size(); ++i) {
    const SectionEntry &entry = table[i];
    if (!isKnown(entry.kind))
      return damaged(
          name, fmt::format("section {} is of unknown kind {}", i, entry.kind));
    Bytes &place = result.sections[entry.kind];
    if (place.data())
      return damaged(name,
                     fmt::format("section kind {} occurs twice", entry.kind));
    if (entry.offset % kSectionAlignment || entry.offset < end ||
        entry.offset > all.size() || entry.bytes > all.size() - entry.offset)
      return damaged(
          name, fmt::format("section {} (bytes {} + {}) does not lie between "
                            "byte {} and the end at {}",
                            i, entry.offset, entry.bytes, end, all.size()));
    for (uint64_t byte = end; byte < entry.offset; ++byte)
      if (all[byte] != std::byte(0))
        return damaged(name,
                       fmt::format("damaged plan: byte {} before section {} is "
                                   "{}, expected 0",
                                   byte, i, int(all[byte])));
    place = all.subspan(entry.offset, entry.bytes);
    uint64_t actual = XXH3_64bits(place.data(), place.size());
    if (actual != entry.hash)
      return damaged(name,
                     fmt::format("damaged plan: section {} hashes to {:016x}, "
                                 "expected {:016x}",
                                 i, actual, entry.hash));
    end = entry.offset + entry.bytes;
  }
  if (end != all.size())
    return damaged(
        name, fmt::format("damaged plan: the last section ends at byte {}, "
                          "the file at {}",
                          end, all.size()));

  Bytes meta = result.section(SectionKind::Metadata);
  if (meta.empty() || meta.size() >= kMaxMetadataBytes)
    return damaged(name,
                   fmt::format("the metadata is {} bytes, expected 1 to {}",
                               meta.size(), kMaxMetadataBytes - 1));
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(meta.data()),
                                 meta.size(), /*max_depth=*/64,
                                 /*max_tables=*/16'000'000);
  if (!fb::VerifyPlanBuffer(verifier))
    return damaged(
        name, "the metadata is not well formed FlatBuffers data of a plan");
  result.metadata = fb::GetPlan(meta.data());
  AMPC_TRY(
      verifyPlan(*result.metadata,
                 {.constants = result.section(SectionKind::Constants).size(),
                  .text = result.section(SectionKind::CudaText).size()},
                 name));
  if (result.metadata->kernels() && result.metadata->kernels()->size() &&
      result.metadata->target_kind()->str() == "cpu" &&
      result.section(SectionKind::Object).empty())
    return damaged(
        name, fmt::format("the plan names {} kernels but has no object section",
                          result.metadata->kernels()->size()));
  result.file = std::move(bytes);
  result.fileName = std::move(name);
  return result;
}

Expected<PlanFile> PlanFile::load(const std::string &path) {
  AMPC_ASSIGN(FileBytes bytes, FileBytes::map(path));
  AMPC_ASSIGN(PlanFile result, open(std::move(bytes), path));
  result.isLoaded = true;
  return result;
}

Expected<PlanFile> PlanFile::fromFile(FileBytes bytes, std::string name) {
  return open(std::move(bytes), std::move(name));
}

Expected<PlanFile> PlanFile::fromBytes(std::span<const uint8_t> bytes,
                                       std::string name) {
  AMPC_ASSIGN(FileBytes copy, FileBytes::copy(std::as_bytes(bytes)));
  return open(std::move(copy), std::move(name));
}

} // namespace ampc::rt
