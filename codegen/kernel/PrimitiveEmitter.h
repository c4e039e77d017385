// One elementwise primitive on scalars or vectors alike: arith and math ops in
// compute form.
#ifndef AMPC_CODEGEN_KERNEL_PRIMITIVEEMITTER_H
#define AMPC_CODEGEN_KERNEL_PRIMITIVEEMITTER_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// `scalar`, or the vector type of `scalar` with `like`'s shape when `like` is
/// a vector.
mlir::Type typeLike(mlir::Type scalar, mlir::Type like);

/// A constant of `type` (scalar or vector splat) from an attribute of its
/// element type.
mlir::Value constantLike(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::TypedAttr value, mlir::Type like);

/// The type that a value of `element` has in memory: i8 for i1, else itself.
mlir::Type storageTypeFor(mlir::Type element);

/// A loaded element in compute form (i8 to i1, narrow floats to f32).
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value stored, mlir::Type element);
/// A value in compute form, which is representable in `element`, as it is
/// stored.
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, mlir::Type element);
/// Rounds an f32 or f64 once to `element` and gives it in `element`'s compute
/// form.
mlir::Value roundTo(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, mlir::Type element);

/// Emits `op`, an elementwise primitive, on operands in compute form; the
/// result is in compute form and rounded to the op's result type. An op without
/// an elementwise form is an error.
llvm::FailureOr<mlir::Value> emitPrimitive(mlir::OpBuilder &builder,
                                           mlir::Operation *op,
                                           mlir::ValueRange operands);

/// A float with one bit pattern for every NaN: the quiet one without a sign.
/// Which of two NaNs an instruction keeps depends on the order of its operands,
/// which is the compiler's. Integers are what they are.
mlir::Value oneNaN(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value);

/// The quotient rounded toward minus infinity and its remainder, as
/// amp.floor_div and amp.remainder define them; no value traps.
mlir::Value emitFloorQuotient(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value lhs, mlir::Value rhs);
mlir::Value emitFloorRemainder(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value lhs, mlir::Value rhs);

/// The numbers of `op` at element numbers `elements` (i64, scalar or
/// vector) (N17). `site`: its word of mode and site (i32); null: a constant.
mlir::Value emitRandom(mlir::OpBuilder &builder, amp::RandomOp op,
                       mlir::Value seed, mlir::Value index, mlir::Value micro,
                       mlir::Value elements, mlir::Value site = {});

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_PRIMITIVEEMITTER_H
