// Every fusion group becomes a kernel function; equal ones share it
// (Passes.td).
#include "codegen/kernel/GroupArguments.h"
#include "codegen/kernel/KernelNames.h"
#include "codegen/kernel/Kernels.h"
#include "codegen/kernel/Passes.h"
#include "codegen/kernel/PrimitiveEmitter.h"
#include "codegen/kernel/ThreadForm.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

namespace ampc {
#define GEN_PASS_DEF_BUILDKERNELS
#include "codegen/kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

/// Whether `operand` is only what the sums of the group's product begin from: a
/// tile reads all of its part before it stores a result.
static bool isInit(GroupOp group, unsigned operand) {
  BlockArgument argument = group.getBody().getArgument(operand);
  if (group.getKind() != GroupKind::contraction || !argument.hasOneUse())
    return false;
  auto product = dyn_cast<MatmulOp>(*argument.user_begin());
  return product && product.getInit() == argument;
}

/// An operand may share a result's bytes only if both stand at the same element
/// at every point.
static LogicalResult verifySharing(GroupOp group, const GroupSpace &space,
                                   ArrayRef<KernelArgument> arguments) {
  for (const KernelArgument &argument : arguments) {
    if (argument.count == 0)
      continue;
    if (argument.results.size() > 1)
      return group.emitOpError()
             << "results " << argument.results[0] << " and "
             << argument.results[1] << " both stand at " << argument.place;
    for (unsigned result : argument.results)
      for (unsigned operand : argument.operands) {
        if (isInit(group, operand) && group.getOperand(operand).getType() ==
                                          group.getResult(result).getType())
          continue;
        if (space.isReadElsewhere(operand))
          return group.emitOpError()
                 << "operand " << operand
                 << " is read at other elements than result " << result
                 << " is written, and both stand at " << argument.place;
        for (const AxisMap &map : space.argumentMaps(operand))
          if (map.covered != space.resultMap(result).covered)
            return group.emitOpError()
                   << "operand " << operand
                   << " is read at other elements than result " << result
                   << " is written, and both stand at " << argument.place;
      }
  }
  return success();
}

/// The most elements of a thread's access, and how many when the body computes
/// functions: their text is long.
static constexpr int64_t kAccessBytes = 16, kMostElements = 8,
                         kCostlyElements = 4;

/// A map of this many threads keeps the device busy; fewer take more elements
/// each only down to it.
static constexpr int64_t kBusyThreads = int64_t(1) << 15;

/// How many neighbouring elements a thread of a map takes: as many as fit one
/// access of the widest type.
static int64_t elementsOfThread(GroupOp group, const GroupSpace &space,
                                ArrayRef<KernelArgument> arguments) {
  if (space.extents().empty())
    return 1;
  int64_t widest = 1, points = 1;
  for (const KernelArgument &argument : arguments)
    if (argument.count > 1)
      widest = std::max<int64_t>(
          widest, storageTypeFor(argument.element).getIntOrFloatBitWidth() / 8);
  bool costly = false;
  group.walk([&](Operation *op) {
    auto model = dyn_cast<CostModel>(op);
    costly |= isa<RandomOp>(op) ||
              (model && model.cost(TargetAttr()).transcendentals > 0);
  });
  for (int64_t extent : space.extents())
    points *= extent;
  int64_t elements =
      std::min(kAccessBytes / widest, costly ? kCostlyElements : kMostElements);
  while (elements > 1 && (space.extents().back() % elements != 0 ||
                          points / elements < kBusyThreads))
    elements /= 2;
  return elements;
}

/// A map for threads; one element a thread where several would not lie side by
/// side.
static LogicalResult emitMapForThreads(OpBuilder &builder, GroupOp group,
                                       const GroupSpace &space,
                                       ArrayRef<KernelArgument> arguments,
                                       ValueRange pointers) {
  Block *block = builder.getInsertionBlock();
  int64_t elements = elementsOfThread(group, space, arguments);
  BodyEmitter body(group, space, arguments, pointers);
  if (failed(emitThreadMap(builder, group, body, elements)))
    return failure();
  bool apart = false;
  block->walk([&](Operation *op) {
    apart |= isa<vector::GatherOp, vector::FromElementsOp>(op);
  });
  if (elements == 1 || !apart)
    return success();
  while (!block->empty())
    block->back().erase();
  builder.setInsertionPointToStart(block);
  BodyEmitter single(group, space, arguments, pointers);
  return emitThreadMap(builder, group, single, 1);
}

static LogicalResult emitLoops(OpBuilder &builder, GroupOp group,
                               ArrayRef<KernelArgument> arguments,
                               ValueRange pointers, bool threads) {
  if (group.getKind() == GroupKind::scatter)
    return (threads ? emitThreadScatter
                    : emitScatterKernel)(builder, group, arguments, pointers);
  FailureOr<GroupSpace> space = GroupSpace::create(group);
  if (failed(space) || failed(verifySharing(group, *space, arguments)))
    return failure();
  BodyEmitter body(group, *space, arguments, pointers);
  switch (group.getKind()) {
  case GroupKind::map:
    if (threads)
      return emitMapForThreads(builder, group, *space, arguments, pointers);
    return emitMapKernel(builder, group, body);
  case GroupKind::row:
    return (threads ? emitWarpRow : emitRowKernel)(builder, group, body);
  case GroupKind::column:
    return (threads ? emitBlockColumn : emitColumnKernel)(builder, group, body);
  case GroupKind::contraction:
    if (!threads)
      return emitContractionKernel(
          builder, group, body,
          group->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
              kTargetAttr));
    break;
  default:
    break;
  }
  return group.emitOpError()
         << "of kind " << stringifyGroupKind(group.getKind())
         << " has no loop form for this target";
}

