// LLVM's pipeline and code generation for one level.
#include "codegen/cpu/CpuSteps.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace llvm;
using namespace ampc;

Expected<std::unique_ptr<TargetMachine>>
ampc::targetMachineFor(const CpuLevel &level) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  // Kernels call nothing of the system: any x86-64 ELF triple gives the same
  // code.
  Triple triple("x86_64-unknown-linux-gnu");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError("no code generator for x86-64: " + message);
  TargetOptions options;
  options.AllowFPOpFusion =
      FPOpFusion::Strict; // no contraction across ops (N4)
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, level.cpu, /*Features=*/"", options, Reloc::PIC_,
      CodeModel::Small, CodeGenOptLevel::Default));
  if (!machine)
    return createStringError("cannot generate code for " + level.cpu);
  return machine;
}

/// Library functions do not exist: loops stay loops instead of becoming memset
/// and memcpy.
static TargetLibraryInfoImpl withoutLibrary(const Module &module) {
  TargetLibraryInfoImpl info(module.getTargetTriple());
  info.disableAllFunctions();
  return info;
}

void ampc::optimizeModule(Module &module, TargetMachine &machine,
                          const CpuLevel &level) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", level.cpu);
    if (!level.more.empty())
      function.addFnAttr("target-features", level.more);
    function.addFnAttr("prefer-vector-width", std::to_string(level.vectorBits));
    function.addFnAttr("no-builtins");
    function.addFnAttr(Attribute::NoUnwind);
  }
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  TargetLibraryInfoImpl library = withoutLibrary(module);
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager pipeline =
      builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
  pipeline.addPass(createModuleToFunctionPassAdaptor(PrefetchStreams()));
  pipeline.addPass(createModuleToFunctionPassAdaptor(StreamTiles()));
  pipeline.run(module, modules);
}

Expected<SmallVector<char, 0>> ampc::emitObject(Module &module,
                                                TargetMachine &machine) {
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(withoutLibrary(module)));
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::ObjectFile))
    return createStringError("the code generator cannot write object files");
  passes.run(module);
  return object;
}
