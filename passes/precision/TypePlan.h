// What a policy decides for each op of a forward graph.
#ifndef AMPC_PASSES_PRECISION_TYPEPLAN_H
#define AMPC_PASSES_PRECISION_TYPEPLAN_H

#include "passes/precision/Policy.h"
#include "passes/precision/TypeChoice.h"

namespace ampc {

/// The decision for one op.
struct TypeDecision {
  /// The element type of the op's first result, and of what it takes.
  mlir::FloatType type;
  amp::Reason reason;
};

/// The decisions for the ops whose floats are all f32 as written and whose
/// class lets the policy choose. Every other op stays as the model says.
class TypePlan {
public:
  TypePlan(mlir::func::FuncOp forward, const Policy &policy,
           PrecisionOverrides &overrides);

  /// Null where the policy has no say.
  const TypeDecision *of(mlir::Operation *op) const {
    auto found = decisions.find(op);
    return found == decisions.end() ? nullptr : &found->second;
  }

private:
  void classify(mlir::Operation *op, PrecisionOverrides &overrides);
  void pin(mlir::Operation *op, mlir::FloatType type, amp::Reason reason);
  void addUses(mlir::Operation *op);
  /// Whether a constant that `op` reads would become 0 or infinite in `type`.
  bool losesConstant(mlir::Operation *op, mlir::FloatType type) const;
  /// Whether `op` reads what such a constant may be an element of: a mask of
  /// -1e9 stays one until it is added to scores and they go into a softmax.
  bool readsOutOfRange(mlir::Operation *op) const;

  const Policy &policy;
  mlir::FloatType wide;
  TypeChoice choice;
  unsigned outside; ///< stands for all that takes f32 alone
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::DenseMap<mlir::Value, unsigned> given; ///< values the policy leaves f32
  llvm::DenseMap<mlir::Operation *, TypeDecision> decisions;
};

/// Whether `op` gives what its entry returns as a loss.
bool givesLoss(mlir::Operation *op);

/// Whether `value` is known at compile time: a constant or an iota, broadcast
/// or reshaped.
bool isConstantLike(mlir::Value value);

} // namespace ampc

#endif // AMPC_PASSES_PRECISION_TYPEPLAN_H
