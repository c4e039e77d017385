// The arguments of a group's kernel, by place.
#include "codegen/kernel/GroupArguments.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

PlaceAttr ampc::placeOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
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
  auto add = [&](Value value, bool isResult, unsigned number) -> LogicalResult {
    PlaceAttr place = placeOf(value);
    if (!place)
      return failure();
    RankedTensorType type = tensorType(value);
    for (KernelArgument &argument : arguments) {
      if (argument.place != place)
        continue;
      bool same = argument.element == type.getElementType() &&
                  argument.count == type.getNumElements();
      if (!same && (isResult || argument.isWritten()))
        return group.emitOpError()
               << "shares " << place << " between " << argument.count
               << " elements of " << argument.element << " and "
               << type.getNumElements() << " of " << type.getElementType()
               << ", one of them written";
      // Two views of read bytes may differ in type: both pointers only read.
      if (!same)
        continue;
      (isResult ? argument.results : argument.operands).push_back(number);
      return success();
    }
    KernelArgument argument{
        place, type.getElementType(), type.getNumElements(), {}, {}};
    (isResult ? argument.results : argument.operands).push_back(number);
    arguments.push_back(std::move(argument));
    return success();
  };
  for (auto [i, value] : llvm::enumerate(group.getInputs()))
    if (failed(add(value, /*isResult=*/false, i)))
      return failure();
  for (auto [i, value] : llvm::enumerate(group.getOutputs()))
    if (failed(add(value, /*isResult=*/true, i)))
      return failure();
  return arguments;
}
