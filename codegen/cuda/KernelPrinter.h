// Prints one kernel as CUDA C++. Private to codegen/cuda.
//
// A pure value with one use in the same block whose text is short is written
// where it is used; everything else gets a name. Operands are parenthesised by
// precedence, the right one at one higher, so that the order of float
// operations is that of the IR.
#ifndef AMPC_CODEGEN_CUDA_KERNELPRINTER_H
#define AMPC_CODEGEN_CUDA_KERNELPRINTER_H

#include "codegen/kernel/KernelNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"

namespace ampc {

/// Precedence of a C++ expression, the loosest first.
enum class Precedence {
  Conditional,
  Or,
  Xor,
  And,
  Equality,
  Relation,
  Shift,
  Sum,
  Product,
  Unary,
  Primary
};

/// Text of an expression.
struct Expression {
  std::string text;
  Precedence precedence = Precedence::Primary;
};

/// The CUDA type of a value or memref element; empty for a type without one.
std::string cudaTypeName(mlir::Type type);

class KernelPrinter {
public:
  KernelPrinter(llvm::raw_ostream &os) : os(os) {}

  /// Prints `func`. An op without a CUDA form is an error at the op.
  llvm::LogicalResult print(mlir::func::FuncOp func);

private:
  llvm::LogicalResult printBody(mlir::Block &block);
  llvm::LogicalResult printLoop(mlir::scf::ParallelOp loop);
  llvm::LogicalResult printBranch(mlir::scf::IfOp choice);
  llvm::LogicalResult printStatement(mlir::Operation *op);
  /// The expression of a pure op; failure, with an error, when it has none
  /// (PrintOps.cpp).
  llvm::FailureOr<Expression> expressionOf(mlir::Operation *op);
  llvm::FailureOr<Expression> castExpression(mlir::Operation *op);
  llvm::FailureOr<Expression> compareExpression(mlir::Operation *op);

  /// Text of `value` in a place that binds as tightly as `least`.
  std::string use(mlir::Value value,
                  Precedence least = Precedence::Conditional);
  Expression infix(mlir::Operation *op, llvm::StringRef symbol,
                   Precedence precedence);
  Expression call(llvm::StringRef function, mlir::ValueRange operands);
  /// A fresh identifier like `wish`.
  std::string nameLike(llvm::StringRef wish);
  /// `#line` of a location, where it changes.
  void printLine(mlir::Location loc);

  llvm::raw_ostream &os;
  unsigned indent = 0;
  bool wide = false; ///< indices need 64 bits
  std::string lastLine;
  llvm::DenseMap<mlir::Value, Expression> values;
  UniqueNames names; ///< of this kernel
};

} // namespace ampc

#endif // AMPC_CODEGEN_CUDA_KERNELPRINTER_H
