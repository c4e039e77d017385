// Predicted time of one launch on the module's target: what computing a value
// again costs.
#ifndef AMPC_PASSES_MEMORY_OPTIMES_H
#define AMPC_PASSES_MEMORY_OPTIMES_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Nanoseconds that `op` (a group or a product of stage fused) takes: the
/// larger of its arithmetic and its traffic, each operand and result once, and
/// the cost of a launch. Other ops take none.
double predictedTime(mlir::Operation *op, amp::TargetAttr target);

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_OPTIMES_H
