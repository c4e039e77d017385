// Which ops the gradient tests have reached.
#ifndef AMPC_TEST_NUMERICS_GRADIENTS_COVERAGE_H
#define AMPC_TEST_NUMERICS_GRADIENTS_COVERAGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ampc::test {

/// Notes the ops of `function`, whose gradient has been compared with finite
/// differences or seen to be none. When all tests of the program have run,
/// every differentiable op of the dialect must have been noted.
void noteCovered(mlir::func::FuncOp function);

/// Counts op `name` as reached where no difference can tell: its derivative is
/// a convention, as that of a rounding to 8 bits.
void noteConvention(llvm::StringRef name);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_GRADIENTS_COVERAGE_H
