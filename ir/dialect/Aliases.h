// The further names of a tied variable: the attribute `aliases` of
// `amp.variable`, an array of strings. The front end writes it; what reads and
// writes weights looks at it.
#ifndef AMPC_IR_DIALECT_ALIASES_H
#define AMPC_IR_DIALECT_ALIASES_H

#include "ir/dialect/Dialect.h"

namespace ampc::amp {

inline constexpr llvm::StringLiteral kAliasesAttr = "aliases";

/// The aliases of `variable`, in the order of the model's text.
inline std::vector<std::string> aliasesOf(VariableOp variable) {
  std::vector<std::string> names;
  if (auto list = variable->getAttrOfType<mlir::ArrayAttr>(kAliasesAttr))
    for (auto name : list.getAsRange<mlir::StringAttr>())
      names.push_back(name.str());
  return names;
}

} // namespace ampc::amp

#endif // AMPC_IR_DIALECT_ALIASES_H
