// The op interfaces of the amp dialect and the values they answer with.
#ifndef AMPC_IR_DIALECT_INTERFACES_H
#define AMPC_IR_DIALECT_INTERFACES_H

#include "ir/dialect/Attrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace ampc::reference {
class Tensor;
} // namespace ampc::reference

namespace ampc::amp {

/// Work of an op standing alone.
struct OpCost {
  /// Floating-point additions, multiplications, divisions and comparisons.
  double flops = 0;
  /// Bytes read and written, each operand and result once.
  double bytes = 0;
  /// Calls of exp, log, sqrt and kin.
  double transcendentals = 0;
};

/// The values that an index operand may hold: [low, high), and `ignore`
/// besides.
struct IndexBound {
  unsigned operand;
  int64_t low;
  int64_t high;
  std::optional<int64_t> ignore;
  llvm::StringRef noun; ///< what messages call the operand's elements
};

/// Integers from `low` to `high`, both among them.
struct IntegerRange {
  int64_t low;
  int64_t high;
};

/// The smallest range that holds `ranges`, of which there is one at least.
IntegerRange hullOf(llvm::ArrayRef<IntegerRange> ranges);

/// Bytes of all operands and results of `op`.
double trafficBytes(mlir::Operation *op);

/// Cost of an op that does `flopsPerElement` and `transcendentals` per element
/// of its widest operand or result.
OpCost mapCost(mlir::Operation *op, double flopsPerElement,
               double transcendentals);

/// Cost of an op that moves elements: each element of the result is read and
/// written once; `readWhole` are read besides.
OpCost movementCost(mlir::Operation *op, mlir::ValueRange readWhole = {});
/// Holds the key and site of a RandomSite against their constraints.
mlir::LogicalResult verifyRandomSite(mlir::Operation *op);

/// sum / count, two scalars of one float type.
mlir::Value quotient(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value sum, mlir::Value count);

/// The same, 0 where the count is 0 (N11).
mlir::Value quotientOrZero(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value sum, mlir::Value count);

} // namespace ampc::amp

#include "ir/dialect/Interfaces.h.inc"

#endif // AMPC_IR_DIALECT_INTERFACES_H
