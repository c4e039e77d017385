// A roofline of launches; see OpTimes.h.
#include "passes/memory/OpTimes.h"

#include "passes/memory/LiveRanges.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// Fused multiply-adds of two vectors a nanosecond: what a core sustains in f32
/// (docs/performance.md), as flops a byte of its registers.
static constexpr double kFlopsPerVectorByte = 2.5;

/// How much faster a matrix unit multiplies a format that it has.
static constexpr double kMatrixUnit = 8;

/// A call of exp, log and kin, in flops.
static constexpr double kTranscendentalFlops = 20;

/// What is assumed of a target that the module does not describe.
static constexpr double kVectorBytes = 32, kBandwidth = 10, kLaunch = 2000;

/// What the arithmetic of `op` takes, in nanoseconds.
static double arithmeticTime(Operation *op, TargetAttr target) {
  double rate = kFlopsPerVectorByte *
                (target ? double(target.getVectorBytes()) : kVectorBytes);
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    MatmulOp::Extents extents = matmul.extents();
    double flops = 2.0 * extents.batch * extents.m * extents.n * extents.k;
    if (target && target.isFast(tensorType(matmul.getLhs()).getElementType()))
      rate *= kMatrixUnit;
    return flops / rate;
  }
  double flops = 0, time = 0;
  if (auto group = dyn_cast<GroupOp>(op))
    for (Operation &inner : group.getBody().front())
      if (auto model = dyn_cast<CostModel>(inner)) {
        OpCost cost = model.cost(target);
        flops += cost.flops + kTranscendentalFlops * cost.transcendentals;
      }
  if (auto loop = dyn_cast<ForeachOp>(op))
    for (Operation &inner : loop.getBody().front())
      time += double(loop.getCount()) * arithmeticTime(&inner, target);
  return time + flops / rate;
}

double predictedTime(Operation *op, TargetAttr target) {
  if (!producesBytes(op))
    return 0;
  double bytes = 0;
  for (Value operand : op->getOperands())
    bytes += storageBytes(tensorType(operand));
  for (Value result : op->getResults())
    bytes += storageBytes(tensorType(result));
  double bandwidth =
      target ? target.getBandwidth().getValueAsDouble() : kBandwidth;
  double launch = target ? target.getLaunchNs().getValueAsDouble() : kLaunch;
  return launch + std::max(bytes / bandwidth, arithmeticTime(op, target));
}

} // namespace ampc
