// Processor probe. The system's flag list is used beside cpuid because it knows
// which register states the system saves.
#include "runtime/core/CpuFeatures.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sys/syscall.h>
#include <unistd.h>

namespace ampc::rt {

std::string_view name_of(CpuLevel level) {
  constexpr std::string_view names[] = {"baseline", "avx2", "avx512", "amx"};
  return names[static_cast<size_t>(level)];
}

std::optional<CpuLevel> cpu_level_by_name(std::string_view name) {
  for (CpuLevel level :
       {CpuLevel::Baseline, CpuLevel::Avx2, CpuLevel::Avx512, CpuLevel::Amx})
    if (name_of(level) == name)
      return level;
  return std::nullopt;
}

/// Lower case letters and digits only, so that `amx-bf16` and `amx_bf16` are
/// one name.
static std::string plain(std::string_view name) {
  std::string out;
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// LLVM's names that the system spells otherwise.
static std::string systemName(const std::string &name) {
  static constexpr std::pair<std::string_view, std::string_view> other[] = {
      {"sse3", "pni"},
      {"lzcnt", "abm"},
      {"pclmul", "pclmulqdq"},
      {"cmpxchg16b", "cx16"},
      {"cmpxchg8b", "cx8"},
      {"sahf", "lahflm"},
      {"rdrnd", "rdrand"},
      {"sha", "shani"},
      {"prfchw", "3dnowprefetch"},
      {"avxifma", "avxifma"},
      {"serialize", "serialize"}};
  for (auto [llvm, system] : other)
    if (name == llvm)
      return std::string(system);
  return name;
}

CpuFeatures CpuFeatures::probe(CpuLevel limit) {
  CpuFeatures result;
  result.limit = limit;
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512cd") &&
                __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
  result.found = avx512 ? CpuLevel::Avx512
                 : avx2 ? CpuLevel::Avx2
                        : CpuLevel::Baseline;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0)
      continue;
    size_t colon = line.find(':');
    result.flags = " ";
    std::string word;
    for (size_t i = colon == std::string::npos ? line.size() : colon + 1;
         i <= line.size(); ++i) {
      if (i < line.size() && line[i] != ' ') {
        word += line[i];
      } else if (!word.empty()) {
        result.flags += plain(word) + ' ';
        word.clear();
      }
    }
    break;
  }
  if (avx512 && result.has("amx-tile") && result.has("amx-bf16"))
    result.found = CpuLevel::Amx;
  result.found = std::min(result.found, limit);
  return result;
}

bool CpuFeatures::has(std::string_view feature) const {
  std::string name = plain(feature);
  bool tiles = name.rfind("amx", 0) == 0;
  bool wide = name.rfind("avx512", 0) == 0 || name.rfind("evex512", 0) == 0 ||
              name.rfind("avx10", 0) == 0;
  bool middle = name == "avx" || name == "avx2" || name == "fma" ||
                name == "f16c" || name == "bmi" || name == "bmi1" ||
                name == "bmi2" || name.rfind("avx", 0) == 0;
  if ((tiles && limit < CpuLevel::Amx) || (wide && limit < CpuLevel::Avx512) ||
      (middle && limit < CpuLevel::Avx2))
    return false;
  if (name == "evex512") // LLVM's word for 512-bit registers
    name = "avx512f";
  if (name == "bmi")
    name = "bmi1";
  if (name == "64bit" || name == "crc32" || name == "x87")
    return true; // every processor this library runs on
  if (flags.find(" " + name + " ") != std::string::npos ||
      flags.find(" " + systemName(name) + " ") != std::string::npos)
    return true;
  if (!flags.empty())
    return false;
  // No flag list: what the levels guarantee.
  if (wide)
    return found >= CpuLevel::Avx512 &&
           (name == "avx512f" || name == "avx512bw" || name == "avx512cd" ||
            name == "avx512dq" || name == "avx512vl");
  if (middle)
    return found >= CpuLevel::Avx2 &&
           (name == "avx" || name == "avx2" || name == "fma" ||
            name == "f16c" || name == "bmi1" || name == "bmi2");
  return name.rfind("sse", 0) == 0 || name == "popcnt" || name == "fxsr" ||
         name == "cx8";
}

bool request_amx() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  static const bool granted =
      ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
}

} // namespace ampc::rt
