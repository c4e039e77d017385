// Writing and reading of plan files: the only bridge between codegen and the
// runtime. A reader gets nothing unless header, hashes, FlatBuffers structure
// and meaning are all in order.
#pragma once

#include "runtime/plan/FileIO.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Status.h"
#include "runtime/plan/Types.h"
#include "runtime/plan/plan_generated.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ampc::rt {

/// The raw sections beside the metadata; an empty one is left out of the file.
struct PlanSections {
  std::vector<uint8_t> object;    ///< ELF shared object of the CPU kernels
  std::string cudaText;           ///< CUDA C++ source
  std::vector<uint8_t> constants; ///< must be `plan.constant_bytes` long
  std::vector<uint8_t> tuning;    ///< pinned choices
};

/// The bytes of a plan file. The result is verified as a reader would: a plan
/// that cannot be loaded is never written.
[[nodiscard]] Expected<std::vector<uint8_t>>
writePlan(const fb::PlanT &plan, const PlanSections &sections);

/// Writes the plan to `path` atomically; an existing file is an error unless
/// `overwrite`.
[[nodiscard]] Expected<void> writePlanFile(const std::string &path,
                                           const fb::PlanT &plan,
                                           const PlanSections &sections,
                                           bool overwrite);

inline bool isSamePlace(const fb::Place &a, const fb::Place &b) {
  return a.space() == b.space() && a.index() == b.index() &&
         a.offset() == b.offset();
}

/// A verified plan. Move-only; everything it hands out lives as long as it.
class PlanFile {
public:
  /// Maps and verifies the file at `path`.
  [[nodiscard]] static Expected<PlanFile> load(const std::string &path);
  /// Verifies what was mapped or copied before, which starts at a multiple of
  /// 64; `name` stands in errors.
  [[nodiscard]] static Expected<PlanFile> fromFile(FileBytes bytes,
                                                   std::string name);
  /// Copies and verifies `bytes`; `name` stands in errors.
  [[nodiscard]] static Expected<PlanFile>
  fromBytes(std::span<const uint8_t> bytes, std::string name = "plan");

  /// The metadata.
  const fb::Plan &plan() const { return *metadata; }
  /// Bytes of a section, 64-byte aligned; empty if the plan has none of that
  /// kind.
  std::span<const std::byte> section(SectionKind kind) const {
    return sections[static_cast<size_t>(kind)];
  }
  /// Path or name, for messages.
  const std::string &name() const { return fileName; }
  /// Where it was loaded from; empty where it is no file of its own.
  std::string path() const { return isLoaded ? fileName : ""; }

private:
  [[nodiscard]] static Expected<PlanFile> open(FileBytes bytes,
                                               std::string name);

  FileBytes file;
  std::string fileName;
  bool isLoaded = false; ///< by `load`
  std::array<std::span<const std::byte>, 6> sections;
  const fb::Plan *metadata = nullptr;
};

/// Which slices of `loop` the launches of its body write. Places and kernels
/// of the body are in range.
std::vector<bool> writtenSlices(const fb::Plan &plan, const fb::Foreach &loop);

/// Bytes of the sections that the metadata points into.
struct SectionLengths {
  uint64_t constants = 0;
  uint64_t text = 0; ///< the CUDA source
};

/// Checks what the FlatBuffers verifier cannot: every place in range, kernel
/// and argument counts, tile counts, variables apart, extents without overflow,
/// names unique. Errors stand at `where`.
[[nodiscard]] Expected<void> verifyPlan(const fb::Plan &plan,
                                        const SectionLengths &sections,
                                        const std::string &where);

} // namespace ampc::rt
