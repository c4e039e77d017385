// Kernels to a shared object, in process.
#include "codegen/cpu/CompileKernels.h"

#include "codegen/cpu/CpuSteps.h"

#include "llvm/IR/LLVMContext.h"

using namespace mlir;
using namespace ampc;

namespace {

/// An optimised module and what it was made with.
struct Optimized {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace

/// Reports an error of LLVM at the kernels.
static InFlightDiagnostic report(ModuleOp kernels, llvm::Error error) {
  return kernels.emitError() << llvm::toString(std::move(error));
}

static FailureOr<Optimized> optimize(ModuleOp kernels, const CpuLevel &level,
                                     PhaseClock &clock) {
  Optimized result;
  result.context = std::make_unique<llvm::LLVMContext>();
  OwningOpRef<ModuleOp> copy = kernels.clone();
  result.module = lowerToLlvm(*copy, *result.context);
  if (!result.module)
    return failure();
  clock.end("lower");
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      targetMachineFor(level);
  if (!machine)
    return report(kernels, machine.takeError());
  result.machine = std::move(*machine);
  optimizeModule(*result.module, *result.machine, level);
  clock.end("optimize");
  return result;
}

FailureOr<std::vector<uint8_t>> ampc::compileKernels(ModuleOp kernels,
                                                     const CpuLevel &level,
                                                     const PhaseSink &time) {
  PhaseClock clock(time);
  FailureOr<Optimized> optimized = optimize(kernels, level, clock);
  if (failed(optimized))
    return failure();
  llvm::Expected<SmallVector<char, 0>> object =
      emitObject(*optimized->module, *optimized->machine);
  if (!object)
    return report(kernels, object.takeError());
  clock.end("object");
  llvm::Expected<std::vector<uint8_t>> linked = linkShared(*object);
  if (!linked)
    return report(kernels, linked.takeError());
  clock.end("link");
  return std::move(*linked);
}

FailureOr<std::string> ampc::kernelsAsLlvmText(ModuleOp kernels,
                                               const CpuLevel &level) {
  PhaseSink unheard;
  PhaseClock clock(unheard);
  FailureOr<Optimized> optimized = optimize(kernels, level, clock);
  if (failed(optimized))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  optimized->module->print(stream, nullptr);
  return text;
}
