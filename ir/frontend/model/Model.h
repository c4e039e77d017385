// The .amp language: text to a module in stage S0 (#amp.stage<model>).
#pragma once

#include "ir/frontend/model/syntax/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <utility>
#include <vector>

namespace ampc::model {

/// What the command line adds to the text.
struct ModelOptions {
  /// The pairs of `--set KEY=VALUE`: dims, consts, `train.KEY`. Values are
  /// expressions; the last of several values of one key wins.
  std::vector<std::pair<std::string, std::string>> sets;
};

/// Reads a model. `fileName` stands in messages and locations; file names in
/// the data block are relative to its folder. Null if `diagnostics` has errors.
/// Loads the dialects it needs. Never exits, never throws.
mlir::OwningOpRef<mlir::ModuleOp> loadModel(mlir::MLIRContext &context,
                                            llvm::StringRef text,
                                            llvm::StringRef fileName,
                                            const ModelOptions &options,
                                            Diagnostics &diagnostics);

/// Reads the file, then the model. A file that cannot be read is an error at no
/// place.
mlir::OwningOpRef<mlir::ModuleOp> loadModelFile(mlir::MLIRContext &context,
                                                llvm::StringRef fileName,
                                                const ModelOptions &options,
                                                Diagnostics &diagnostics);

} // namespace ampc::model
