// The ops of a region on a chunk of rows; see RowChunk.h.
#include "passes/fusion/RowChunk.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

RankedTensorType RowChunk::typeOf(Value value, RowForm form) const {
  Type element = tensorType(value).getElementType();
  return form == RowForm::wide
             ? RankedTensorType::get({count, region.columns()}, element)
             : RankedTensorType::get({count}, element);
}

Value RowChunk::slice(Value value, int64_t axis) {
  Value &part = sliced[{value, axis}];
  if (part)
    return part;
  SmallVector<int64_t> starts(tensorType(value).getRank(), 0),
      steps(starts.size(), 1), sizes(tensorType(value).getShape());
  starts[axis] = start;
  sizes[axis] = count;
  part = SliceOp::create(builder, value.getLoc(), value, starts, sizes, steps);
  return part;
}

Value RowChunk::sliceFlat(Value value, RowForm form) {
  SmallVector<int64_t> shape{region.rows()};
  if (form == RowForm::wide)
    shape.push_back(region.columns());
  Value &whole = flat[value];
  if (!whole) {
    auto type =
        RankedTensorType::get(shape, tensorType(value).getElementType());
    whole =
        value.getType() == type
            ? value
            : Value(ReshapeOp::create(builder, value.getLoc(), type, value));
  }
  return slice(whole, 0);
}

Value RowChunk::spread(BroadcastOp op) {
  RankedTensorType type = typeOf(op.getResult(), RowForm::wide);
  Value input = op.getInput();
  ArrayRef<int64_t> axes = op.getAxes();
  int64_t last = tensorType(op.getResult()).getRank() - 1;
  if (axes.size() == 1 && axes[0] == last && last > 0)
    return BroadcastOp::create(builder, op.getLoc(), type, input,
                               ArrayRef<int64_t>{1});
  if (axes.empty())
    return BroadcastOp::create(builder, op.getLoc(), type, input,
                               ArrayRef<int64_t>());
  return BroadcastOp::create(builder, op.getLoc(), type,
                             get(input, RowForm::row), ArrayRef<int64_t>{0});
}

Value RowChunk::elementwise(Operation *op, RowForm form) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand, form));
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(typeOf(op->getResult(0), form));
  return clone->getResult(0);
}

Value RowChunk::makeOutside(Value value, RowForm form) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return ConstantOp::create(builder, op->getLoc(),
                                splat.resizeSplat(typeOf(value, form)));
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
    if (form == RowForm::wide)
      return spread(broadcast);
    if (broadcast.getAxes().empty())
      return BroadcastOp::create(builder, op->getLoc(), typeOf(value, form),
                                 broadcast.getInput(), ArrayRef<int64_t>());
  }
  if (!op || isa<ReadOp>(op) || form == RowForm::row)
    return sliceFlat(value, form);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return get(reshape.getInput(), form);
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    Value left = slice(matmul.getLhs(), 0);
    return MatmulOp::create(builder, op->getLoc(), typeOf(value, form), left,
                            matmul.getRhs(), Value(), false,
                            matmul.getTransposeB(), matmul.getAccumulation());
  }
  return elementwise(op, form);
}

Value RowChunk::get(Value value, RowForm form) {
  auto found = made.find(value);
  if (found != made.end())
    return found->second;
  Value here = makeOutside(value, form);
  made[value] = here;
  return here;
}

void RowChunk::keep(Operation *op) {
  Value result = op->getResult(0);
  RowForm form = *region.form(result);
  Value here;
  if (op == region.product())
    here = makeOutside(result, RowForm::wide);
  else if (auto reduce = dyn_cast<ReduceOp>(op))
    here = ReduceOp::create(builder, op->getLoc(), reduce.getKind(),
                            get(reduce.getInput(), RowForm::wide),
                            ArrayRef<int64_t>{1},
                            tensorType(result).getElementType());
  else if (auto broadcast = dyn_cast<BroadcastOp>(op))
    here = spread(broadcast);
  else if (isa<ReshapeOp>(op))
    here = get(op->getOperand(0), form);
  else
    here = elementwise(op, form);
  made[result] = here;
}

Value RowChunk::product(MatmulOp op) {
  Value left = get(op.getLhs(), RowForm::wide);
  RankedTensorType type = tensorType(op.getResult());
  return MatmulOp::create(
      builder, op.getLoc(),
      RankedTensorType::get({count, type.getDimSize(1)}, type.getElementType()),
      left, op.getRhs(), Value(), false, op.getTransposeB(),
      op.getAccumulation());
}

Value RowChunk::sums(MatmulOp op, Value init) {
  auto isInside = [&](Value value) { return region.form(value).has_value(); };
  Value left = isInside(op.getLhs())
                   ? get(op.getLhs(), RowForm::wide)
                   : slice(op.getLhs(), op.getTransposeA() ? 0 : 1);
  Value right = isInside(op.getRhs())
                    ? get(op.getRhs(), RowForm::wide)
                    : slice(op.getRhs(), op.getTransposeB() ? 1 : 0);
  return MatmulOp::create(
      builder, op.getLoc(),
      withElementType(op.getResult().getType(), op.getAccumulation()), left,
      right, init, op.getTransposeA(), op.getTransposeB(),
      op.getAccumulation());
}

Value RowChunk::columnSums(ReduceOp op) {
  return ReduceOp::create(builder, op.getLoc(), ReduceKind::sum,
                          get(op.getInput(), RowForm::wide),
                          ArrayRef<int64_t>{0}, op.getAccumulation());
}

} // namespace ampc
