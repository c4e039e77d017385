// Loops over slices of a plan, checked before they run: no two iterations meet
// in what they write.
#include "runtime/plan/PlanVerifier.h"

#include <fmt/format.h>
#include <tuple>

namespace ampc::rt {

Expected<void> PlanVerifier::placeInLoop(const fb::Foreach *loop,
                                         const fb::Place &place, uint64_t bytes,
                                         bool written,
                                         std::string_view what) const {
  std::string_view space = fb::EnumNameSpace(place.space());
  if (!loop)
    return error(fmt::format("{} is in space {}, expected in the body of a "
                             "loop alone",
                             what, space));
  uint64_t size = loop->scratch_bytes();
  if (place.space() == fb::Space::Slice) {
    if (place.index() >= sizeOfVector(loop->slices()))
      return error(fmt::format("{} is in slices {} of {}", what, place.index(),
                               sizeOfVector(loop->slices())));
    const fb::Slices &slices = *loop->slices()->Get(place.index());
    size = slices.bytes();
    // No two iterations write one slice.
    if (written && (slices.count() != loop->count() || slices.divisor() != 1))
      return error(fmt::format("{} is written, but iterations share slices {}",
                               what, place.index()));
  } else if (place.index() != 0) {
    return error(
        fmt::format("{} is in {} {} of 1", what, space, place.index()));
  }
  if (bytes > size || place.offset() > size - bytes)
    return error(fmt::format("{} (bytes {} + {}) leaves {} {} of {} bytes",
                             what, place.offset(), bytes, space, place.index(),
                             size));
  return {};
}

std::vector<bool> writtenSlices(const fb::Plan &plan, const fb::Foreach &loop) {
  std::vector<bool> written(sizeOfVector(loop.slices()));
  for (unsigned l = 0; l < sizeOfVector(loop.body()); ++l) {
    const fb::Launch &launch = *loop.body()->Get(l);
    const fb::Kernel &kernel = *plan.kernels()->Get(launch.kernel());
    for (unsigned i = 0; i < sizeOfVector(launch.args()); ++i)
      if (const fb::Place &place = *launch.args()->Get(i);
          place.space() == fb::Space::Slice && kernel.arg_written()->Get(i))
        written[place.index()] = true;
  }
  return written;
}

Expected<void> PlanVerifier::foreach (const fb::Entry &entry,
                                      const fb::Foreach &op,
                                      std::string_view at) const {
  if (plan.target_kind()->string_view() != "cpu")
    return error(
        fmt::format("{}: a loop over slices runs on the CPU alone", at));
  if (op.count() == 0 || op.count() > kMaxExtent ||
      op.scratch_bytes() > kMaxBytes) // of 1024 threads: 2^62
    return error(fmt::format("{}: {} iterations with {} bytes of scratch "
                             "memory, expected at least 1 and at most 2^52",
                             at, op.count(), op.scratch_bytes()));
  for (unsigned i = 0; i < sizeOfVector(op.slices()); ++i) {
    const fb::Slices &slices = *op.slices()->Get(i);
    if (slices.count() == 0 || slices.count() > kMaxExtent ||
        slices.divisor() == 0 || slices.divisor() > kMaxExtent ||
        !product(slices.bytes(), slices.count()))
      return error(fmt::format("{}: slices {}: {} of {} bytes with divisor {}",
                               at, i, slices.count(), slices.bytes(),
                               slices.divisor()));
  }
  for (unsigned i = 0; i < sizeOfVector(op.body()); ++i) {
    const fb::Launch &inner = *op.body()->Get(i);
    std::string where = fmt::format("{}, launch {}", at, i);
    AMPC_TRY(launch(entry, inner, where, &op));
    // What is no slice and no scratch memory is every iteration's.
    const fb::Kernel &kernel = *plan.kernels()->Get(inner.kernel());
    for (unsigned a = 0; a < sizeOfVector(inner.args()); ++a)
      if (kernel.arg_written()->Get(a) &&
          inner.args()->Get(a)->space() < fb::Space::Scratch)
        return error(fmt::format("{}: argument {} is written, but iterations "
                                 "share its bytes",
                                 where, a));
  }
  std::vector<bool> written = writtenSlices(plan, op);
  for (unsigned i = 0; i < sizeOfVector(op.slices()); ++i) {
    const fb::Slices &slices = *op.slices()->Get(i);
    AMPC_TRY(place(entry, slices.first(), slices.bytes() * slices.count(),
                   written[i], fmt::format("{}: slices {}", at, i)));
  }
  return apart(op, written, at);
}

namespace {

/// Bytes that a loop reads or writes.
struct Region {
  const fb::Place *place;
  uint64_t bytes;
  bool written;
  unsigned number; ///< of slices, or of an argument of `launch`
  int launch = -1;

  std::string name() const {
    return launch < 0 ? fmt::format("slices {}", number)
                      : fmt::format("argument {} of launch {}", number, launch);
  }
};

} // namespace

Expected<void> PlanVerifier::apart(const fb::Foreach &op,
                                   const std::vector<bool> &written,
                                   std::string_view at) const {
  std::vector<Region> regions;
  for (unsigned i = 0; i < sizeOfVector(op.slices()); ++i) {
    const fb::Slices &slices = *op.slices()->Get(i);
    regions.push_back(
        {slices.first(), slices.bytes() * slices.count(), written[i], i});
  }
  for (unsigned l = 0; l < sizeOfVector(op.body()); ++l) {
    const fb::Launch &inner = *op.body()->Get(l);
    const fb::Kernel &kernel = *plan.kernels()->Get(inner.kernel());
    for (unsigned a = 0; a < sizeOfVector(inner.args()); ++a)
      if (inner.args()->Get(a)->space() < fb::Space::Scratch)
        regions.push_back({inner.args()->Get(a), kernel.arg_bytes()->Get(a),
                           false, a, int(l)});
  }
  std::erase_if(regions, [](const Region &region) { return !region.bytes; });
  auto key = [](const Region &region) {
    const fb::Place &place = *region.place;
    return std::tuple(place.space(), place.index(), place.offset(),
                      region.launch, region.number);
  };
  std::ranges::sort(regions, {}, key);
  // Of those before, the ones that end last.
  const Region *any = nullptr, *writes = nullptr;
  auto isLater = [](const Region &region, const Region *than) {
    return !than || region.place->space() != than->place->space() ||
           region.place->index() != than->place->index() ||
           region.place->offset() + region.bytes >
               than->place->offset() + than->bytes;
  };
  for (const Region &region : regions) {
    const Region *before = region.written ? any : writes;
    if (before &&
        overlap(*before->place, before->bytes, *region.place, region.bytes)) {
      const Region &first = region.written ? region : *before;
      const Region &other = region.written ? *before : region;
      return error(fmt::format("{}: {} are written and overlap {}", at,
                               first.name(), other.name()));
    }
    if (isLater(region, any))
      any = &region;
    if (region.written && isLater(region, writes))
      writes = &region;
  }
  return {};
}

} // namespace ampc::rt
