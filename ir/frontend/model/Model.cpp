// The public entry: parse, elaborate, verify.
#include "ir/frontend/model/Model.h"

#include "ir/frontend/model/Elaborator.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace ampc::model {

OwningOpRef<ModuleOp> loadModel(MLIRContext &context, llvm::StringRef text,
                                llvm::StringRef fileName,
                                const ModelOptions &options,
                                Diagnostics &diagnostics) {
  context.loadDialect<amp::AmpDialect, func::FuncDialect>();
  std::unique_ptr<Ast> ast = parseFile(text, fileName, diagnostics);
  if (!ast->model) {
    // An error in the model's head has been reported.
    if (!diagnostics.failed())
      diagnostics.error(Loc{0}, "the file holds no model");
    return nullptr;
  }
  if (diagnostics.full())
    return nullptr;
  OwningOpRef<ModuleOp> module =
      Elaborator(context, *ast, options, diagnostics).run();
  if (!module)
    return nullptr;
  // The elaborator checks what a text can get wrong; what the verifier still
  // finds becomes an error of ours, so that callers have one place to look.
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &found) {
    diagnostics.error(Loc(), found.str());
    return success();
  });
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> loadModelFile(MLIRContext &context,
                                    llvm::StringRef fileName,
                                    const ModelOptions &options,
                                    Diagnostics &diagnostics) {
  auto buffer = llvm::MemoryBuffer::getFile(fileName, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    diagnostics.error(Loc(), "cannot read '" + fileName +
                                 "': " + buffer.getError().message());
    return nullptr;
  }
  return loadModel(context, (*buffer)->getBuffer(), fileName, options,
                   diagnostics);
}

} // namespace ampc::model
