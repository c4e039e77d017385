#include "test/hostgpu/driver/SharedChecks.h"

using namespace ampc::hostgpu;

void SharedChecks::begin(const ampc_host_module &theModule, void *data,
                         size_t dynamicBytes) {
  dynamic.begin = static_cast<const char *>(data);
  dynamic.bytes = dynamicBytes;
  if (dynamic.shadow.size() < dynamicBytes)
    dynamic.shadow.resize(dynamicBytes);
  // Touches of other launches have lower epochs: the shadow is never cleared.
  module = &theModule;
  fixed.begin = module->shared_begin;
  fixed.bytes = size_t(module->shared_end - module->shared_begin);
  if (fixed.shadow.size() < fixed.bytes)
    fixed.shadow.resize(fixed.bytes);
  fixed.arrays.assign(fixed.bytes, 0);
  int number = 0;
  for (auto *array = module->arrays_begin; array != module->arrays_end;
       ++array) {
    ++number;
    size_t offset =
        size_t(static_cast<const char *>(array->data) - fixed.begin);
    for (size_t i = 0; i < array->bytes; ++i)
      fixed.arrays[offset + i] = uint8_t(number);
  }
}

bool SharedChecks::covers(const void *address) const {
  auto *at = static_cast<const char *>(address);
  return size_t(at - fixed.begin) < fixed.bytes ||
         size_t(at - dynamic.begin) < dynamic.bytes;
}

std::string SharedChecks::place(const Region &where, size_t offset) const {
  if (&where == &dynamic)
    return "byte " + std::to_string(offset) + " of dynamic shared memory";
  const ampc_host_array &array = module->arrays_begin[where.arrays[offset] - 1];
  size_t in =
      offset - size_t(static_cast<const char *>(array.data) - where.begin);
  return "byte " + std::to_string(in) + " of shared array '" + array.name + "'";
}

std::string SharedChecks::access(const void *address, unsigned bytes,
                                 bool isWrite, int thread, const Clock &clock) {
  auto *at = static_cast<const char *>(address);
  Region &where = size_t(at - fixed.begin) < fixed.bytes ? fixed : dynamic;
  size_t offset = size_t(at - where.begin);
  for (size_t i = offset; i < offset + bytes; ++i) {
    bool outside = i >= where.bytes || (&where == &fixed && !fixed.arrays[i]);
    if (outside) {
      // The nearest array before, for the report.
      size_t last = i < where.bytes ? i : where.bytes;
      while (last > 0 && &where == &fixed && !fixed.arrays[last - 1])
        --last;
      return std::string(isWrite ? "writes" : "reads") +
             " outside shared memory" +
             (last ? ", " + std::to_string(i - last) + " bytes behind " +
                         place(where, last - 1)
                   : "");
    }
    std::string wrong =
        clock.touch(where.shadow[i], isWrite, thread, Space::Shared);
    if (!wrong.empty())
      return wrong + place(where, i);
  }
  return {};
}
