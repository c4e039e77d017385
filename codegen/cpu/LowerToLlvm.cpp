// Kernels over loops -> the LLVM dialect -> LLVM IR.
#include "codegen/cpu/CompileKernels.h"
#include "codegen/cpu/CpuSteps.h"
#include "codegen/cpu/Passes.h"
#include "codegen/kernel/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMX/Transforms.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace ampc;

/// What the conversion and the translation look up by interface.
static void registerInterfaces(MLIRContext &context) {
  DialectRegistry registry;
  registerConvertAMXToLLVMInterface(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

/// The way down. Each order has a reason: tiles before anything touches
/// scf.parallel; math and narrow floats while ops are still arith; address
/// arithmetic before scf is gone, so that it is hoisted; one conversion for all
/// dialects, so that no cast between two type systems is left.
static LogicalResult runLowering(ModuleOp kernels) {
  PassManager pm(kernels.getContext());
  pm.addPass(createTileKernels());
  pm.addPass(createExpandMath());
  pm.addPass(createExpandNarrowFloats());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  return pm.run(kernels);
}

/// Ending of the name of a kernel's body.
static constexpr llvm::StringLiteral kBodyEnding = ".tiles";

/// `void ampc_NAME(const void *const *args, int64_t begin, int64_t end)` around
/// a lowered kernel, whose pointers are arguments of their own so that they can
/// be noalias.
static void wrapKernel(LLVM::LLVMFuncOp body) {
  MLIRContext *context = body.getContext();
  Location loc = body.getLoc();
  std::string name = (kSymbolPrefix + body.getName()).str();
  body.setName((body.getName() + kBodyEnding).str());
  body.setLinkage(LLVM::Linkage::Internal);
  OpBuilder builder(body);
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, i64, i64});
  auto wrapper = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  Block *block = wrapper.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> operands;
  for (unsigned i = 0, e = body.getNumArguments() - 2; i < e; ++i) {
    Value address = LLVM::GEPOp::create(
        builder, loc, pointer, pointer, block->getArgument(0),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    operands.push_back(LLVM::LoadOp::create(builder, loc, pointer, address));
  }
  operands.push_back(block->getArgument(1));
  operands.push_back(block->getArgument(2));
  LLVM::CallOp::create(builder, loc, body, operands);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

LogicalResult ampc::lowerKernels(ModuleOp kernels) {
  registerInterfaces(*kernels.getContext());
  if (failed(runLowering(kernels)))
    return failure();
  for (auto func : kernels.getOps<func::FuncOp>())
    return func.emitOpError() << "could not be lowered to LLVM";
  for (auto func : llvm::to_vector(kernels.getOps<LLVM::LLVMFuncOp>()))
    wrapKernel(func);
  return success();
}

std::unique_ptr<llvm::Module> ampc::translateAll(ModuleOp kernels,
                                                 llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(kernels, context, "kernels");
  if (!module)
    return nullptr;
  for (llvm::Function &function : *module)
    if (function.hasInternalLinkage())
      function.addFnAttr(
          llvm::Attribute::NoInline); // keeps noalias on the arguments
  return module;
}

std::unique_ptr<llvm::Module>
ampc::translateKernel(ModuleOp kernels, StringRef name,
                      llvm::LLVMContext &context) {
  OwningOpRef<ModuleOp> alone = ModuleOp::create(kernels.getLoc());
  for (const std::string &part :
       {(name + kBodyEnding).str(), (kSymbolPrefix + name).str()})
    kernels.lookupSymbol<LLVM::LLVMFuncOp>(part)->moveBefore(
        alone->getBody(), alone->getBody()->end());
  std::unique_ptr<llvm::Module> module = translateAll(*alone, context);
  if (module) // the linker exports it by its own name
    module->getFunction((kSymbolPrefix + name).str())
        ->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return module;
}
