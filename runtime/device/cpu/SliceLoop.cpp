// Loops over slices; see SliceLoop.h.
#include "runtime/device/cpu/SliceLoop.h"

namespace ampc::rt {

/// Pointers in a line of cache: tables of two threads share none.
static constexpr size_t kLinePointers = 64 / sizeof(void *);

SliceLoop::SliceLoop(
    const fb::Foreach &op, std::span<const KernelFunction> kernels,
    const std::function<std::byte *(const fb::Place &)> &address, int threads)
    : count(int64_t(op.count())),
      scratchBytes((op.scratch_bytes() + 63) / 64 * 64), threads(threads) {
  if (op.slices())
    for (const fb::Slices *source : *op.slices())
      slices.push_back({address(*source->first()), source->bytes(),
                        int64_t(source->count()), int64_t(source->divisor())});
  if (op.body())
    for (const fb::Launch *launch : *op.body()) {
      launches.push_back({kernels[launch->kernel()], int64_t(launch->tiles()),
                          arguments.size()});
      if (!launch->args())
        continue;
      for (const fb::Place *place : *launch->args()) {
        bool isOwn = place->space() >= fb::Space::Scratch;
        arguments.push_back(
            {place->space(), place->index(),
             isOwn ? place->offset()
                   : uint64_t(reinterpret_cast<uintptr_t>(address(*place)))});
      }
    }
  tableSize =
      (arguments.size() + kLinePointers - 1) / kLinePointers * kLinePointers +
      kLinePointers; // a vector begins anywhere in a line
  tables.resize(tableSize * size_t(threads));
}

void SliceLoop::iterate(int thread, int64_t number) {
  const void **table = tables.data() + tableSize * size_t(thread);
  std::byte *own = scratch + scratchBytes * uint64_t(thread);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    if (argument.space == fb::Space::Slice) {
      const Slices &from = slices[argument.slices];
      table[i] = from.first +
                 from.bytes * uint64_t(number / from.divisor % from.count) +
                 argument.at;
    } else if (argument.space == fb::Space::Scratch) {
      table[i] = own + argument.at;
    } else {
      table[i] = reinterpret_cast<const void *>(uintptr_t(argument.at));
    }
  }
  for (const Launch &launch : launches)
    launch.kernel(table + launch.args, 0, launch.tiles);
}

void SliceLoop::run(ThreadPool::Lease &lease, std::byte *workspace) {
  scratch = workspace;
  lease.run(
      count, 1, threads,
      [](void *context, int thread, int64_t begin, int64_t end) {
        for (int64_t number = begin; number < end; ++number)
          static_cast<SliceLoop *>(context)->iterate(thread, number);
      },
      this);
}

} // namespace ampc::rt
