// A step that changes nothing.
#ifndef AMPC_PASSES_TRAINING_GUARDWRITES_H
#define AMPC_PASSES_TRAINING_GUARDWRITES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ampc {

/// Lets every variable that `func` writes keep its value where `condition`, an
/// i1 scalar that stands before the writes, is false: one choice an element in
/// the kernel that computes the new value.
void writeOnlyIf(mlir::func::FuncOp func, mlir::Value condition);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_GUARDWRITES_H
