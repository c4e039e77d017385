// The choice between a kernel and the library; see GeneratedProducts.h.
#include "passes/fusion/GeneratedProducts.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

bool isGenerated(MatmulOp product, TargetAttr target) {
  if (!target || target.getKind() != "cpu")
    return false;
  // A matrix unit is the library's.
  Type element = tensorType(product.getLhs()).getElementType();
  return !target.isFast(element);
}

} // namespace ampc
