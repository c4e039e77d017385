// Which matrix products a target runs in kernels of its own, and which it
// leaves to its library.
#ifndef AMPC_PASSES_FUSION_GENERATEDPRODUCTS_H
#define AMPC_PASSES_FUSION_GENERATEDPRODUCTS_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Whether products become kernels on `target` (null: no).
bool generatesProducts(amp::TargetAttr target);

/// Whether loops over slices run on `target` (null: no). Their bodies are
/// kernels alone: every product in them is generated.
bool runsLoops(amp::TargetAttr target);

/// Whether `product` becomes a kernel on `target` (null: no). A function of the
/// target, the element types and the extents alone: how ops are fused,
/// scheduled or computed again never changes the answer, nor with it a bit.
bool isGenerated(amp::MatmulOp product, amp::TargetAttr target);

/// Whether the library of `target` (null: no) adds a bias and takes relu with a
/// product, so that a runtime can try whether the bits are those of separate
/// ops.
bool hasLibraryEpilogues(amp::TargetAttr target);

} // namespace ampc

#endif // AMPC_PASSES_FUSION_GENERATEDPRODUCTS_H
