// A conforming execution in plain f32 loops: sums and products in the orders of
// N10, every other op by the reference. It stands for compiled code where none
// is needed.
#ifndef AMPC_TEST_NUMERICS_DECOMPOSITIONS_FLOATEXECUTION_H
#define AMPC_TEST_NUMERICS_DECOMPOSITIONS_FLOATEXECUTION_H

#include "ir/reference/Interpreter.h"

namespace ampc::test {

/// The results of `function`, whose composites are decomposed, for `arguments`.
/// f32 tensors only; sums are over all axes, the last axes or the first axis.
mlir::FailureOr<llvm::SmallVector<reference::Tensor>>
runInFloats(mlir::func::FuncOp function,
            llvm::ArrayRef<reference::Tensor> arguments,
            reference::Variables &variables);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_DECOMPOSITIONS_FLOATEXECUTION_H
