// The parameters of layers.
#include "ir/frontend/model/functions/LayerParameters.h"

namespace ampc::model {
namespace {

bool declared(Elaborator &e, const Call &call, llvm::StringRef name,
              llvm::ArrayRef<int64_t> shape,
              llvm::ArrayRef<llvm::StringRef> names,
              const Elaborator::Start &start, const TensorData *&tensor) {
  Value made = e.parameter(call.path + "." + name.str(), shape, names, start,
                           call.again, call.expr->loc);
  if (made.isPoison())
    return false;
  tensor = &made.asTensor();
  return true;
}

bool tied(Elaborator &e, const Call &call, size_t index, llvm::StringRef name,
          llvm::ArrayRef<int64_t> shape, const TensorData *&tensor) {
  if (!e.floatTensorArg(call, index, tensor))
    return false;
  if (shapeOf(*tensor) != shape) {
    std::string wanted;
    for (auto [axis, extent] : llvm::enumerate(shape)) {
      wanted += axis ? ", " : "";
      // An extent that neither the call nor a matrix gave.
      wanted += extent ? std::to_string(extent) : "_";
    }
    e.error(call.args[index].loc, "'" + call.name() + "': '" + name +
                                      "' must be [" + wanted + "], got " +
                                      typeText(*tensor))
        .note(tensor->origin, "the " + name.str() + " is made here");
    return false;
  }
  e.alias(call.path + "." + name.str(), *tensor, call.expr->loc);
  return true;
}

} // namespace

bool weightArg(Elaborator &e, const Call &call, size_t index,
               llvm::ArrayRef<int64_t> shape,
               llvm::ArrayRef<llvm::StringRef> names,
               const Elaborator::Start &start, const TensorData *&weight) {
  if (call[index].isNone())
    return declared(e, call, "weight", shape, names, start, weight);
  return tied(e, call, index, "weight", shape, weight);
}

bool biasArg(Elaborator &e, const Call &call, size_t index,
             llvm::ArrayRef<int64_t> shape,
             llvm::ArrayRef<llvm::StringRef> names,
             const Elaborator::Start &start, const TensorData *&bias) {
  if (call[index].isTensor())
    return tied(e, call, index, "bias", shape, bias);
  bool wanted = false;
  if (!e.boolArg(call, index, wanted))
    return false;
  return !wanted || declared(e, call, "bias", shape, names, start, bias);
}

} // namespace ampc::model
