// What locations say of an op: the path of the call that made it.
#ifndef AMPC_IR_DIALECT_LOCATIONS_H
#define AMPC_IR_DIALECT_LOCATIONS_H

#include "mlir/IR/Location.h"

namespace ampc::amp {

/// The name path of a location: names of its NameLocs, outermost first, joined
/// by dots; empty when it has none.
std::string namePathOf(mlir::Location loc);

} // namespace ampc::amp

#endif // AMPC_IR_DIALECT_LOCATIONS_H
