// Instruction-set levels.
#include "codegen/cpu/CpuLevel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace ampc;

static constexpr StringLiteral kAvx2[] = {"avx",  "avx2", "bmi",  "bmi2",
                                          "f16c", "fma",  "lzcnt"};
static constexpr StringLiteral kAvx512[] = {
    "avx",      "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f",
    "avx512vl", "bmi",  "bmi2",     "f16c",     "fma",      "lzcnt"};
static constexpr StringLiteral kAmx[] = {
    "amx-bf16", "amx-tile", "avx", "avx2", "avx512bw", "avx512cd", "avx512dq",
    "avx512f",  "avx512vl", "bmi", "bmi2", "f16c",     "fma",      "lzcnt"};
static const CpuLevel kLevels[] = {
    {"avx2", "x86-64-v3", "", 256, kAvx2},
    {"avx512", "x86-64-v4", "", 512, kAvx512},
    {"amx", "x86-64-v4", "+amx-tile,+amx-bf16", 512, kAmx}};

ArrayRef<CpuLevel> ampc::cpuLevels() { return kLevels; }

const CpuLevel *ampc::cpuLevelByName(StringRef name) {
  const CpuLevel *found = find_if(
      kLevels, [&](const CpuLevel &level) { return level.name == name; });
  return found == std::end(kLevels) ? nullptr : found;
}

const CpuLevel *ampc::hostCpuLevel() {
  StringMap<bool> features = sys::getHostCPUFeatures();
  const CpuLevel *best = nullptr;
  for (const CpuLevel &level : kLevels)
    if (all_of(level.features,
               [&](StringRef name) { return features.lookup(name); }))
      best = &level;
  return best;
}
