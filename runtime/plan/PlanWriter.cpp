// Lays a plan's sections out and hashes them.
#include "runtime/plan/PlanFile.h"

#include <cstring>
#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ampc::rt {

static uint64_t alignUp(uint64_t value) {
  return (value + kSectionAlignment - 1) / kSectionAlignment *
         kSectionAlignment;
}

Expected<std::vector<uint8_t>> writePlan(const fb::PlanT &plan,
                                         const PlanSections &sections) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Plan::Pack(builder, &plan));
  if (builder.GetSize() >= kMaxMetadataBytes)
    return fail(
        Code::DoesNotFit, "plan",
        fmt::format("the metadata is {} bytes, the format allows fewer than {}",
                    builder.GetSize(), kMaxMetadataBytes));

  struct Piece {
    SectionKind kind;
    const void *data;
    uint64_t bytes;
  };
  std::vector<Piece> pieces = {
      {SectionKind::Metadata, builder.GetBufferPointer(), builder.GetSize()}};
  auto add = [&](SectionKind kind, const auto &bytes) {
    if (!bytes.empty())
      pieces.push_back({kind, bytes.data(), bytes.size()});
  };
  add(SectionKind::Object, sections.object);
  add(SectionKind::CudaText, sections.cudaText);
  add(SectionKind::Constants, sections.constants);
  add(SectionKind::Tuning, sections.tuning);

  std::vector<SectionEntry> table;
  uint64_t end = sizeof(PlanHeader) + pieces.size() * sizeof(SectionEntry);
  for (const Piece &piece : pieces) {
    uint64_t offset = alignUp(end);
    table.push_back({static_cast<uint32_t>(piece.kind), 0, offset, piece.bytes,
                     XXH3_64bits(piece.data, piece.bytes)});
    end = offset + piece.bytes;
  }

  PlanHeader header{};
  header.magic = kPlanMagic;
  header.version = kFormatVersion;
  header.sections = static_cast<uint32_t>(pieces.size());
  header.fileBytes = end;
  std::vector<uint8_t> out(end, 0);
  size_t tableBytes = table.size() * sizeof(SectionEntry);
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, table.data(), tableBytes);
  header.hash = XXH3_64bits(out.data(), sizeof header + tableBytes);
  std::memcpy(out.data(), &header, sizeof header);
  for (size_t i = 0; i < pieces.size(); ++i)
    std::memcpy(out.data() + table[i].offset, pieces[i].data, pieces[i].bytes);

  AMPC_TRY(PlanFile::fromBytes(out, "plan to be written"));
  return out;
}

Expected<void> writePlanFile(const std::string &path, const fb::PlanT &plan,
                             const PlanSections &sections, bool overwrite) {
  AMPC_ASSIGN(std::vector<uint8_t> bytes, writePlan(plan, sections));
  AMPC_ASSIGN(AtomicFile file, AtomicFile::create(path, overwrite));
  AMPC_TRY(file.write(std::as_bytes(std::span(bytes))));
  return file.commit();
}

} // namespace ampc::rt
