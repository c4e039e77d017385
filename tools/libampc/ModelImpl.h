// What is behind ampc::Model: a context of its own and the module.
#ifndef AMPC_TOOLS_LIBAMPC_MODELIMPL_H
#define AMPC_TOOLS_LIBAMPC_MODELIMPL_H

#include "ir/dialect/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/libampc/Model.h"

namespace ampc {

struct Model::Impl {
  Impl();

  mlir::MLIRContext context;
  std::string path;
  std::string text;                    // for the source lines of messages
  std::optional<ModelOptions> options; // of .amp text; none for IR
  double seconds = 0;                  // of reading it
  mlir::OwningOpRef<mlir::ModuleOp> module;

  /// The stage of `module`.
  amp::Stage stage() const;
};

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_MODELIMPL_H
