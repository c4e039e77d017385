// Buffers of a CUDA session; see DeviceBuffers.h.
#include "tools/libampc/DeviceBuffers.h"

#include "codegen/kernel/GroupArguments.h"
#include "passes/memory/BestFit.h"
#include "runtime/train/StepRules.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

static bool isForCuda(ModuleOp module) {
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
  return target && target.getKind() == "cuda";
}

/// The constant section as PlanBuilder makes it: different constants of
/// entries, what variables start with, words of random sites.
static uint64_t constantBytes(ModuleOp module) {
  int64_t end = 0;
  auto append = [&](int64_t bytes) { end = alignBytes(end) + bytes; };
  llvm::DenseSet<Attribute> known;
  for (auto func : module.getOps<func::FuncOp>())
    for (auto constant : func.getOps<ConstantOp>()) {
      int64_t bytes = storageBytes(tensorType(constant.getResult()));
      auto places = constant->getAttrOfType<ArrayAttr>(kPlaceAttr);
      if (!places) {
        if (known.insert(constant.getValue()).second)
          append(bytes);
      } else if (auto place = cast<PlaceAttr>(places[0]);
                 place.getSpace() == Space::constant) { // else a step writes it
        end = std::max(end, place.getIndex() + bytes);
      }
    }
  for (auto variable : module.getOps<VariableOp>())
    if (variable.getValue())
      append(storageBytes(variable.tensorType()));
  llvm::DenseSet<uint32_t> words;
  for (auto func : module.getOps<func::FuncOp>())
    for (auto group : func.getOps<GroupOp>())
      for (const SiteWord &site : siteWords(group))
        if (words.insert(site.word).second)
          append(sizeof(site.word));
  return uint64_t(end);
}

DeviceBuffers deviceBuffersOf(ModuleOp module) {
  if (!isForCuda(module))
    return {};
  uint64_t watched = 0;
  for (const char *name : {rt::state::kIteration, rt::state::kUpdate,
                           rt::state::kRate, rt::state::kScale})
    watched += module.lookupSymbol<VariableOp>(name) != nullptr;
  auto entries = module.getOps<func::FuncOp>();
  return {constantBytes(module),
          uint64_t(alignBytes(int64_t(8 * watched))) *
              uint64_t(std::distance(entries.begin(), entries.end()))};
}

uint64_t arrivalBytes(ModuleOp module, uint64_t others, uint64_t budget) {
  uint64_t all = 0;
  if (!isForCuda(module))
    return all;
  for (auto func : module.getOps<func::FuncOp>()) {
    uint64_t inputs = 0;
    for (Type type : func.getArgumentTypes())
      inputs += alignBytes(storageBytes(cast<RankedTensorType>(type)));
    bool writes = !func.getOps<WriteOp>().empty();
    if (writes && (budget == 0 || others + all + inputs <= budget))
      all += inputs;
  }
  return all;
}

} // namespace ampc
