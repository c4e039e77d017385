// The workspace of a module's products; see PlannedWorkspace.h.
#include "tools/libampc/PlannedWorkspace.h"

#include "passes/memory/PlaceSlices.h"
#include "runtime/device/cpu/Workspace.h"
#include "runtime/device/cuda/WorkspaceCap.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// The runtime's number of the element type of a product's operand.
static rt::DType typeOf(Value value) {
  return TypeSwitch<Type, rt::DType>(tensorType(value).getElementType())
      .Case<Float64Type>([](Type) { return rt::DType::F64; })
      .Case<Float16Type>([](Type) { return rt::DType::F16; })
      .Case<BFloat16Type>([](Type) { return rt::DType::BF16; })
      .Default([](Type) { return rt::DType::F32; });
}

static rt::ContractionSpec specOf(MatmulOp op) {
  MatmulOp::Extents extents = op.extents();
  auto [m, n, k] = std::tuple(extents.m, extents.n, extents.k);
  return {typeOf(op.getLhs()),
          typeOf(op.getRhs()),
          typeOf(op.getResult()),
          m,
          n,
          k,
          op.getTransposeA(),
          op.getTransposeB(),
          extents.batch,
          m * k,
          k * n,
          m * n,
          bool(op.getInit())};
}

rt::Expected<PlannedWorkspace> workspaceOf(ModuleOp module, int threads) {
  std::vector<MatmulOp> products;
  for (auto func : module.getOps<func::FuncOp>())
    llvm::append_range(products, func.front().getOps<MatmulOp>());
  std::vector<rt::ContractionSpec> specs(products.size());
  llvm::transform(products, specs.begin(), specOf);
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
  if (target && target.getKind() == "cuda") {
    PlannedWorkspace most;
    for (auto [spec, product] : llvm::zip_equal(specs, products))
      if (uint64_t bytes = rt::cuda::workspaceCap(spec); bytes > most.bytes)
        most = {bytes, 0, product};
    return most;
  }
  AMPC_ASSIGN(rt::ContractionWorkspace workspace,
              rt::contraction_workspace(specs, threads));
  PlannedWorkspace planned{workspace.bytes, workspace.threads, {}};
  if (workspace.bytes)
    planned.largest = products[workspace.largest];
  // Products and loops over slices take turns.
  module.walk([&](ForeachOp loop) {
    uint64_t bytes = uint64_t(scratchBytes(loop)) * uint64_t(workspace.threads);
    if (bytes <= planned.bytes)
      return;
    planned.bytes = bytes;
    planned.largest = loop;
  });
  return planned;
}

} // namespace ampc
