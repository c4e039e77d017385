// The parameters of layers: declared by the call, or tensors tied to it.
#pragma once

#include "ir/frontend/model/functions/Support.h"

namespace ampc::model {

/// `weight = none` declares PATH.weight; `weight = TENSOR` ties it, and must
/// have the shape.
bool weightArg(Elaborator &e, const Call &call, size_t index,
               llvm::ArrayRef<int64_t> shape,
               llvm::ArrayRef<llvm::StringRef> names,
               const Elaborator::Start &start, const TensorData *&weight);

/// `bias = true` declares PATH.bias, `false` leaves it null, `bias = TENSOR`
/// ties it.
bool biasArg(Elaborator &e, const Call &call, size_t index,
             llvm::ArrayRef<int64_t> shape,
             llvm::ArrayRef<llvm::StringRef> names,
             const Elaborator::Start &start, const TensorData *&bias);

} // namespace ampc::model
