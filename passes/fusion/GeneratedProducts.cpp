// The choice between a kernel and the library; see GeneratedProducts.h.
#include "passes/fusion/GeneratedProducts.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

bool generatesProducts(TargetAttr target) {
  return target && target.getKind() == "cpu";
}

bool runsLoops(TargetAttr target) { return generatesProducts(target); }

bool isGenerated(MatmulOp product, TargetAttr target) {
  return generatesProducts(target);
}

bool hasLibraryEpilogues(TargetAttr target) {
  return target && target.getKind() == "cuda";
}

} // namespace ampc
