// Spells the formulas of derivatives and decompositions: one primitive a call.
#ifndef AMPC_IR_DIALECT_OPS_FORMULA_H
#define AMPC_IR_DIALECT_OPS_FORMULA_H

#include "ir/dialect/Dialect.h"

namespace ampc::amp {

/// Builds primitives at a builder's insertion point. Operands of one call have
/// one type, a condition's element type aside.
class Formula {
public:
  Formula(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  using Value = mlir::Value;

  Value add(Value a, Value b) { return make<AddOp>(a, b); }
  Value sub(Value a, Value b) { return make<SubOp>(a, b); }
  Value mul(Value a, Value b) { return make<MulOp>(a, b); }
  Value div(Value a, Value b) { return make<DivOp>(a, b); }
  Value maximum(Value a, Value b) { return make<MaximumOp>(a, b); }
  Value minimum(Value a, Value b) { return make<MinimumOp>(a, b); }
  Value pow(Value a, Value b) { return make<PowOp>(a, b); }
  Value logicalAnd(Value a, Value b) { return make<AndOp>(a, b); }
  Value logicalNot(Value a) { return make<NotOp>(a); }
  Value neg(Value a) { return make<NegOp>(a); }
  Value exp(Value a) { return make<ExpOp>(a); }
  Value log(Value a) { return make<LogOp>(a); }
  Value log1p(Value a) { return make<Log1pOp>(a); }
  Value sqrt(Value a) { return make<SqrtOp>(a); }
  Value tanh(Value a) { return make<TanhOp>(a); }
  Value erf(Value a) { return make<ErfOp>(a); }
  Value sin(Value a) { return make<SinOp>(a); }
  Value cos(Value a) { return make<CosOp>(a); }
  Value abs(Value a) { return make<AbsOp>(a); }
  Value sign(Value a) { return make<SignOp>(a); }
  Value select(Value condition, Value a, Value b) {
    return make<SelectOp>(condition, a, b);
  }
  Value compare(ComparePredicate predicate, Value a, Value b) {
    return make<CompareOp>(predicate, a, b);
  }
  /// `a` compared with a number of its type.
  Value compare(ComparePredicate predicate, Value a, double b) {
    return compare(predicate, a, constant(a, b));
  }

  /// A constant of `like`'s type.
  Value constant(Value like, double value) {
    return splat(builder, loc, tensorType(like), value);
  }
  Value constant(mlir::Type type, double value) {
    return splat(builder, loc, mlir::cast<mlir::RankedTensorType>(type), value);
  }
  /// 0, 1, ... `extent` - 1 in type `element`.
  Value iota(int64_t extent, mlir::Type element) {
    return make<IotaOp>(extent, element);
  }
  /// 1 where `condition` holds and 0 elsewhere, in float type `element`.
  Value indicator(Value condition, mlir::Type element);

  /// `value` with element type `element`, by a policy cast where it differs.
  Value cast(Value value, mlir::Type element) {
    return castTo(builder, loc, value, element);
  }
  /// `value` in the type its element type computes in (N6).
  Value widen(Value value) { return toComputeType(builder, loc, value); }
  /// `value` under another shape of as many elements.
  Value reshape(Value value, llvm::ArrayRef<int64_t> shape);
  /// `value` repeated to extents `shape`; its axis i becomes `axes[i]`.
  Value broadcast(Value value, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> axes);
  /// `value`, a scalar, repeated to extents `shape`; itself where it has them.
  Value broadcastScalar(Value value, llvm::ArrayRef<int64_t> shape);
  /// `value` with `low` zeros before and `high` zeros after it, an axis each.
  Value pad(Value value, llvm::ArrayRef<int64_t> low,
            llvm::ArrayRef<int64_t> high);
  /// `value` reduced over `axes`; itself over none.
  Value reduce(ReduceKind kind, Value value, llvm::ArrayRef<int64_t> axes);
  /// `value` reduced over all its axes.
  Value reduceAll(ReduceKind kind, Value value);
  /// `value` reduced to a scalar: along its last axis, then over the rows,
  /// which are many and each one piece of work.
  Value reduceByRows(ReduceKind kind, Value value);

protected:
  template <typename OpT, typename... Args>
  Value make(Args &&...args) {
    return OpT::create(builder, loc, std::forward<Args>(args)...);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Formulas over one iteration space whose rows run along `axes`: values of the
/// space, and values with one element a row. Rows over the last axes become one
/// row kernel.
class RowFormula : public Formula {
public:
  RowFormula(mlir::OpBuilder &builder, mlir::Location loc,
             llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes);

  /// Reduces a value of the space to one element a row.
  Value reduce(ReduceKind kind, Value value) {
    return Formula::reduce(kind, value, axes);
  }
  /// Repeats a value with one element a row over the space.
  Value spread(Value value) { return broadcast(value, shape, rows); }
  /// Repeats a value with the extents of `axes` over the rows.
  Value repeat(Value value) { return broadcast(value, shape, axes); }
  /// Reduces a value of the space over its rows, to the extents of `axes`.
  Value sumOfRows(Value value) {
    return Formula::reduce(ReduceKind::sum, value, rows);
  }
  /// Elements of a row.
  int64_t rowLength() const;
  /// `x` minus its row's mean, taken of x minus its first element (N8): a
  /// constant row gives exact zeros. `mean`, when asked for, gets the mean.
  Value centered(Value x, Value *mean = nullptr);

private:
  llvm::SmallVector<int64_t> shape, axes, rows;
};

/// The last `count` axes of a tensor of rank `rank`.
llvm::SmallVector<int64_t> lastAxes(int64_t rank, int64_t count);

/// Reports a gradient that reaches result `index` of `op`, which only serves
/// the derivative of another result.
mlir::LogicalResult refuseGradient(mlir::Operation *op,
                                   mlir::ValueRange gradients, unsigned index);

} // namespace ampc::amp

#endif // AMPC_IR_DIALECT_OPS_FORMULA_H
