// Follows views and casts back to what they show; see InputView.h.
#include "passes/training/InputView.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

InputView wholeOf(RankedTensorType type) {
  InputView view;
  view.extents.assign(type.getShape().begin(), type.getShape().end());
  view.strides.resize(type.getRank());
  int64_t stride = 1;
  for (int64_t axis = type.getRank(); axis-- > 0;) {
    view.strides[axis] = stride;
    stride *= type.getDimSize(axis);
  }
  return view;
}

InputView joined(const InputView &view) {
  InputView out;
  out.offset = view.offset;
  for (auto [extent, stride] : llvm::zip(view.extents, view.strides)) {
    if (extent == 1 || stride == 0)
      continue;
    if (!out.extents.empty() && out.strides.back() == extent * stride) {
      out.extents.back() *= extent;
      out.strides.back() = stride;
      continue;
    }
    out.extents.push_back(extent);
    out.strides.push_back(stride);
  }
  return out;
}

/// `view` with the extents `shape`, for a view that one stride walks.
static FailureOr<InputView> reshaped(const InputView &view,
                                     ArrayRef<int64_t> shape) {
  bool repeats =
      llvm::any_of(llvm::zip(view.extents, view.strides), [](auto p) {
        return std::get<0>(p) > 1 && std::get<1>(p) == 0;
      });
  InputView flat = joined(view);
  if (repeats || flat.extents.size() > 1)
    return failure();
  InputView out;
  out.offset = flat.offset;
  out.extents.assign(shape.begin(), shape.end());
  out.strides.resize(shape.size());
  int64_t stride = flat.strides.empty() ? 1 : flat.strides[0];
  for (size_t axis = shape.size(); axis-- > 0;) {
    out.strides[axis] = stride;
    stride *= shape[axis];
  }
  return out;
}

Value shownBy(Value value, SmallVectorImpl<Operation *> &chain) {
  while (Operation *op = value.getDefiningOp()) {
    auto cast = dyn_cast<CastOp>(op);
    Type from, to;
    if (cast) {
      from = tensorType(cast.getInput()).getElementType();
      to = tensorType(cast.getResult()).getElementType();
    }
    bool widens = cast && from.isInteger() && to.isInteger() &&
                  !from.isInteger(1) &&
                  from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth();
    if (!widens &&
        !isa<ReshapeOp, SliceOp, TransposeOp, BroadcastOp, DetachOp>(op))
      break;
    chain.push_back(op);
    value = op->getOperand(0);
  }
  return value;
}

FailureOr<InputView> viewThrough(ArrayRef<Operation *> chain,
                                 RankedTensorType start) {
  InputView view = wholeOf(start);
  // Where a reshape cannot be followed axis by axis, `view` is only which
  // elements are shown: enough for everything but another slice.
  bool ordered = true;
  for (Operation *op : llvm::reverse(chain)) {
    ArrayRef<int64_t> shape = tensorType(op->getResult(0)).getShape();
    if (!ordered) {
      if (isa<SliceOp>(op))
        return failure();
    } else if (isa<ReshapeOp>(op)) {
      FailureOr<InputView> next = reshaped(view, shape);
      ordered = succeeded(next);
      if (ordered)
        view = std::move(*next);
    } else if (auto slice = dyn_cast<SliceOp>(op)) {
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        view.offset += slice.getStarts()[axis] * view.strides[axis];
        view.strides[axis] *= slice.getSteps()[axis];
      }
      view.extents.assign(shape.begin(), shape.end());
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      InputView next = view;
      for (auto [axis, from] : llvm::enumerate(transpose.getPerm())) {
        next.extents[axis] = view.extents[from];
        next.strides[axis] = view.strides[from];
      }
      view = std::move(next);
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      InputView next;
      next.offset = view.offset;
      next.extents.assign(shape.begin(), shape.end());
      next.strides.assign(shape.size(), 0);
      for (auto [from, axis] : llvm::enumerate(broadcast.getAxes()))
        if (view.extents[from] != 1)
          next.strides[axis] = view.strides[from];
      view = std::move(next);
    }
  }
  return view;
}

} // namespace ampc
