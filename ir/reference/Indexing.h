// Walks over tensors in row-major order with a second, strided position beside.
#ifndef AMPC_IR_REFERENCE_INDEXING_H
#define AMPC_IR_REFERENCE_INDEXING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace ampc::reference {

/// Row-major strides of `shape`, in elements.
inline llvm::SmallVector<int64_t>
rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    strides[axis] = stride;
  return strides;
}

/// Calls `visit(i, offset)` for each element i of `shape` in row-major order,
/// where offset is the sum over the axes of index times `strides[axis]` (0
/// repeats or joins an axis).
template <typename Visit>
void walkStrided(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
                 Visit visit) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    visit(i, offset);
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      offset -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/// The elements of each row along `axes` (strictly increasing) in ascending
/// order: their row-major positions in `shape`, by the row-major position of
/// the row among the other axes.
inline std::vector<std::vector<int64_t>>
rowsAlong(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes) {
  llvm::SmallVector<int64_t> others;
  for (auto [axis, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      others.push_back(extent);
  llvm::SmallVector<int64_t> kept = rowMajorStrides(others), strides;
  int64_t count = 1, next = 0;
  for (int64_t extent : others)
    count *= extent;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    strides.push_back(llvm::is_contained(axes, static_cast<int64_t>(axis))
                          ? 0
                          : kept[next++]);
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(count));
  walkStrided(shape, strides,
              [&](int64_t from, int64_t row) { rows[row].push_back(from); });
  return rows;
}

} // namespace ampc::reference

#endif // AMPC_IR_REFERENCE_INDEXING_H
