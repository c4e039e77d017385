// Facts of tensor types; see TypeFacts.h.
#include "ir/dialect/TypeFacts.h"

#include "ir/dialect/Dialect.h"

#include <cmath>

using namespace mlir;

namespace ampc::amp {

RankedTensorType withElementType(Type type, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(type).getShape(),
                               element);
}

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool isStorable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding())
    return false;
  constexpr int64_t limit = int64_t(1) << 48;
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    // Extents are bounded too: an empty tensor may not hide a huge one.
    if (extent >= limit || (extent > 0 && elements >= limit / extent + 1))
      return false;
    elements *= std::max<int64_t>(extent, 1);
  }
  return elements < limit;
}

Type accumulationTypeFor(Type element) {
  if (isa<IntegerType>(element))
    return IntegerType::get(element.getContext(), 64);
  return computeTypeFor(element);
}

Type computeTypeFor(Type element) {
  if (isa<IntegerType>(element) || element.isF64())
    return element;
  return Float32Type::get(element.getContext());
}

AccumulationOrder orderOf(int64_t rank, ArrayRef<int64_t> axes) {
  bool last = true;
  for (auto [i, axis] : llvm::enumerate(axes))
    last &= axis ==
            rank - static_cast<int64_t>(axes.size()) + static_cast<int64_t>(i);
  return last ? AccumulationOrder::row : AccumulationOrder::column;
}

SmallVector<int64_t> withoutAxes(ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> axes) {
  SmallVector<int64_t> kept;
  for (auto [i, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      kept.push_back(extent);
  return kept;
}

AttentionExtents attentionExtents(RankedTensorType q, RankedTensorType v) {
  ArrayRef<int64_t> x = q.getShape(), y = v.getShape();
  return {x[0], x[1], y[1], x[2], y[2], x[3], y[3]};
}

int64_t elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

int64_t storageBytes(RankedTensorType type) {
  unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  return elementCount(type.getShape()) * ((bits + 7) / 8);
}

bool holdsNumber(Type element, double value) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return true;
  if (integer.getWidth() == 1)
    return value == 0 || value == 1;
  // 2^(bits - 1) itself is out of range, and exact.
  double limit = std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1);
  return value >= -limit && value < limit && value == std::trunc(value);
}

bool fitsF32(double value) {
  auto single = static_cast<float>(value);
  return std::isfinite(single) && (single != 0 || value == 0);
}

Value splat(OpBuilder &builder, Location loc, RankedTensorType type,
            double value) {
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    return ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getFloatAttr(element, value)));
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, builder.getIntegerAttr(element, static_cast<int64_t>(value))));
}

Value castTo(OpBuilder &builder, Location loc, Value value, Type element) {
  if (tensorType(value).getElementType() == element)
    return value;
  return CastOp::create(builder, loc, withElementType(value.getType(), element),
                        value, CastOrigin::policy);
}

Value toComputeType(OpBuilder &builder, Location loc, Value value) {
  return castTo(builder, loc, value,
                computeTypeFor(tensorType(value).getElementType()));
}

Value zeroWhereZero(OpBuilder &builder, Location loc, Value factor,
                    Value product) {
  Value zero = splat(builder, loc, tensorType(factor), 0.0);
  Value none =
      CompareOp::create(builder, loc, ComparePredicate::eq, factor, zero);
  return SelectOp::create(builder, loc, none, zero, product);
}

Value timesSlope(OpBuilder &builder, Location loc, Value gradient,
                 Value slope) {
  Type element = tensorType(gradient).getElementType();
  Value wide =
      castTo(builder, loc, gradient, tensorType(slope).getElementType());
  Value product =
      castTo(builder, loc, MulOp::create(builder, loc, wide, slope), element);
  return zeroWhereZero(builder, loc, gradient, product);
}

} // namespace ampc::amp
