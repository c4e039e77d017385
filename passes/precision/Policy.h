// Precision policies as data: what each (format, target) does with the classes
// of ops, and the model's exceptions from it (N20, N21).
#ifndef AMPC_PASSES_PRECISION_POLICY_H
#define AMPC_PASSES_PRECISION_POLICY_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// A policy in force.
struct Policy {
  /// The format asked for, `auto` resolved: f32, tf32, bf16, f16.
  llvm::StringRef format;
  /// The element type of narrow values; null when no value is narrowed.
  mlir::FloatType narrow;
  /// Whether gradients need a scaled loss (N24).
  bool scalesLoss = false;
  /// What a user should know of the format on this target; empty: nothing.
  llvm::StringRef note;
};

/// The policy `name` (f32, tf32, bf16, f16 or auto) on `target`, which may be
/// null: a CPU without hardware for narrow formats. None for another name.
std::optional<Policy> policyFor(llvm::StringRef name, amp::TargetAttr target,
                                mlir::MLIRContext *context);

/// The precision block's entries: element types of calls by their path, the
/// last that matches wins.
class PrecisionOverrides {
public:
  explicit PrecisionOverrides(mlir::ModuleOp module);

  /// The element type asked for the ops of the call that `op` belongs to, or
  /// for its kind (`op:softmax`); null where none is.
  mlir::FloatType of(mlir::Operation *op);

  /// Whether some entry asks for `type`.
  bool asksFor(mlir::Type type) const {
    return llvm::any_of(entries,
                        [&](const Entry &entry) { return entry.type == type; });
  }

  /// The patterns that match none of the ops asked about so far.
  llvm::SmallVector<llvm::StringRef> unused() const;

private:
  struct Pattern {
    llvm::StringRef text;
    bool isUsed = false;
  };
  struct Entry {
    llvm::SmallVector<Pattern> patterns;
    mlir::FloatType type;
  };
  mlir::FloatType find(llvm::StringRef path, llvm::StringRef mnemonic);

  llvm::SmallVector<Entry> entries;
  /// Answers by path and mnemonic: calls hold many ops.
  llvm::StringMap<mlir::FloatType> known;
};

} // namespace ampc

#endif // AMPC_PASSES_PRECISION_POLICY_H
