// Reads locations; see Locations.h.
#include "ir/dialect/Locations.h"

using namespace mlir;

namespace ampc::amp {

std::string namePathOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    std::string inner = namePathOf(name.getChildLoc());
    return inner.empty() ? name.getName().str()
                         : (name.getName().getValue() + "." + inner).str();
  }
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      if (std::string path = namePathOf(part); !path.empty())
        return path;
    return {};
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return namePathOf(call.getCallee());
  return {};
}

} // namespace ampc::amp
