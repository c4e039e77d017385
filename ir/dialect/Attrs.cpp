// Enumerations and attributes of the amp dialect: generated parts and
// registration.
#include "ir/dialect/Attrs.h"

#include "ir/dialect/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ir/dialect/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/dialect/Attrs.cpp.inc"

void ampc::amp::AmpDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/dialect/Attrs.cpp.inc"
      >();
}
