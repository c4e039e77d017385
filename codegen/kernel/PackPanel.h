// Copies of parts of a product's operands into scratch memory, in the type of
// the sums: what lies far apart or across the vectors comes to lie in order.
#ifndef AMPC_CODEGEN_KERNEL_PACKPANEL_H
#define AMPC_CODEGEN_KERNEL_PACKPANEL_H

#include "codegen/kernel/IndexMath.h"

namespace ampc {

/// A part of a 1-D memref: rows `pitch` elements apart, from `base` on.
struct Panel {
  mlir::Value memory;
  mlir::Value base; ///< index of the first element
  int64_t pitch;
};

/// Copies `rows` rows of `width` elements (both index) of type `element` to
/// `to`, converted to the type of `to`, `lanes` at a time.
void copyRows(IndexMath &at, mlir::Type element, const Panel &from,
              const Panel &to, mlir::Value rows, mlir::Value width,
              int64_t lanes);

/// The same for a width known here; the last vector of a row of `to` is written
/// whole, zeros behind what there is.
void copyRowsPadded(IndexMath &at, mlir::Type element, const Panel &from,
                    const Panel &to, mlir::Value rows, int64_t width,
                    int64_t lanes);

/// Rows of `to` are columns of `from`: writes `length` (index) rows of `width`
/// elements, in whole vectors of `lanes` (what lies behind `width` repeats a
/// row of `from`). Where `length` is no multiple of `lanes`, the last `lanes`
/// rows are written as one, so that `from` must have elements before `base`,
/// and `to` room, for `lanes` in all: `shortest`, the least that `length` and
/// what lies before it come to, says how many there are if fewer.
void copyTransposed(IndexMath &at, mlir::Type element, const Panel &from,
                    const Panel &to, mlir::Value length, int64_t width,
                    int64_t lanes, int64_t shortest);

/// Transposes a square: as many vectors as each has elements.
void transposeSquare(IndexMath &at, llvm::SmallVectorImpl<mlir::Value> &rows);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_PACKPANEL_H
