// What handlers of several families share: axes, element types, numbers.
#pragma once

#include "ir/frontend/model/Elaborator.h"

namespace ampc::model {

/// Name of the dim behind an axis, or "".
llvm::StringRef axisName(const TensorData &tensor, size_t axis);
/// One name an axis.
llvm::SmallVector<llvm::StringRef> axisNames(const TensorData &tensor);

/// True if `number` keeps its meaning in `element`: integers in their range, no
/// fraction in an integer type, nothing finite that becomes infinite.
bool fits(Elaborator &e, const Value &number, ElemType element);

/// An element type, or `fallback` for none.
bool elementArg(Elaborator &e, const Call &call, size_t index,
                ElemType fallback, ElemType &element);
/// A tensor of i8, i32 or i64 to look things up by; i8 is widened to i64.
bool indexArg(Elaborator &e, const Call &call, size_t index, mlir::Location loc,
              const TensorData *&tensor, mlir::Value &value);
/// One axis of `tensor`, counted from the front.
bool axisArg(Elaborator &e, const Call &call, size_t index,
             const TensorData &tensor, int64_t &axis);
/// One int or a list of ints.
bool intsArg(Elaborator &e, const Call &call, size_t index,
             llvm::SmallVectorImpl<int64_t> &ints);
/// A list of at least one tensor.
bool tensorListArg(Elaborator &e, const Call &call, size_t index,
                   llvm::SmallVectorImpl<const TensorData *> &tensors);

/// How a loss joins its terms: "mean", "sum" or "none".
bool reductionArg(Elaborator &e, const Call &call, size_t index,
                  amp::LossReduction &reduction);

/// Reports an argument that is not what it must be:
/// `'F': 'A' must be WHAT, got GOT`.
bool mustBe(Elaborator &e, const Call &call, size_t index,
            const llvm::Twine &what);
/// The same of a tensor's shape: with dims named, and a note where it is made.
bool mustFit(Elaborator &e, const Call &call, size_t index,
             const llvm::Twine &what);
/// Checks that a tensor has `shape`; `what` says why it must, as in
/// "the shape of 'x'".
bool mustHaveShape(Elaborator &e, const Call &call, size_t index,
                   llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<llvm::StringRef> names,
                   const llvm::Twine &what);

/// The value with its axes in the order `order`; `value` itself for the
/// identity.
mlir::Value permuted(Elaborator &e, mlir::Location loc, mlir::Value value,
                     llvm::ArrayRef<int64_t> order);
/// The order of axes that brings `axis` to the end.
llvm::SmallVector<int64_t> axisLast(int64_t rank, int64_t axis);
/// The inverse of an order of axes.
llvm::SmallVector<int64_t> inverseOrder(llvm::ArrayRef<int64_t> order);

/// The items of `all` in the order `order`.
template <typename T>
llvm::SmallVector<T> reordered(llvm::ArrayRef<T> all,
                               llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<T> result;
  for (int64_t axis : order)
    result.push_back(all[axis]);
  return result;
}

} // namespace ampc::model
