// Instruction-set levels that kernels are compiled for. A level is a fixed set
// of features, never a chip: the same plan runs on every machine that has them.
#ifndef AMPC_CODEGEN_CPU_CPULEVEL_H
#define AMPC_CODEGEN_CPU_CPULEVEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ampc {

/// One level.
struct CpuLevel {
  llvm::StringLiteral name; ///< as plans and options call it
  llvm::StringLiteral cpu;  ///< LLVM's name
  llvm::StringLiteral more; ///< features beyond those of `cpu`, LLVM's list
  unsigned vectorBits;      ///< register width that LLVM prefers
  llvm::ArrayRef<llvm::StringLiteral>
      features; ///< what a machine must have, LLVM's names
};

/// All levels, the widest last: avx2 (x86-64-v3), avx512 (x86-64-v4),
/// amx (x86-64-v4 with AMX tiles and their bf16 products).
llvm::ArrayRef<CpuLevel> cpuLevels();

/// The level called `name`, or null.
const CpuLevel *cpuLevelByName(llvm::StringRef name);

/// The widest level of this machine; null when it has not even the first.
const CpuLevel *hostCpuLevel();

} // namespace ampc

#endif // AMPC_CODEGEN_CPU_CPULEVEL_H
