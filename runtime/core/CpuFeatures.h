// What this processor can do, and whether a plan's objects may run on it.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/plan/Export.h"

#include <optional>
#include <string>
#include <string_view>

namespace ampc::rt {

/// Instruction-set levels, each containing the one before: `baseline` is any
/// x86-64, `avx2` is x86-64-v3, `avx512` is x86-64-v4, `amx` has AMX tiles with
/// bf16 products too.
enum class CpuLevel : uint8_t { Baseline = 0, Avx2, Avx512, Amx };

/// `baseline`, `avx2`, `avx512`, `amx`.
AMPC_API std::string_view name_of(CpuLevel level);
/// The level called `name`.
AMPC_API std::optional<CpuLevel> cpu_level_by_name(std::string_view name);

/// The processor, possibly seen narrower than it is.
class AMPC_API CpuFeatures {
public:
  /// Asks the processor. `limit` hides what lies above that level (for tests).
  static CpuFeatures probe(CpuLevel limit = CpuLevel::Amx);

  CpuLevel level() const { return found; }
  /// AMX tiles with bf16 products are there.
  bool has_amx() const { return found == CpuLevel::Amx; }
  /// Whether a feature by LLVM's name (`avx512f`, `amx-bf16`, `fma`; a leading
  /// `+` is skipped) is usable here.
  bool has(std::string_view feature) const;

private:
  CpuLevel found = CpuLevel::Baseline;
  CpuLevel limit = CpuLevel::Amx;
  std::string flags; ///< the system's list, ` name name `, with separators
                     ///< removed from names
};

/// Asks the system for AMX tiles, once a process. False where the system
/// refuses.
AMPC_API bool request_amx();

} // namespace ampc::rt
