// Elements chosen by index tensors: building, verification, derivatives.
#include "ir/dialect/ops/Formula.h"

using namespace mlir;
using namespace ampc::amp;

/// `shape` with `inner` in the place of `axis`.
static SmallVector<int64_t> spliced(ArrayRef<int64_t> shape, int64_t axis,
                                    ArrayRef<int64_t> inner) {
  SmallVector<int64_t> result(shape.take_front(axis));
  llvm::append_range(result, inner);
  llvm::append_range(result, shape.drop_front(axis + 1));
  return result;
}

/// Refuses an axis that `type` does not have.
static LogicalResult verifyAxis(Operation *op, int64_t axis, StringRef of,
                                RankedTensorType type) {
  if (axis >= 0 && axis < type.getRank())
    return success();
  return op->emitOpError() << "axis must be below the " << of << "'s rank "
                           << type.getRank() << ", got " << axis;
}

/// Refuses a tensor whose extents are not `expected`.
static LogicalResult verifyShape(Operation *op, StringRef name, Value value,
                                 ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  if (shape == expected)
    return success();
  return op->emitOpError() << name << " must have the extents [" << expected
                           << "], got [" << shape << "]";
}

/// Refuses a type whose extents differ from those of `like`, but in `axis`.
static LogicalResult verifyShapeButIn(Operation *op, int64_t axis,
                                      StringRef name, RankedTensorType type,
                                      RankedTensorType like) {
  bool agrees =
      type.getRank() == like.getRank() && axis < type.getRank() &&
      withoutAxes(type.getShape(), axis) == withoutAxes(like.getShape(), axis);
  if (agrees)
    return success();
  return op->emitOpError() << name << " must have the extents ["
                           << like.getShape() << "] but in axis " << axis
                           << ", got [" << type.getShape() << "]";
}

/// Refuses a padding index outside the axis.
static LogicalResult
verifyPadding(Operation *op, std::optional<int64_t> padding, int64_t extent) {
  if (!padding || (*padding >= 0 && *padding < extent))
    return success();
  return op->emitOpError() << "padding_idx must be in [0, " << extent
                           << "), got " << *padding;
}

static IntegerAttr optionalInteger(OpBuilder &builder,
                                   std::optional<int64_t> value) {
  return value ? builder.getI64IntegerAttr(*value) : IntegerAttr();
}

//===----------------------------------------------------------------------===//
// take
//===----------------------------------------------------------------------===//

void TakeOp::build(OpBuilder &builder, OperationState &state, Value input,
                   Value index, int64_t axis,
                   std::optional<int64_t> paddingIdx) {
  RankedTensorType type = tensorType(input);
  auto result = RankedTensorType::get(
      spliced(type.getShape(), axis, tensorType(index).getShape()),
      type.getElementType());
  build(builder, state, result, input, index, builder.getI64IntegerAttr(axis),
        optionalInteger(builder, paddingIdx));
}

LogicalResult TakeOp::verify() {
  RankedTensorType input = tensorType(getInput());
  int64_t axis = static_cast<int64_t>(getAxis());
  // take_c1
  if (failed(verifyAxis(*this, axis, "input", input)))
    return failure();
  // take_c2
  if (failed(verifyShape(
          *this, "result", getResult(),
          spliced(input.getShape(), axis, tensorType(getIndex()).getShape()))))
    return failure();
  // take_c3
  return verifyPadding(*this, getPaddingIdx(), input.getDimSize(axis));
}

SmallVector<IndexBound> TakeOp::indexBounds() {
  return {{1, 0, tensorType(getInput()).getDimSize(getAxis()), std::nullopt,
           "index"}};
}
OpCost TakeOp::cost(TargetAttr) { return movementCost(*this, getIndex()); }
FusionKind TakeOp::fusionKind() { return FusionKind::gather; }
bool TakeOp::readsElsewhere(unsigned operand) { return operand == 0; }

LogicalResult TakeOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  int64_t axis = static_cast<int64_t>(getAxis());
  int64_t extent = tensorType(getInput()).getDimSize(axis);
  out.assign({ScatterRowsOp::create(builder, getLoc(), getIndex(), gradients[0],
                                    axis, extent, getPaddingIdx()),
              Value()});
  return success();
}
SmallVector<Value> TakeOp::savedOperands() { return {getIndex()}; }

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

void GatherOp::build(OpBuilder &builder, OperationState &state, Value input,
                     Value index, int64_t axis) {
  build(builder, state,
        withElementType(index.getType(), tensorType(input).getElementType()),
        input, index, builder.getI64IntegerAttr(axis));
}

LogicalResult GatherOp::verify() {
  RankedTensorType input = tensorType(getInput()),
                   index = tensorType(getIndex());
  int64_t axis = static_cast<int64_t>(getAxis());
  // gather_c1
  if (failed(verifyAxis(*this, axis, "input", input)))
    return failure();
  // gather_c2
  if (failed(verifyShapeButIn(*this, axis, "index", index, input)))
    return failure();
  return verifyShape(*this, "result", getResult(), index.getShape());
}

