// The variables of a module by name, and the ones that training adds: moments,
// counters, seed, learning rate.
#ifndef AMPC_PASSES_TRAINING_VARIABLETABLE_H
#define AMPC_PASSES_TRAINING_VARIABLETABLE_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Looks variables up and declares new ones after them, in constant time.
class VariableTable {
public:
  explicit VariableTable(mlir::ModuleOp module);

  /// The variable `name`, or null.
  amp::VariableOp lookup(llvm::StringRef name) const {
    return byName.lookup(name);
  }
  /// Declares a variable after all others.
  amp::VariableOp append(mlir::Location loc, llvm::StringRef name,
                         mlir::RankedTensorType type, amp::VariableRole role,
                         amp::InitKind init,
                         mlir::DenseF64ArrayAttr initArgs = {});
  /// The i64 counter `name` (amp::kIterationVariable and kin), declared to
  /// start at 0 when missing.
  amp::VariableOp ensureCounter(llvm::StringRef name);
  /// The f32 base learning rate, declared to start at `rate` when missing.
  amp::VariableOp ensureLearningRate(double rate);
  /// State of the loss scaler: an f32 scalar that starts at `start`, or without
  /// one an i32 counter that starts at 0.
  amp::VariableOp appendScaler(llvm::StringRef name,
                               std::optional<double> start);

private:
  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  amp::VariableOp last; // null when there is none
  llvm::StringMap<amp::VariableOp> byName;
};

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_VARIABLETABLE_H
