// The same elements in other places: building, verification, derivatives.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

/// Refuses a list of an op that has not one entry an axis.
static LogicalResult verifyEntryAnAxis(Operation *op, StringRef name,
                                       ArrayRef<int64_t> list, int64_t rank) {
  if (static_cast<int64_t>(list.size()) == rank)
    return success();
  return op->emitOpError() << name << " needs one entry an axis, got "
                           << list.size() << " for rank " << rank;
}

/// Refuses a result whose extents are not `expected`.
static LogicalResult verifyExtents(Operation *op, ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> shape = tensorType(op->getResult(0)).getShape();
  if (shape == expected)
    return success();
  return op->emitOpError() << "result must have the extents [" << expected
                           << "], got [" << shape << "]";
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

/// Extents of `shape` in the order `perm`.
static SmallVector<int64_t> permuted(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> perm) {
  return llvm::map_to_vector(perm, [&](int64_t axis) { return shape[axis]; });
}

void TransposeOp::build(OpBuilder &builder, OperationState &state, Value input,
                        ArrayRef<int64_t> perm) {
  RankedTensorType type = tensorType(input);
  build(builder, state,
        RankedTensorType::get(permuted(type.getShape(), perm),
                              type.getElementType()),
        input, perm);
}

LogicalResult TransposeOp::verify() {
  RankedTensorType input = tensorType(getInput());
  // transpose_c1
  if (failed(verifyEntryAnAxis(*this, "perm", getPerm(), input.getRank())))
    return failure();
  SmallVector<bool> named(input.getRank());
  for (int64_t axis : getPerm()) {
    if (axis < 0 || axis >= input.getRank() || named[axis])
      return emitOpError() << "perm must name each of the input's "
                           << input.getRank() << " axes once, got ["
                           << getPerm() << "]";
    named[axis] = true;
  }
  // transpose_c2
  return verifyExtents(*this, permuted(input.getShape(), getPerm()));
}

OpCost TransposeOp::cost(TargetAttr) { return movementCost(*this); }
FusionKind TransposeOp::fusionKind() { return FusionKind::gather; }

LogicalResult TransposeOp::backward(OpBuilder &builder, ValueRange gradients,
                                    SmallVectorImpl<Value> &out) {
  SmallVector<int64_t> inverse(getPerm().size());
  for (auto [i, axis] : llvm::enumerate(getPerm()))
    inverse[axis] = static_cast<int64_t>(i);
  out.push_back(TransposeOp::create(builder, getLoc(), gradients[0], inverse));
  return success();
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

void SliceOp::build(OpBuilder &builder, OperationState &state, Value input,
                    ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes,
                    ArrayRef<int64_t> steps) {
  build(builder, state,
        RankedTensorType::get(sizes, tensorType(input).getElementType()), input,
        starts, steps);
}

LogicalResult SliceOp::verify() {
  RankedTensorType input = tensorType(getInput()),
                   result = tensorType(getResult());
  // slice_c1
  if (result.getRank() != input.getRank())
    return emitOpError() << "result must have the input's rank "
                         << input.getRank() << ", got " << result.getRank();
  if (failed(verifyEntryAnAxis(*this, "starts", getStarts(), input.getRank())))
    return failure();
  if (failed(verifyEntryAnAxis(*this, "steps", getSteps(), input.getRank())))
    return failure();
  for (int64_t axis = 0; axis < input.getRank(); ++axis) {
    int64_t start = getStarts()[axis], step = getSteps()[axis];
    // slice_c2
    if (start < 0 || step < 1)
      return emitOpError() << "axis " << axis
                           << " must start at 0 or above in steps of at least "
                              "1, got start "
                           << start << " and step " << step;
    // slice_c3, by a division: (size - 1) * step could overflow.
    int64_t size = result.getDimSize(axis), extent = input.getDimSize(axis);
    bool fits = size == 0
                    ? start <= extent
                    : start < extent && size - 1 <= (extent - 1 - start) / step;
    if (!fits)
      return emitOpError() << "reads " << size << " elements of axis " << axis
                           << " from " << start << " in steps of " << step
                           << ", but its extent is " << extent;
  }
  return success();
}

OpCost SliceOp::cost(TargetAttr) { return movementCost(*this); }
FusionKind SliceOp::fusionKind() { return FusionKind::gather; }

LogicalResult SliceOp::backward(OpBuilder &builder, ValueRange gradients,
                                SmallVectorImpl<Value> &out) {
  ArrayRef<int64_t> extents = tensorType(getInput()).getShape();
  ArrayRef<int64_t> sizes = tensorType(getResult()).getShape();
  SmallVector<int64_t> high, interior;
  for (auto [extent, start, size, step] :
       llvm::zip_equal(extents, getStarts(), sizes, getSteps())) {
    // One element or none has nothing between: a step may be huge.
    interior.push_back(size > 1 ? step - 1 : 0);
    int64_t span = size == 0 ? 0 : 1 + (size - 1) * step;
    high.push_back(extent - start - span);
  }
  out.push_back(PadOp::create(builder, getLoc(), gradients[0], getStarts(),
                              high, interior, 0.0));
  return success();
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

void ConcatOp::build(OpBuilder &builder, OperationState &state,
                     ValueRange inputs, int64_t axis) {
  RankedTensorType first = tensorType(inputs.front());
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = 0;
  for (Value input : inputs)
    shape[axis] += tensorType(input).getDimSize(axis);
  build(builder, state, RankedTensorType::get(shape, first.getElementType()),
        inputs, axis);
}

LogicalResult ConcatOp::verify() {
  // concat_c1; that there is an input, the element type's trait checks.
  RankedTensorType result = tensorType(getResult());
  int64_t axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= result.getRank())
    return emitOpError() << "axis must be below the rank " << result.getRank()
                         << ", got " << axis;
  SmallVector<int64_t> expected(result.getShape());
  expected[axis] = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    RankedTensorType type = tensorType(input);
    if (type.getRank() != result.getRank())
      return emitOpError() << "input " << i << " must have the result's rank "
                           << result.getRank() << ", got " << type.getRank();
    // concat_c2
    for (int64_t other = 0; other < result.getRank(); ++other)
      if (other != axis && type.getDimSize(other) != result.getDimSize(other))
        return emitOpError() << "input " << i << " must have extent "
                             << result.getDimSize(other) << " on axis " << other
                             << ", got " << type.getDimSize(other);
    expected[axis] += type.getDimSize(axis);
  }
  return verifyExtents(*this, expected);
}

OpCost ConcatOp::cost(TargetAttr) { return movementCost(*this); }
FusionKind ConcatOp::fusionKind() { return FusionKind::gather; }

LogicalResult ConcatOp::backward(OpBuilder &builder, ValueRange gradients,
                                 SmallVectorImpl<Value> &out) {
  int64_t rank = tensorType(getResult()).getRank();
  SmallVector<int64_t> starts(rank, 0), steps(rank, 1);
  for (Value input : getInputs()) {
    ArrayRef<int64_t> sizes = tensorType(input).getShape();
    out.push_back(
        SliceOp::create(builder, getLoc(), gradients[0], starts, sizes, steps));
    starts[getAxis()] += sizes[getAxis()];
  }
  return success();
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

/// Extents of a padded tensor; saturated where they pass 2^48, which no tensor
/// has.
static SmallVector<int64_t> paddedShape(ArrayRef<int64_t> shape,
                                        ArrayRef<int64_t> low,
                                        ArrayRef<int64_t> high,
                                        ArrayRef<int64_t> interior) {
  SmallVector<int64_t> extents;
  constexpr int64_t limit = int64_t(1) << 48;
  for (auto [extent, before, after, between] :
       llvm::zip_equal(shape, low, high, interior)) {
    double gaps = static_cast<double>(std::max<int64_t>(extent - 1, 0));
    double total = static_cast<double>(extent) + static_cast<double>(before) +
                   static_cast<double>(after) +
                   gaps * static_cast<double>(between);
    // Sums below 2^48 are exact.
    extents.push_back(total < static_cast<double>(limit)
                          ? static_cast<int64_t>(total)
                          : limit);
  }
  return extents;
}

void PadOp::build(OpBuilder &builder, OperationState &state, Value input,
                  ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                  ArrayRef<int64_t> interior, double value) {
  RankedTensorType type = tensorType(input);
  build(builder, state,
        RankedTensorType::get(paddedShape(type.getShape(), low, high, interior),
                              type.getElementType()),
        input, low, high, interior, APFloat(value));
}

LogicalResult PadOp::verify() {
  RankedTensorType input = tensorType(getInput());
  // pad_c1
  for (auto [name, amounts] :
       {std::pair("low", getLow()), std::pair("high", getHigh()),
        std::pair("interior", getInterior())}) {
    if (failed(verifyEntryAnAxis(*this, name, amounts, input.getRank())))
      return failure();
    for (int64_t amount : amounts)
      if (amount < 0)
        return emitOpError() << name << " must not be negative, got " << amount;
  }
  // pad_c2
  if (failed(verifyExtents(*this, paddedShape(input.getShape(), getLow(),
                                              getHigh(), getInterior()))))
    return failure();
  // pad_c3
  double value = getValue().convertToDouble();
  if (!holdsNumber(input.getElementType(), value))
    return emitOpError() << "value must be a whole number of "
                         << input.getElementType() << ", got " << value;
  return success();
}

OpCost PadOp::cost(TargetAttr) { return movementCost(*this); }
FusionKind PadOp::fusionKind() { return FusionKind::gather; }

LogicalResult PadOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  SmallVector<int64_t> steps;
  for (int64_t between : getInterior())
    steps.push_back(between + 1);
  out.push_back(SliceOp::create(builder, getLoc(), gradients[0], getLow(),
                                tensorType(getInput()).getShape(), steps));
  return success();
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Movement.cpp.inc"
