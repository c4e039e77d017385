// Every fusion group becomes a kernel function; equal ones share it
// (Passes.td).
#include "codegen/kernel/GroupArguments.h"
#include "codegen/kernel/KernelNames.h"
#include "codegen/kernel/Kernels.h"
#include "codegen/kernel/Passes.h"
#include "codegen/kernel/PrimitiveEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

static LogicalResult emitLoops(OpBuilder &builder, GroupOp group,
                               ArrayRef<KernelArgument> arguments,
                               ValueRange pointers) {
  if (group.getKind() == GroupKind::scatter)
    return emitScatterKernel(builder, group, arguments, pointers);
  FailureOr<GroupSpace> space = GroupSpace::create(group);
  if (failed(space) || failed(verifySharing(group, *space, arguments)))
    return failure();
  BodyEmitter body(group, *space, arguments, pointers);
  switch (group.getKind()) {
  case GroupKind::map:
    return emitMapKernel(builder, group, body);
  case GroupKind::row:
    return emitRowKernel(builder, group, body);
  case GroupKind::column:
    return emitColumnKernel(builder, group, body);
  default:
    break;
  }
  return group.emitOpError() << "of this kind has no loop form";
}

/// The kernel of `group`, named `k`, outside of any module.
static FailureOr<func::FuncOp> buildKernel(GroupOp group) {
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
  OwningOpRef<func::FuncOp> func = func::FuncOp::create(
      group.getLoc(), "k", builder.getFunctionType(types, {}));
  Block *block = func->addEntryBlock();
  for (auto [argument, loc] : llvm::zip(block->getArguments(), locs))
    argument.setLoc(loc);
  builder.setInsertionPointToStart(block);
  if (failed(emitLoops(builder, group, *arguments, block->getArguments())))
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
    for (auto func : module.getOps<func::FuncOp>())
      for (auto group : func.getOps<GroupOp>())
        if (!writesNothing(group) &&
            failed(addKernel(group, kernels, names, known)))
          return signalPassFailure();
  }

private:
  static LogicalResult addKernel(GroupOp group, ModuleOp kernels,
                                 KernelNames &names,
                                 std::map<std::string, std::string> &known) {
    FailureOr<func::FuncOp> kernel = buildKernel(group);
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