SmallVector<IndexBound> GatherOp::indexBounds() {
  return {{1, 0, tensorType(getInput()).getDimSize(getAxis()), std::nullopt,
           "index"}};
}
OpCost GatherOp::cost(TargetAttr) { return movementCost(*this, getIndex()); }
FusionKind GatherOp::fusionKind() { return FusionKind::gather; }
bool GatherOp::readsElsewhere(unsigned operand) { return operand == 0; }

LogicalResult GatherOp::backward(OpBuilder &builder, ValueRange gradients,
                                 SmallVectorImpl<Value> &out) {
  int64_t axis = static_cast<int64_t>(getAxis());
  int64_t extent = tensorType(getInput()).getDimSize(axis);
  out.assign({ScatterAddOp::create(builder, getLoc(), getIndex(), gradients[0],
                                   axis, extent),
              Value()});
  return success();
}
SmallVector<Value> GatherOp::savedOperands() { return {getIndex()}; }

//===----------------------------------------------------------------------===//
// scatter_rows
//===----------------------------------------------------------------------===//

void ScatterRowsOp::build(OpBuilder &builder, OperationState &state,
                          Value index, Value updates, int64_t axis,
                          int64_t extent, std::optional<int64_t> paddingIdx) {
  RankedTensorType type = tensorType(updates);
  SmallVector<int64_t> shape(type.getShape().take_front(axis));
  shape.push_back(extent);
  llvm::append_range(
      shape, type.getShape().drop_front(axis + tensorType(index).getRank()));
  build(builder, state, RankedTensorType::get(shape, type.getElementType()),
        index, updates, builder.getI64IntegerAttr(axis),
        optionalInteger(builder, paddingIdx));
}

LogicalResult ScatterRowsOp::verify() {
  RankedTensorType result = tensorType(getResult());
  int64_t axis = static_cast<int64_t>(getAxis());
  // scatter_rows_c1
  if (failed(verifyAxis(*this, axis, "result", result)))
    return failure();
  // scatter_rows_c2
  if (failed(verifyShape(
          *this, "updates", getUpdates(),
          spliced(result.getShape(), axis, tensorType(getIndex()).getShape()))))
    return failure();
  // scatter_rows_c3
  return verifyPadding(*this, getPaddingIdx(), result.getDimSize(axis));
}

FusionKind ScatterRowsOp::fusionKind() { return FusionKind::scatter; }
PrecisionClass ScatterRowsOp::classify() { return PrecisionClass::f32_inside; }
Type ScatterRowsOp::accumulationType() {
  return accumulationTypeFor(tensorType(getUpdates()).getElementType());
}

LogicalResult ScatterRowsOp::backward(OpBuilder &builder, ValueRange gradients,
                                      SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  int64_t axis = static_cast<int64_t>(getAxis());
  Value taken = TakeOp::create(builder, loc, gradients[0], getIndex(), axis);
  if (std::optional<int64_t> padding = getPaddingIdx()) {
    RankedTensorType index = tensorType(getIndex()),
                     updates = tensorType(getUpdates());
    Value padded = CompareOp::create(
        builder, loc, ComparePredicate::eq, getIndex(),
        splat(builder, loc, index, static_cast<double>(*padding)));
    auto axes = llvm::to_vector(llvm::seq(axis, axis + index.getRank()));
    padded = BroadcastOp::create(builder, loc,
                                 withElementType(updates, builder.getI1Type()),
                                 padded, axes);
    taken = SelectOp::create(builder, loc, padded,
                             splat(builder, loc, updates, 0.0), taken);
  }
  out.assign({Value(), taken});
  return success();
}
SmallVector<Value> ScatterRowsOp::savedOperands() { return {getIndex()}; }

//===----------------------------------------------------------------------===//
// scatter_add
//===----------------------------------------------------------------------===//

void ScatterAddOp::build(OpBuilder &builder, OperationState &state, Value index,
                         Value updates, int64_t axis, int64_t extent) {
  RankedTensorType type = tensorType(updates);
  build(builder, state,
        RankedTensorType::get(spliced(type.getShape(), axis, {extent}),
                              type.getElementType()),
        index, updates, builder.getI64IntegerAttr(axis));
}

LogicalResult ScatterAddOp::verify() {
  RankedTensorType result = tensorType(getResult()),
                   index = tensorType(getIndex());
  int64_t axis = static_cast<int64_t>(getAxis());
  // scatter_add_c1
  if (failed(verifyAxis(*this, axis, "result", result)))
    return failure();
  // scatter_add_c2
  if (failed(verifyShape(*this, "updates", getUpdates(), index.getShape())))
    return failure();
  return verifyShapeButIn(*this, axis, "result", result, index);
}

