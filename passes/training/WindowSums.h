// The sums that micro-batches of one window add up to.
#ifndef AMPC_PASSES_TRAINING_WINDOWSUMS_H
#define AMPC_PASSES_TRAINING_WINDOWSUMS_H

#include "passes/training/VariableTable.h"

namespace ampc {

/// Adds to sums at the end of one entry.
class WindowSums {
public:
  /// In `entry` a window begins where the i64 variable `position` is 0: the
  /// sums start from nothing there, whatever they hold.
  WindowSums(mlir::func::FuncOp entry, VariableTable &variables,
             llvm::StringRef position);

  /// Whether this is the window's first micro-batch, an i1 scalar that stands
  /// before all else.
  mlir::Value isFirst() const { return first; }
  /// The position in the window, an i64 scalar that stands before all else.
  mlir::Value position() const { return at; }

  /// Adds `part` to the variable `name` of role accumulator, declared in the
  /// type that sums of `part` are kept in (N6) when missing.
  void add(llvm::StringRef name, mlir::Value part);
  /// Advances the position by one.
  void advance();

private:
  mlir::func::FuncOp entry;
  VariableTable &variables;
  mlir::OpBuilder top, end;
  std::string positionName;
  mlir::Value at, first;
};

/// The variable `name` of role accumulator that holds sums of `part`, declared
/// when missing.
amp::VariableOp ensureSum(VariableTable &variables, llvm::StringRef name,
                          mlir::Value part);

/// The sum that variable `name` holds, in the type of `part`; read at
/// `builder`.
mlir::Value readSum(mlir::OpBuilder &builder, VariableTable &variables,
                    llvm::StringRef name, mlir::Value part);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_WINDOWSUMS_H
