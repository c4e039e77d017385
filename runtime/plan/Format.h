// The plan file's layout: a 64-byte header, the section table, then sections
// that each start at a multiple of 64. All numbers are little-endian. The
// header's hash covers header and table, each section has its own, and the
// padding between is zero, so that no damaged bit goes unseen.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace ampc::rt {

/// First bytes of a plan: not text (0x89), catches line-end conversion (CR LF)
/// and `type` (0x1a).
inline constexpr std::array<unsigned char, 8> kPlanMagic = {
    0x89, 'A', 'M', 'P', 'X', '\r', '\n', 0x1a};

/// Raised when the meaning of any byte changes; a reader accepts exactly its
/// own.
inline constexpr uint32_t kFormatVersion = 11;

/// Sections start at multiples of this many bytes.
inline constexpr uint64_t kSectionAlignment = 64;

/// Limit of the metadata section in bytes.
inline constexpr uint64_t kMaxMetadataBytes = uint64_t(64) << 20;

/// Limit of the number of sections.
inline constexpr uint32_t kMaxSections = 16;

/// What a section holds; each kind occurs at most once.
enum class SectionKind : uint32_t {
  Metadata = 1,  ///< FlatBuffers, plan.fbs
  Object = 2,    ///< the CPU kernels: one shared object
  CudaText = 3,  ///< CUDA C++ source of all kernels
  Constants = 4, ///< bytes that places of space Constant point to
  Tuning = 5,    ///< pinned choices
};

/// The first 64 bytes of the file.
struct PlanHeader {
  std::array<unsigned char, 8> magic;
  uint32_t version;
  uint32_t sections;
  uint64_t fileBytes;
  uint64_t hash; ///< XXH3 of header (this field 0) and table
  std::array<uint64_t, 4> reserved;
};
static_assert(sizeof(PlanHeader) == 64);

/// One row of the section table.
struct SectionEntry {
  uint32_t kind;
  uint32_t reserved;
  uint64_t offset; ///< in bytes from the start of the file
  uint64_t bytes;
  uint64_t hash; ///< XXH3 of the section's bytes
};
static_assert(sizeof(SectionEntry) == 32);
static_assert(std::endian::native == std::endian::little,
              "plans are written and read on little-endian machines");

} // namespace ampc::rt
