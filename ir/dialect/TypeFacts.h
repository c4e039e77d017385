// Facts of tensor types that ops, passes and builders share: element types,
// accumulation types, reduction orders.
#ifndef AMPC_IR_DIALECT_TYPEFACTS_H
#define AMPC_IR_DIALECT_TYPEFACTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ampc::amp {

enum class AccumulationOrder : uint32_t;

/// The ranked tensor type `type` with another element type.
mlir::RankedTensorType withElementType(mlir::Type type, mlir::Type element);

/// The tensor type of a value (every value of the dialect is a ranked tensor).
mlir::RankedTensorType tensorType(mlir::Value value);

/// Whether `type` is a ranked tensor of static shape without encoding and with
/// fewer than 2^48 elements, so that its size in bytes fits in 64 bits.
bool isStorable(mlir::Type type);

/// The type in which values of `element` are summed (N6): f64 for f64, f32 for
/// narrower floats, i64 for integers.
mlir::Type accumulationTypeFor(mlir::Type element);

/// The type in which elementwise ops on `element` compute (N3): f64, f32, or
/// the integer itself.
mlir::Type computeTypeFor(mlir::Type element);

/// `row` when `axes` (strictly increasing) are the last axes of a tensor of
/// `rank`, else `column` (N10).
AccumulationOrder orderOf(int64_t rank, llvm::ArrayRef<int64_t> axes);

/// Extents of `shape` without `axes` (strictly increasing).
llvm::SmallVector<int64_t> withoutAxes(llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> axes);

/// Batches, query heads, key heads, queries, keys, extents of the rows of q
/// (and k) and of v.
struct AttentionExtents {
  int64_t b, h, kv, n, m, d, e;
};

/// The extents of an attention over q [b, h, n, d], k [b, kv, m, d] and
/// v [b, kv, m, e].
AttentionExtents attentionExtents(mlir::RankedTensorType q,
                                  mlir::RankedTensorType v);

/// Product of extents (1 for a scalar).
int64_t elementCount(llvm::ArrayRef<int64_t> shape);

/// Bytes of a tensor as it is stored: elements times whole bytes (i1 takes one
/// byte).
int64_t storageBytes(mlir::RankedTensorType type);

/// Whether `value` can stand in a constant of type `element`: any number does
/// among floats, which round it; integers take whole numbers in their range.
bool holdsNumber(mlir::Type element, double value);

/// Whether `value` rounds to an f32 number that is finite, and 0 only if it is.
bool fitsF32(double value);

/// A splat constant of `type` holding `value` rounded to its element type.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::RankedTensorType type, double value);

/// `value` with element type `element`, by a policy cast where it differs.
mlir::Value castTo(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, mlir::Type element);

/// `value` in the type its element type computes in (`computeTypeFor`).
mlir::Value toComputeType(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value);

/// `product` of `factor` and something that may be infinite or NaN; an exact
/// zero where the factor is zero, so that the untaken side of a select gives no
/// 0 * inf (N15).
mlir::Value zeroWhereZero(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value factor, mlir::Value product);

/// `gradient` times the local derivative `slope`, computed in slope's element
/// type and rounded to gradient's; an exact zero where the gradient is zero.
mlir::Value timesSlope(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value gradient, mlir::Value slope);

} // namespace ampc::amp

#endif // AMPC_IR_DIALECT_TYPEFACTS_H
