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

using namespace ampc::amp;

LogicalResult PlaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                Space space, int64_t index,
                                FlatSymbolRefAttr variable) {
  if (index < 0)
    return emitError() << "a place's index must be at least 0, got " << index;
  if ((space == Space::variable) != static_cast<bool>(variable))
    return emitError()
           << "a place names a variable exactly in space variable, got space "
           << stringifySpace(space);
  return success();
}

LogicalResult
IndexRangeAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t,
                       int64_t, IntegerAttr, int64_t offset,
                       DenseI64ArrayAttr extents, DenseI64ArrayAttr strides,
                       StringRef, StringRef, LocationAttr) {
  if (extents.size() != strides.size())
    return emitError() << "an index range has " << extents.size()
                       << " extents but " << strides.size() << " strides";
  bool inside = offset >= 0 &&
                llvm::all_of(extents.asArrayRef(),
                             [](int64_t extent) { return extent >= 1; }) &&
                llvm::all_of(strides.asArrayRef(),
                             [](int64_t stride) { return stride >= 0; });
  if (!inside)
    return emitError() << "an index range's extents must be at least 1, its "
                          "offset and strides at least 0";
  return success();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef kind, StringRef level,
                                 int64_t vectorBytes, int64_t cacheBytes,
                                 FloatAttr bandwidth, FloatAttr launchNs,
                                 ArrayAttr fast) {
  if (kind != "cpu" && kind != "cuda")
    return emitError() << "a target's kind must be cpu or cuda, got '" << kind
                       << "'";
  if (vectorBytes <= 0 || cacheBytes <= 0)
    return emitError()
           << "a target's vector_bytes and cache_bytes must be above 0, got "
           << vectorBytes << " and " << cacheBytes;
  if (!(bandwidth.getValueAsDouble() > 0))
    return emitError() << "a target's bandwidth must be above 0, got "
                       << bandwidth.getValueAsDouble();
  if (!(launchNs.getValueAsDouble() >= 0))
    return emitError() << "a target's launch_ns must be at least 0, got "
                       << launchNs.getValueAsDouble();
  for (Attribute format : fast ? fast.getValue() : ArrayRef<Attribute>()) {
    auto type = dyn_cast<TypeAttr>(format);
    if (!type || !isa<FloatType>(type.getValue()) ||
        type.getValue().getIntOrFloatBitWidth() > 32 || type.getValue().isF32())
      return emitError() << "a target's fast formats must be floats below f32, "
                            "got "
                         << format;
  }
  return success();
}

bool TargetAttr::isFast(Type format) const {
  return getFast() && llvm::is_contained(getFast(), TypeAttr::get(format));
}
