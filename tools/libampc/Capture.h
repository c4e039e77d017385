// Collects what a context reports, as text with source lines.
#ifndef AMPC_TOOLS_LIBAMPC_CAPTURE_H
#define AMPC_TOOLS_LIBAMPC_CAPTURE_H

#include "mlir/IR/Diagnostics.h"
#include "runtime/core/Status.h"

#include <functional>
#include <string>

namespace ampc {

/// While it lives, errors and their notes are collected, remarks and warnings
/// go to callbacks, and nothing is printed.
class DiagnosticCapture {
public:
  /// `fileName` and `text` are the source whose lines are shown.
  DiagnosticCapture(mlir::MLIRContext &context, std::string fileName,
                    llvm::StringRef text,
                    std::function<void(std::string_view)> remark = {},
                    std::function<void(std::string_view)> warn = {});

  /// The errors so far as one error value of Code BadInput; `fallback` when
  /// none was reported.
  rt::Error error(llvm::StringRef fallback) const;

private:
  std::string render(mlir::Diagnostic &diagnostic, llvm::StringRef kind) const;

  std::string fileName;
  llvm::StringRef text;
  std::function<void(std::string_view)> remark, warn;
  std::string errors;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_CAPTURE_H
