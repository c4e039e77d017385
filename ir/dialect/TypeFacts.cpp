// Facts of tensor types; see TypeFacts.h.
#include "ir/dialect/TypeFacts.h"

#include "ir/dialect/Dialect.h"

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

} // namespace ampc::amp