/// The kernel of `group`, named `k`, outside of any module.
static FailureOr<func::FuncOp> buildKernel(GroupOp group, bool threads) {
  FailureOr<SmallVector<KernelArgument>> arguments = kernelArguments(group);
  if (failed(arguments))
    return failure();
  OpBuilder builder(group.getContext());
  SmallVector<Type> types;
  SmallVector<Location> locs;
  for (const KernelArgument &argument : *arguments) {
    types.push_back(
        MemRefType::get({argument.count}, storageTypeFor(argument.element)));
    locs.push_back(
        argument.operands.empty()
            ? group.getLoc()
            : group.getBody().getArgument(argument.operands.front()).getLoc());
  }
  if (threads)
    for (const SiteWord &site : siteWords(group)) {
      types.push_back(MemRefType::get({1}, builder.getI32Type()));
      locs.push_back(site.op->getLoc());
    }
  OwningOpRef<func::FuncOp> func = func::FuncOp::create(
      group.getLoc(), "k", builder.getFunctionType(types, {}));
  Block *block = func->addEntryBlock();
  for (auto [argument, loc] : llvm::zip(block->getArguments(), locs))
    argument.setLoc(loc);
  builder.setInsertionPointToStart(block);
  if (failed(emitLoops(builder, group, *arguments, block->getArguments(),
                       threads)))
    return failure();
  builder.setInsertionPointToEnd(block);
  func::ReturnOp::create(builder, group.getLoc());
  return func.release();
}

/// Whether the group writes anything.
static bool writesNothing(GroupOp group) {
  return llvm::all_of(group.getOutputs(), [](Value value) {
    return tensorType(value).getNumElements() == 0;
  });
}

namespace {

class BuildKernelsPass : public ampc::impl::BuildKernelsBase<BuildKernelsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stageOf(module) != Stage::placed) {
      module.emitError() << "kernels are built of a module in stage placed";
      return signalPassFailure();
    }
    auto kernels = ModuleOp::create(module.getLoc(), kKernelsModule);
    module.push_back(kernels);
    KernelNames names;
    std::map<std::string, std::string> known; // loops as text -> name
    // Those of a loop over slices as well.
    WalkResult walked = module.walk([&](GroupOp group) {
      return !writesNothing(group) &&
                     failed(addKernel(group, kernels, threads, names, known))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult addKernel(GroupOp group, ModuleOp kernels, bool threads,
                                 KernelNames &names,
                                 std::map<std::string, std::string> &known) {
    FailureOr<func::FuncOp> kernel = buildKernel(group, threads);
    if (failed(kernel))
      return failure();
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*kernel)->print(stream, OpPrintingFlags().useLocalScope());
    auto [entry, isNew] = known.try_emplace(std::move(text));
    if (isNew) {
      entry->second = names.nameFor(group);
      kernel->setName(entry->second);
      kernels.push_back(*kernel);
    } else {
      (*kernel)->erase();
    }
    auto symbol = SymbolRefAttr::get(
        group.getContext(), kKernelsModule,
        {FlatSymbolRefAttr::get(group.getContext(), entry->second)});
    group->setAttr(kKernelAttr, symbol);
    return success();
  }
};

} // namespace
