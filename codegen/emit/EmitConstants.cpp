// The constant section: tensors known at compile time and the starts of
// variables that hold data.
#include "codegen/emit/PlanBuilder.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

FailureOr<std::vector<uint8_t>> ampc::bytesOf(Operation *op,
                                              ElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return op->emitOpError()
           << "holds its elements in a form that plans do not take yet";
  std::vector<uint8_t> bytes;
  bytes.reserve(storageBytes(type));
  auto append = [&](const APInt &bits) {
    for (unsigned i = 0; i < (bits.getBitWidth() + 7) / 8; ++i)
      bytes.push_back(bits.extractBitsAsZExtValue(
          std::min(8u, bits.getBitWidth() - 8 * i), 8 * i));
  };
  if (isa<FloatType>(type.getElementType()))
    for (const APFloat &number : elements.getValues<APFloat>())
      append(number.bitcastToAPInt());
  else
    for (const APInt &number : elements.getValues<APInt>())
      append(number);
  return bytes;
}

LogicalResult PlanBuilder::placeConstant(Operation *op, ElementsAttr value,
                                         int64_t offset) {
  auto [entry, isNew] = constantsAt.try_emplace(offset, value);
  if (!isNew) {
    if (entry->second == value)
      return success();
    return op->emitOpError() << "stands at byte " << offset
                             << " of the constants, where another constant is";
  }
  FailureOr<std::vector<uint8_t>> bytes = bytesOf(op, value);
  if (failed(bytes))
    return failure();
  std::vector<uint8_t> &all = sections.constants;
  if (offset < 0 || static_cast<uint64_t>(offset) > rt::kMaxExtent)
    return op->emitOpError()
           << "stands at byte " << offset << " of the constants";
  if (all.size() < offset + bytes->size())
    all.resize(offset + bytes->size());
  llvm::copy(*bytes, all.begin() + offset);
  return success();
}

rt::fb::Place PlanBuilder::placeSite(uint32_t word) {
  std::vector<uint8_t> &all = sections.constants;
  auto [entry, isNew] = sitesAt.try_emplace(
      word, llvm::alignTo(all.size(), rt::kSectionAlignment));
  if (isNew) {
    all.resize(entry->second + sizeof(word));
    std::memcpy(all.data() + entry->second, &word, sizeof(word));
  }
  return {rt::fb::Space::Constant, 0, entry->second};
}

LogicalResult PlanBuilder::addConstant(rt::fb::EntryT &entry,
                                       ConstantOp constant) {
  auto places = constant->getAttrOfType<ArrayAttr>(kPlaceAttr);
  auto place = places && places.size() == 1 ? dyn_cast<PlaceAttr>(places[0])
                                            : PlaceAttr();
  if (!place)
    return constant.emitOpError()
           << "has no amp.place; codegen takes modules in stage placed";
  if (place.getSpace() == Space::constant)
    return placeConstant(constant, constant.getValue(), place.getIndex());
  // Elsewhere the step writes it: only what one pattern fills.
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !elements.isSplat())
    return constant.emitOpError()
           << "that is no splat must stand in the constants, not at " << place;
  FailureOr<std::vector<uint8_t>> one = bytesOf(constant, elements);
  FailureOr<rt::fb::Place> destination = planPlace(constant, place);
  if (failed(one) || failed(destination))
    return failure();
  if (one->empty())
    return success();
  rt::fb::FillT fill;
  fill.dst = std::make_unique<rt::fb::Place>(*destination);
  fill.bytes = one->size();
  fill.width = one->size() / elements.getNumElements();
  for (unsigned i = 0; i < fill.width; ++i)
    fill.pattern |= uint64_t((*one)[i]) << 8 * i;
  addInstruction(entry, constant, "fill").op.Set(std::move(fill));
  return success();
}
