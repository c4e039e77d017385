// Running error analysis: evaluates a function with the reference and carries,
// element for element, a bound on how far any conforming execution may be from
// it. A conforming execution rounds every value to its type, computes sums and
// products in the orders of N10, functions within the ulps of their text, all
// else correctly rounded. That is how bounds of single ops compose over a step.
#ifndef AMPC_TEST_NUMERICS_RUNNINGERROR_H
#define AMPC_TEST_NUMERICS_RUNNINGERROR_H

#include "ir/reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <vector>

namespace ampc::test {

/// A reference value and, one an element, the bound on the distance of any
/// conforming value from it: 0 for exactly equal, infinite for unknown.
struct Bounded {
  reference::Tensor value;
  std::vector<double> error;

  Bounded() = default;
  /// An exactly known tensor.
  explicit Bounded(reference::Tensor tensor)
      : value(std::move(tensor)),
        error(static_cast<size_t>(value.size()), 0.0) {}
};

using SharedBounded = std::shared_ptr<const Bounded>;

/// Variables by name. Copy a session's or a reference's values in before a
/// step: errors then stand for that one step.
using BoundedVariables = llvm::StringMap<SharedBounded>;

/// Which executions a bound covers.
enum class Roundings {
  /// Those that round every value to its type, as compiled code does.
  typed,
  /// Also those that leave values exact on the way, as the formula of a
  /// composite does. Constants may then be exact, too.
  optional
};

/// The results of `function` for `arguments`; amp.read and amp.write act on
/// `variables`. Composites are evaluated as their decompositions, amp.adam by
/// its formula. An op that this analysis does not know is an error.
mlir::FailureOr<llvm::SmallVector<Bounded>>
runBounded(mlir::func::FuncOp function, llvm::ArrayRef<Bounded> arguments,
           BoundedVariables &variables, Roundings roundings = Roundings::typed);

/// The results of one op, with their errors (composites included).
mlir::FailureOr<llvm::SmallVector<Bounded>>
evaluateBounded(mlir::Operation *op, llvm::ArrayRef<SharedBounded> operands,
                Roundings roundings = Roundings::typed);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_RUNNINGERROR_H
