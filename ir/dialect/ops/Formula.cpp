// Formulas in primitives; see Formula.h.
#include "ir/dialect/ops/Formula.h"

using namespace mlir;

namespace ampc::amp {

Value Formula::indicator(Value condition, Type element) {
  RankedTensorType type = withElementType(condition.getType(), element);
  return select(condition, constant(type, 1.0), constant(type, 0.0));
}

Value Formula::reshape(Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(value);
  if (type.getShape() == shape)
    return value;
  return make<ReshapeOp>(RankedTensorType::get(shape, type.getElementType()),
                         value);
}

Value Formula::broadcast(Value value, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> axes) {
  RankedTensorType type = tensorType(value);
  if (type.getShape() == shape)
    return value;
  return make<BroadcastOp>(RankedTensorType::get(shape, type.getElementType()),
                           value, axes);
}

Value Formula::broadcastScalar(Value value, ArrayRef<int64_t> shape) {
  return broadcast(value, shape, {});
}

Value Formula::pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  SmallVector<int64_t> interior(low.size(), 0);
  return make<PadOp>(value, low, high, interior, 0.0);
}

Value Formula::reduce(ReduceKind kind, Value value, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return value;
  return make<ReduceOp>(kind, value, axes);
}

Value Formula::reduceAll(ReduceKind kind, Value value) {
  int64_t rank = tensorType(value).getRank();
  return reduce(kind, value, lastAxes(rank, rank));
}

Value Formula::reduceByRows(ReduceKind kind, Value value) {
  int64_t rank = tensorType(value).getRank();
  if (rank > 1)
    value = reduce(kind, value, lastAxes(rank, 1));
  return reduceAll(kind, value);
}

RowFormula::RowFormula(OpBuilder &builder, Location loc,
                       ArrayRef<int64_t> shape, ArrayRef<int64_t> axes)
    : Formula(builder, loc), shape(shape), axes(axes) {
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis)
    if (!llvm::is_contained(axes, axis))
      rows.push_back(axis);
}

int64_t RowFormula::rowLength() const {
  int64_t length = 1;
  for (int64_t axis : axes)
    length *= shape[axis];
  return length;
}

Value RowFormula::centered(Value x, Value *mean) {
  Value first = reduce(ReduceKind::first, x);
  Value shifted = sub(x, spread(first));
  Value offset = reduce(ReduceKind::mean, shifted);
  if (mean)
    *mean = add(first, offset);
  return sub(shifted, spread(offset));
}

SmallVector<int64_t> lastAxes(int64_t rank, int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(rank - count, rank));
}

LogicalResult refuseGradient(Operation *op, ValueRange gradients,
                             unsigned index) {
  if (!gradients[index])
    return success();
  return op->emitOpError() << "result " << index
                           << " has no derivative, but a gradient reaches it";
}

} // namespace ampc::amp
