// The public entry: parse, elaborate, verify.
#include "ir/frontend/model/Model.h"

#include "ir/frontend/model/Elaborator.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
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
  // finds becomes an error of ours, at its place.
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &found) {
    auto place = found.getLocation()->findInstanceOf<FileLineColLoc>();
    Loc loc =
        place
            ? diagnostics.sources().locate({place.getFilename().strref(),
                                            place.getLine(), place.getColumn()})
            : Loc();
    diagnostics.error(loc, found.str());
    return success();
  });
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

/// Reads a file whose size is permitted; null after an error. What has no size
/// (a pipe) is read no further than that either.
static std::unique_ptr<llvm::MemoryBuffer> readFile(llvm::StringRef fileName,
                                                    Diagnostics &diagnostics) {
  auto unreadable = [&](std::error_code error) {
    diagnostics.error(Loc(),
                      "cannot read '" + fileName + "': " + error.message());
    return nullptr;
  };
  auto tooLarge = [&](const llvm::Twine &size) {
    Loc start{diagnostics.sources().add(fileName, "")};
    diagnostics.error(start, "the file is larger than 16 MiB" + size).showLine =
        false;
    return nullptr;
  };
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(fileName);
  if (!file)
    return unreadable(llvm::errorToErrorCode(file.takeError()));
  llvm::scope_exit close([&] { llvm::sys::fs::closeFile(*file); });
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(*file, status))
    return unreadable(error);
  if (llvm::sys::fs::is_directory(status))
    return unreadable(std::make_error_code(std::errc::is_a_directory));
  if (llvm::sys::fs::is_regular_file(status) &&
      status.getSize() > kMaxTextBytes)
    return tooLarge(" (" + llvm::Twine(status.getSize()) + " bytes)");
  llvm::SmallVector<char, 0> text;
  for (size_t chunk = 1 << 16;;) {
    size_t size = text.size();
    text.resize_for_overwrite(size + chunk);
    llvm::Expected<size_t> read = llvm::sys::fs::readNativeFile(
        *file, llvm::MutableArrayRef(text.data() + size, chunk));
    if (!read)
      return unreadable(llvm::errorToErrorCode(read.takeError()));
    text.truncate(size + *read);
    if (*read == 0)
      break;
    if (text.size() > kMaxTextBytes)
      return tooLarge("");
  }
  return llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(text.data(), text.size()));
}

OwningOpRef<ModuleOp> loadModelFile(MLIRContext &context,
                                    llvm::StringRef fileName,
                                    const ModelOptions &options,
                                    Diagnostics &diagnostics) {
  std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(fileName, diagnostics);
  return buffer ? loadModel(context, buffer->getBuffer(), fileName, options,
                            diagnostics)
                : nullptr;
}

} // namespace ampc::model
