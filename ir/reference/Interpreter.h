// Evaluates functions of the amp dialect op by op, and holds the variables they
// read and write.
#ifndef AMPC_IR_REFERENCE_INTERPRETER_H
#define AMPC_IR_REFERENCE_INTERPRETER_H

#include "ir/reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace ampc::reference {

/// Values are shared, never changed once made: reading a variable copies
/// nothing.
using SharedTensor = std::shared_ptr<const Tensor>;

/// The variables of a module by name.
class Variables {
public:
  /// One tensor an amp.variable of `module`, started as its `init` says; drawn
  /// starts read (seed, mode init, index 0, the variable's site) (N17). The
  /// variable `ampc.state/seed`, where there is one, holds the seed.
  ///   uniform [low, high): low + (high - low) * u;
  ///   normal [mean, std]: mean + std * z;
  /// in f64 with one rounding to the variable's element type. 16-bit copies
  /// start as what they are copies of.
  static mlir::FailureOr<Variables> create(mlir::ModuleOp module,
                                           uint64_t seed);

  /// The tensor of a variable, or null for an unknown name.
  const Tensor *find(llvm::StringRef name) const;
  /// The same, to keep.
  SharedTensor share(llvm::StringRef name) const;
  /// Gives variable `name` a value of its type; fails for an unknown name or
  /// another type.
  mlir::LogicalResult set(llvm::StringRef name, Tensor value);
  mlir::LogicalResult set(llvm::StringRef name, SharedTensor value);
  /// Gives every 16-bit copy of `module` the present value of its source,
  /// rounded once (N22).
  void refreshCopies(mlir::ModuleOp module);

private:
  llvm::StringMap<SharedTensor> tensors;
};

/// The results of `function` for `arguments`; amp.read and amp.write act on
/// `variables`. Values are freed after their last use. Errors stand at the op
/// they concern; `variables` may then hold the writes that came before.
mlir::FailureOr<llvm::SmallVector<Tensor>> run(mlir::func::FuncOp function,
                                               llvm::ArrayRef<Tensor> arguments,
                                               Variables &variables);

/// The operands of the terminator of `block` (a function's or a group's body)
/// for `arguments`. `variables` may be null where the block neither reads nor
/// writes one.
mlir::FailureOr<llvm::SmallVector<SharedTensor>>
evaluateBlock(mlir::Block &block, llvm::ArrayRef<SharedTensor> arguments,
              Variables *variables);

} // namespace ampc::reference

#endif // AMPC_IR_REFERENCE_INTERPRETER_H