FusionKind ScatterAddOp::fusionKind() { return FusionKind::scatter; }
PrecisionClass ScatterAddOp::classify() { return PrecisionClass::f32_inside; }
Type ScatterAddOp::accumulationType() {
  return accumulationTypeFor(tensorType(getUpdates()).getElementType());
}

LogicalResult ScatterAddOp::backward(OpBuilder &builder, ValueRange gradients,
                                     SmallVectorImpl<Value> &out) {
  out.assign(
      {Value(), GatherOp::create(builder, getLoc(), gradients[0], getIndex(),
                                 static_cast<int64_t>(getAxis()))});
  return success();
}
SmallVector<Value> ScatterAddOp::savedOperands() { return {getIndex()}; }

//===----------------------------------------------------------------------===//
// one_hot
//===----------------------------------------------------------------------===//

void OneHotOp::build(OpBuilder &builder, OperationState &state, Value index,
                     int64_t classes, Type element) {
  SmallVector<int64_t> shape(tensorType(index).getShape());
  shape.push_back(classes);
  build(builder, state, RankedTensorType::get(shape, element), index);
}

LogicalResult OneHotOp::verify() {
  // one_hot_c1
  RankedTensorType index = tensorType(getIndex()),
                   result = tensorType(getResult());
  if (result.getRank() != index.getRank() + 1 ||
      result.getShape().drop_back() != index.getShape())
    return emitOpError() << "result must have index's extents ["
                         << index.getShape() << "] and one more axis, got ["
                         << result.getShape() << "]";
  if (index.getElementType().isInteger(32) &&
      result.getShape().back() > (int64_t(1) << 31))
    return emitOpError() << "i32 indices name at most 2^31 classes, got "
                         << result.getShape().back();
  return success();
}

SmallVector<IndexBound> OneHotOp::indexBounds() {
  return {
      {0, 0, tensorType(getResult()).getShape().back(), std::nullopt, "index"}};
}
PrecisionClass OneHotOp::classify() { return PrecisionClass::never; }

FailureOr<SmallVector<Value>> OneHotOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType index = tensorType(getIndex()),
                   result = tensorType(getResult());
  int64_t last = index.getRank();
  RankedTensorType wide = withElementType(result, index.getElementType());
  Value classes = IotaOp::create(builder, loc, result.getShape().back(),
                                 index.getElementType());
  Value columns =
      BroadcastOp::create(builder, loc, wide, classes, ArrayRef<int64_t>{last});
  Value rows =
      BroadcastOp::create(builder, loc, wide, getIndex(),
                          llvm::to_vector(llvm::seq<int64_t>(0, last)));
  Value hit =
      CompareOp::create(builder, loc, ComparePredicate::eq, rows, columns);
  return SmallVector<Value>{castTo(builder, loc, hit, result.getElementType())};
}

//===----------------------------------------------------------------------===//
// first_outside
//===----------------------------------------------------------------------===//

LogicalResult FirstOutsideOp::verify() {
  // first_outside_c1
  if (tensorType(getIndex()).getNumElements() == 0)
    return emitOpError() << "index must have an element, got "
                         << getIndex().getType();
  return success();
}

FusionKind FirstOutsideOp::fusionKind() { return FusionKind::row_reduce; }
PrecisionClass FirstOutsideOp::classify() { return PrecisionClass::never; }

FailureOr<SmallVector<Value>> FirstOutsideOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  int64_t count = tensorType(getIndex()).getNumElements();
  Type i64 = builder.getI64Type();
  // Not through a double, which holds 53 bits.
  auto integer = [&](Value like, int64_t value) {
    return ConstantOp::create(builder, getLoc(),
                              DenseElementsAttr::get(tensorType(like), value));
  };
  Value flat = f.reshape(getIndex(), {count});
  Value wide = f.cast(flat, i64);
  Value outside =
      OrOp::create(builder, getLoc(),
                   f.compare(ComparePredicate::lt, wide,
                             integer(wide, static_cast<int64_t>(getLow()))),
                   f.compare(ComparePredicate::ge, wide,
                             integer(wide, static_cast<int64_t>(getHigh()))));
  if (getIgnore())
    outside = f.logicalAnd(
        outside, f.compare(ComparePredicate::ne, wide,
                           integer(wide, static_cast<int64_t>(*getIgnore()))));
  Value positions = f.iota(count, i64);
  Value first = f.reduceAll(
      ReduceKind::min, f.select(outside, positions, integer(positions, count)));
  Value found = f.compare(ComparePredicate::lt, first, integer(first, count));
  // Past the end there is nothing to take: 0.
  Value element = TakeOp::create(builder, getLoc(), flat, first, 0);
  return SmallVector<Value>{f.select(found, first, integer(first, -1)),
                            f.cast(element, i64)};
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Indexing.cpp.inc"
