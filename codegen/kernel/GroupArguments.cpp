// The arguments of a group's kernel, by place.
#include "codegen/kernel/GroupArguments.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

PlaceAttr ampc::placeOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (isa<ForeachOp>(argument.getOwner()->getParentOp()))
      return PlaceAttr::get(value.getContext(), Space::slice,
                            argument.getArgNumber(), {});
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto place = func ? func.getArgAttrOfType<PlaceAttr>(
                            argument.getArgNumber(), kPlaceAttr)
                      : PlaceAttr();
    if (!place)
      emitError(value.getLoc())
          << "argument " << argument.getArgNumber() << " has no amp.place";
    return place;
  }
  auto result = cast<OpResult>(value);
  auto places = result.getOwner()->getAttrOfType<ArrayAttr>(kPlaceAttr);
  if (!places || places.size() <= result.getResultNumber()) {
    result.getOwner()->emitOpError()
        << "result " << result.getResultNumber()
        << " has no amp.place; codegen takes modules in stage placed";
    return {};
  }
  return dyn_cast<PlaceAttr>(places[result.getResultNumber()]);
}

FailureOr<SmallVector<KernelArgument>> ampc::kernelArguments(GroupOp group) {
  SmallVector<KernelArgument> arguments;
  // Two views of read bytes may differ in type: both pointers only read.
  using View = std::pair<Attribute, std::pair<Type, int64_t>>;
  llvm::DenseMap<View, unsigned> numbers;    // place and type -> argument
  llvm::DenseMap<Attribute, unsigned> views; // place -> arguments there
  auto argumentFor = [&](Value value, PlaceAttr place) -> KernelArgument & {
    RankedTensorType type = tensorType(value);
    Type element = type.getElementType();
    int64_t count = type.getNumElements();
    auto [entry, isNew] =
        numbers.try_emplace({place, {element, count}}, arguments.size());
    if (isNew) {
      arguments.push_back({place, element, count, {}, {}});
      views[place] += count > 0; // no elements, no bytes to share
    }
    return arguments[entry->second];
  };
  for (auto [i, value] : llvm::enumerate(group.getInputs())) {
    PlaceAttr place = placeOf(value);
    if (!place)
      return failure();
    argumentFor(value, place).operands.push_back(i);
  }
  for (auto [i, value] : llvm::enumerate(group.getOutputs())) {
    PlaceAttr place = placeOf(value);
    if (!place)
      return failure();
    KernelArgument &argument = argumentFor(value, place);
    argument.results.push_back(i);
    if (argument.count == 0 || views.lookup(place) == 1)
      continue;
    const KernelArgument *other =
        llvm::find_if(arguments, [&](const KernelArgument &candidate) {
          return candidate.place == place && candidate.count > 0 &&
                 &candidate != &argument;
        });
    return group.emitOpError()
           << "shares " << place << " between " << other->count
           << " elements of " << other->element << " and " << argument.count
           << " of " << argument.element << ", one of them written";
  }
  return arguments;
}

SmallVector<SiteWord> ampc::siteWords(GroupOp group) {
  SmallVector<SiteWord> words;
  group.walk([&](RandomOp op) {
    words.push_back({op, static_cast<uint32_t>(op.getMode()) << 30 |
                             static_cast<uint32_t>(op.getSite())});
  });
  return words;
}
