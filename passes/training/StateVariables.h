// The variables that hold a session's state: counters, seed, learning rate.
#ifndef AMPC_PASSES_TRAINING_STATEVARIABLES_H
#define AMPC_PASSES_TRAINING_STATEVARIABLES_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// The state variable `name` of `module` (amp::kIterationVariable and kin): an
/// i64 counter starting at 0, or for the learning rate an f32 scalar starting
/// at `rate`. Made after the module's other variables when missing.
amp::VariableOp ensureStateVariable(mlir::ModuleOp module, llvm::StringRef name,
                                    double rate = 0);

/// Declares a variable after the module's other variables.
amp::VariableOp appendVariable(mlir::ModuleOp module, mlir::Location loc,
                               llvm::StringRef name,
                               mlir::RankedTensorType type,
                               amp::VariableRole role, amp::InitKind init,
                               mlir::DenseF64ArrayAttr initArgs = {});

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_STATEVARIABLES_H
