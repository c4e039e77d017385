// Where the data files of a model lie, seen from another folder.
#ifndef AMPC_TOOLS_LIBAMPC_DATAPATHS_H
#define AMPC_TOOLS_LIBAMPC_DATAPATHS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace ampc {

/// What leads from the folder of the file `to` to that of `from`; empty or `.`
/// where they are one.
std::string wayBetween(const std::string &from, const std::string &to);

/// Relative data files of `module` are sought in the folder of the file that
/// holds it. Rewrites those of the file `from` for a copy of the module in the
/// file `to`.
void moveDataPaths(mlir::ModuleOp module, const std::string &from,
                   const std::string &to);

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_DATAPATHS_H
