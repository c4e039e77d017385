// The element types of values.
#ifndef AMPC_PASSES_PRECISION_ELEMENTS_H
#define AMPC_PASSES_PRECISION_ELEMENTS_H

#include "ir/dialect/Dialect.h"

namespace ampc {

inline mlir::Type elementOf(mlir::Value value) {
  return amp::tensorType(value).getElementType();
}

inline bool isFloat(mlir::Value value) {
  return mlir::isa<mlir::FloatType>(elementOf(value));
}

} // namespace ampc

#endif // AMPC_PASSES_PRECISION_ELEMENTS_H
