// Index arithmetic and counted loops, as the kernel of a product needs many.
#ifndef AMPC_CODEGEN_KERNEL_INDEXMATH_H
#define AMPC_CODEGEN_KERNEL_INDEXMATH_H

#include "ir/dialect/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ampc {

/// Emits where its builder stands. Indices never wrap: extents are below 2^48.
struct IndexMath {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::AddIOp>(
        loc, a, b, mlir::arith::IntegerOverflowFlags::nsw);
  }
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, constant(b)); }
  mlir::Value subtract(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::SubIOp>(
        loc, a, b, mlir::arith::IntegerOverflowFlags::nsw);
  }
  mlir::Value times(mlir::Value a, int64_t b) {
    return builder.createOrFold<mlir::arith::MulIOp>(
        loc, a, constant(b), mlir::arith::IntegerOverflowFlags::nsw);
  }
  mlir::Value divide(mlir::Value a, int64_t b) {
    return builder.createOrFold<mlir::arith::DivUIOp>(loc, a, constant(b));
  }
  mlir::Value remainder(mlir::Value a, int64_t b) {
    return builder.createOrFold<mlir::arith::RemUIOp>(loc, a, constant(b));
  }
  mlir::Value smaller(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::MinSIOp>(loc, a, b);
  }
  mlir::Value larger(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::MaxSIOp>(loc, a, b);
  }
  mlir::Value isLast(mlir::Value a, int64_t count) {
    return builder.createOrFold<mlir::arith::CmpIOp>(
        loc, mlir::arith::CmpIPredicate::eq, a, constant(count - 1));
  }

  /// Runs `body(i)` for i from 0 to `end`; no loop where `end` is 1.
  template <class Body>
  void loop(mlir::Value end, Body body) {
    if (mlir::getConstantIntValue(end) == 1)
      return body(constant(0));
    auto loop =
        mlir::scf::ForOp::create(builder, loc, constant(0), end, constant(1));
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  /// Runs `body()` if `condition`; known conditions cost nothing.
  template <class Body>
  void when(mlir::Value condition, Body body) {
    if (std::optional<int64_t> known = mlir::getConstantIntValue(condition)) {
      if (*known)
        body();
      return;
    }
    auto branch = mlir::scf::IfOp::create(builder, loc, condition);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    body();
  }
};

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_INDEXMATH_H
