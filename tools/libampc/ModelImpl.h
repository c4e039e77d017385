// What is behind ampc::Model: a context of its own and the module.
#ifndef AMPC_TOOLS_LIBAMPC_MODELIMPL_H
#define AMPC_TOOLS_LIBAMPC_MODELIMPL_H

#include "ir/dialect/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/libampc/Model.h"

namespace ampc {

/// What a model is read from.
struct Model::Source {
  std::string path;
  std::string text;                    ///< for the source lines of messages
  std::optional<ModelOptions> options; ///< of .amp text; none for IR
};

struct Model::Impl {
  explicit Impl(const Source &source);

  mlir::MLIRContext context;
  const std::string &path; ///< these three of the source
  const std::string &text;
  const std::optional<ModelOptions> &options;
  double seconds = 0; ///< of reading it
  mlir::OwningOpRef<mlir::ModuleOp> module;

  /// The stage of `module`.
  amp::Stage stage() const;
};

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_MODELIMPL_H
