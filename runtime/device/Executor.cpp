// What the executors of all devices know of a plan.
#include "runtime/device/Executor.h"

#include <algorithm>

namespace ampc::rt {

namespace {

template <class T>
unsigned sizeOfVector(const T *vector) {
  return vector ? vector->size() : 0;
}

/// Sums of a plan's bytes stay below 2^64: no machine has as many.
constexpr uint64_t kMostBytes = kMaxBytes << 4;

} // namespace

Executor::~Executor() = default;

std::optional<size_t> Executor::entry(std::string_view name) const {
  for (unsigned i = 0; i < sizeOfVector(file.plan().entries()); ++i)
    if (file.plan().entries()->Get(i)->name()->string_view() == name)
      return i;
  return std::nullopt;
}

uint64_t Executor::variableOffset(size_t index) const {
  return file.plan().variables()->Get(unsigned(index))->offset();
}

size_t Executor::valueBytes(size_t index) const {
  const fb::TensorType &type =
      *file.plan().variables()->Get(unsigned(index))->type();
  size_t bytes = sizeOf(DType(type.dtype()));
  for (unsigned i = 0; i < sizeOfVector(type.shape()); ++i)
    bytes *= size_t(type.shape()->Get(i));
  return bytes;
}

uint64_t Executor::arenaBytes() const {
  uint64_t bytes = 0;
  for (const fb::Entry *source : *file.plan().entries())
    bytes = std::max(bytes, source->arena_bytes());
  return bytes;
}

uint64_t Executor::portBytes() const {
  uint64_t bytes = 0;
  for (const fb::Entry *source : *file.plan().entries())
    for (auto *ports : {source->inputs(), source->outputs()})
      for (unsigned i = 0; i < sizeOfVector(ports); ++i)
        bytes = std::min(bytes + padded(ports->Get(i)->bytes()), kMostBytes);
  return bytes;
}

} // namespace ampc::rt
