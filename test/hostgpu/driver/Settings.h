// What the environment says about the software device, and its random numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ampc::hostgpu {

/// Read when the device's context is made, so that one process can test
/// several.
struct Settings {
  /// AMPC_HOSTGPU_DEVICES: 0 plays a machine without a device.
  int devices = 1;
  /// AMPC_HOSTGPU_CAPABILITY, as "8.0".
  int major = 8, minor = 0;
  /// AMPC_HOSTGPU_SMS.
  int multiprocessors = 4;
  /// AMPC_HOSTGPU_MEMORY, in bytes.
  size_t memoryBytes = size_t(1) << 30;
  /// AMPC_HOSTGPU_SEED: every order left open is drawn from it.
  uint64_t seed = 1;
  /// AMPC_HOSTGPU_POISON: the byte that fills memory nobody has written.
  uint8_t poison = 0xff;
  /// AMPC_HOSTGPU_FAIL_ALLOC: this allocation of the context fails, from 1; 0:
  /// none.
  long failAllocation = 0;
  /// AMPC_HOSTGPU_CHECK is "full": device memory is watched byte by byte.
  bool watchesDevice = false;
  /// AMPC_HOSTGPU_QUIET: reports are kept, not printed.
  bool quiet = false;
};

Settings readSettings();

/// splitmix64: small, and the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed = 1) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound) but for a bias of 2^-32.
  uint32_t below(uint32_t bound) {
    return uint32_t((next() >> 32) * bound >> 32);
  }

private:
  uint64_t state;
};

} // namespace ampc::hostgpu
