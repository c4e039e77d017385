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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// The text of `expression` in a place that binds as tightly as `least`.
std::string inParentheses(const Expression &expression, Precedence least);

/// The CUDA type of a number or memref element; empty for a type without one.
std::string cudaTypeName(mlir::Type type);

/// A number that the index `value` is a multiple of, 0 when it is 0.
int64_t knownDivisor(mlir::Value value);

class KernelPrinter {
public:
  KernelPrinter(llvm::raw_ostream &os) : os(os) {}

  /// Prints `func`. An op without a CUDA form is an error at the op.
  llvm::LogicalResult print(mlir::func::FuncOp func);

private:
  // The frame (KernelPrinter.cpp).
  llvm::LogicalResult printSignature(mlir::func::FuncOp func,
                                     int64_t blockThreads);
  llvm::LogicalResult printBody(mlir::Block &block);
  llvm::LogicalResult printStatement(mlir::Operation *op);

  // Loops and branches (PrintControl.cpp).
  llvm::LogicalResult printPoints(mlir::scf::ParallelOp loop);
  llvm::LogicalResult printLoop(mlir::scf::ForOp loop);
  llvm::LogicalResult printBranch(mlir::scf::IfOp choice);
  /// Declares a variable for `value`, with text `start` unless empty.
  llvm::LogicalResult declare(mlir::Value value, llvm::StringRef wish,
                              llvm::StringRef start);

  // Memory and what threads say to each other (PrintMemory.cpp); a statement,
  // or the expression of a load.
  bool isMemoryStatement(mlir::Operation *op);
  llvm::LogicalResult printMemoryStatement(mlir::Operation *op);
  /// The expression of an op that is always named where it stands; none for
  /// other ops.
  std::optional<Expression> orderedExpression(mlir::Operation *op);
  /// `ampc_load` or `ampc_store`, where the access is aligned, and the address.
  std::string access(llvm::StringRef function, mlir::VectorType type,
                     mlir::Value memory, mlir::Value index);

  /// The expression of a pure op; failure, with an error, when it has none
  /// (PrintOps.cpp).
  llvm::FailureOr<Expression> expressionOf(mlir::Operation *op);
  llvm::FailureOr<Expression> constantExpression(mlir::Operation *op);
  llvm::FailureOr<Expression> castExpression(mlir::Operation *op);
  llvm::FailureOr<Expression> compareExpression(mlir::Operation *op);
  /// Vectors made of numbers, and numbers of vectors; none for other ops.
  std::optional<Expression> vectorExpression(mlir::Operation *op);

  /// Text of `value` in a place that binds as tightly as `least`.
  std::string use(mlir::Value value,
                  Precedence least = Precedence::Conditional);
  /// The same of operand `i` of an elementwise `op`: a vector of equal elements
  /// beside another vector is its element.
  std::string useLane(mlir::Operation *op, unsigned i,
                      Precedence least = Precedence::Conditional);
  Expression infix(mlir::Operation *op, llvm::StringRef symbol,
                   Precedence precedence);
  /// A sum or product of indices, without what changes nothing: `neutral`.
  Expression indexExpression(mlir::Operation *op, llvm::StringRef symbol,
                             Precedence precedence, llvm::StringRef neutral);
  Expression call(llvm::StringRef function, mlir::Operation *op);
  /// The type of a value; empty for one without.
  std::string typeName(mlir::Type type);
  /// Whether `value`, whose text is `text`, stands where it is used.
  bool isInlined(mlir::Value value, llvm::StringRef text);
  /// A fresh identifier like `wish`.
  std::string nameLike(llvm::StringRef wish);
  /// A name for `value` from the model, `fallback` where it has none.
  std::string wishFor(mlir::Value value, llvm::StringRef fallback);
  /// `#line` of a location, where it changes.
  void printLine(mlir::Location loc);

  llvm::raw_ostream &os;
  unsigned indent = 0;
  bool wide = false; ///< indices need 64 bits
  std::string lastLine;
  llvm::DenseMap<mlir::Value, Expression> values;
  /// The element of vectors whose elements are equal.
  llvm::DenseMap<mlir::Value, Expression> splats;
  UniqueNames names; ///< of this kernel
};

} // namespace ampc

#endif // AMPC_CODEGEN_CUDA_KERNELPRINTER_H
