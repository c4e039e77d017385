// What the integers of an entry may be.
#ifndef AMPC_PASSES_TRAINING_INTEGERRANGES_H
#define AMPC_PASSES_TRAINING_INTEGERRANGES_H

#include "ir/dialect/Dialect.h"

#include "llvm/ADT/DenseMap.h"

namespace ampc {

/// Ranges that hold every element of the values of one entry, whatever its
/// inputs: those of interface BoundedInteger, else all the type holds.
class IntegerRanges {
public:
  explicit IntegerRanges(mlir::func::FuncOp func);

  amp::IntegerRange of(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Value, amp::IntegerRange> known;
};

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_INTEGERRANGES_H
