// Kernels to a shared object, in process: each to an object of its own, on
// several threads, then one link of all.
#include "codegen/cpu/CompileKernels.h"

#include "codegen/cpu/CpuSteps.h"
#include "codegen/cpu/ObjectQueue.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace ampc;

/// Reports an error of LLVM at the kernels.
static InFlightDiagnostic report(ModuleOp kernels, llvm::Error error) {
  return kernels.emitError() << llvm::toString(std::move(error));
}

/// A matrix unit's ops need a level that has them: LLVM ends the process where
/// it finds no instruction.
static LogicalResult verifyLevel(ModuleOp kernels, const CpuLevel &level) {
  if (llvm::is_contained(level.features, "amx-bf16"))
    return success();
  WalkResult result = kernels.walk([&](Operation *op) {
    if (!isa_and_nonnull<amx::AMXDialect>(op->getDialect()))
      return WalkResult::advance();
    op->getParentOfType<func::FuncOp>().emitError()
        << "multiplies in AMX, which level " << level.name
        << " lacks; expected level amx";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// All that the object of `func` depends on: its loops, not its name, for
/// `level`.
static std::string sourceOf(func::FuncOp func, const CpuLevel &level) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "LLVM " << LLVM_VERSION_STRING << " level " << level.name << " "
         << level.cpu << " " << level.vectorBits << "\n";
  OwningOpRef<func::FuncOp> copy = func.clone();
  copy->setName("k");
  copy->print(stream, OpPrintingFlags().useLocalScope());
  return text;
}

/// A kernel's name in its object, told by its source so that any two kernels of
/// a plan stand side by side.
static std::string nameOf(StringRef source) {
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(source));
  return "k" + llvm::utohexstr(hash.high64, true, 16) +
         llvm::utohexstr(hash.low64, true, 16);
}

/// Lowers the kernels that have no object yet to an LLVM module each.
static LogicalResult lowerMissing(ModuleOp kernels,
                                  MutableArrayRef<KernelObject> objects) {
  OwningOpRef<ModuleOp> missing =
      ModuleOp::create(kernels.getLoc(), kernels.getName());
  SmallVector<KernelObject *> lowered;
  for (KernelObject &object : objects) {
    if (!object.bytes.empty())
      continue;
    func::FuncOp copy = object.func.clone();
    copy.setName(object.name);
    missing->push_back(copy);
    lowered.push_back(&object);
  }
  if (lowered.empty())
    return success();
  if (failed(lowerKernels(*missing)))
    return failure();
  for (KernelObject *object : lowered) {
    object->context = std::make_unique<llvm::LLVMContext>();
    object->module = translateKernel(*missing, object->name, *object->context);
    if (!object->module)
      return failure();
  }
  return success();
}

/// The distinct kernels of `kernels`, with the objects that the store has; in
/// `aliases` what each is called.
static std::vector<KernelObject> kernelObjects(ModuleOp kernels,
                                               const CpuLevel &level,
                                               ObjectStore *store,
                                               std::vector<Alias> &aliases) {
  std::vector<KernelObject> objects;
  llvm::StringSet<> known;
  for (auto func : kernels.getOps<func::FuncOp>()) {
    KernelObject object;
    object.func = func;
    object.source = sourceOf(func, level);
    object.name = nameOf(object.source);
    aliases.push_back({(kSymbolPrefix + func.getName()).str(),
                       (kSymbolPrefix + object.name).str()});
    if (!known.insert(object.name).second)
      continue;
    if (store)
      if (std::optional<SmallVector<char, 0>> found =
              store->find(object.source)) {
        object.bytes = std::move(*found);
        object.isFound = true;
      }
    objects.push_back(std::move(object));
  }
  return objects;
}

/// Keeps what was compiled now.
static void keep(ObjectStore *store, ArrayRef<KernelObject> objects) {
  SmallVector<ObjectStore::Entry> entries;
  for (const KernelObject &object : objects)
    if (!object.isFound)
      entries.push_back({object.source, object.bytes});
  if (store && !entries.empty())
    store->store(entries);
}

FailureOr<std::vector<uint8_t>>
ampc::compileKernels(ModuleOp kernels, const CpuLevel &level,
                     const CompileSettings &settings) {
  if (failed(verifyLevel(kernels, level)))
    return failure();
  PhaseClock clock(settings.time);
  std::vector<Alias> aliases;
  std::vector<KernelObject> objects =
      kernelObjects(kernels, level, settings.store, aliases);
  if (settings.counts)
    settings.counts(objects.size(),
                    llvm::count_if(objects, [](const KernelObject &object) {
                      return object.isFound;
                    }));
  clock.end("find");
  if (failed(lowerMissing(kernels, objects)))
    return failure();
  clock.end("lower");
  ObjectSeconds seconds;
  if (llvm::Error error =
          makeObjects(objects, level, settings.threads, seconds))
    return report(kernels, std::move(error));
  clock.endShared({{"optimize", seconds.optimize}, {"object", seconds.object}});
  keep(settings.store, objects);
  std::vector<ArrayRef<char>> inputs;
  for (const KernelObject &object : objects)
    inputs.push_back(object.bytes);
  llvm::Expected<std::vector<uint8_t>> linked = linkShared(inputs, aliases);
  if (!linked)
    return report(kernels, linked.takeError());
  clock.end("link");
  return std::move(*linked);
}

FailureOr<std::string> ampc::kernelsAsLlvmText(ModuleOp kernels,
                                               const CpuLevel &level) {
  if (failed(verifyLevel(kernels, level)))
    return failure();
  llvm::LLVMContext context;
  OwningOpRef<ModuleOp> copy = kernels.clone();
  if (failed(lowerKernels(*copy)))
    return failure();
  std::unique_ptr<llvm::Module> module = translateAll(*copy, context);
  if (!module)
    return failure();
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      targetMachineFor(level);
  if (!machine)
    return report(kernels, machine.takeError());
  optimizeModule(*module, **machine, level);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}
