// Sums over a module; see MemoryNeeds.h.
#include "passes/memory/MemoryNeeds.h"

#include "ir/dialect/Dialect.h"
#include "passes/memory/BestFit.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

int64_t variableBytes(ModuleOp module) {
  int64_t end = 0;
  for (auto variable : module.getOps<VariableOp>())
    end = alignBytes(end) + storageBytes(variable.tensorType());
  return end;
}

int64_t batchBytes(ModuleOp module) {
  int64_t bytes = 0;
  for (auto func : module.getOps<func::FuncOp>())
    for (TypeRange types : {func.getArgumentTypes(), func.getResultTypes()})
      for (Type type : types)
        bytes += alignBytes(storageBytes(cast<RankedTensorType>(type)));
  return bytes;
}

int64_t largestArena(ModuleOp module) {
  int64_t largest = 0;
  for (auto func : module.getOps<func::FuncOp>())
    if (auto arena = func->getAttrOfType<IntegerAttr>(kArenaBytesAttr))
      largest = std::max(largest, arena.getInt());
  return largest;
}

} // namespace ampc
