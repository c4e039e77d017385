#include "test/hostgpu/driver/Settings.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ampc::hostgpu;

namespace {

template <class T>
void readNumber(const char *name, T &value) {
  if (const char *text = std::getenv(name); text && *text)
    value = T(std::strtoull(text, nullptr, 0));
}

} // namespace

Settings ampc::hostgpu::readSettings() {
  Settings settings;
  readNumber("AMPC_HOSTGPU_DEVICES", settings.devices);
  readNumber("AMPC_HOSTGPU_SMS", settings.multiprocessors);
  readNumber("AMPC_HOSTGPU_MEMORY", settings.memoryBytes);
  readNumber("AMPC_HOSTGPU_SEED", settings.seed);
  readNumber("AMPC_HOSTGPU_POISON", settings.poison);
  readNumber("AMPC_HOSTGPU_FAIL_ALLOC", settings.failAllocation);
  readNumber("AMPC_HOSTGPU_QUIET", settings.quiet);
  if (const char *text = std::getenv("AMPC_HOSTGPU_CHECK"))
    settings.watchesDevice = std::strcmp(text, "full") == 0;
  if (const char *text = std::getenv("AMPC_HOSTGPU_CAPABILITY"))
    std::sscanf(text, "%d.%d", &settings.major, &settings.minor);
  return settings;
}
