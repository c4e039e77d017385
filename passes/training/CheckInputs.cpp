// Traces what ops look up back to the inputs of their entry, so that a batch is
// checked before a step begins (N11, N32).
#include "passes/training/Passes.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_CHECKINPUTS
#include "passes/training/Passes.h.inc"

namespace {

/// Where the elements of a value stand in an input: element i is the input's
/// element `offset + sum(i * strides)`.
struct InputView {
  int64_t offset = 0;
  SmallVector<int64_t> extents, strides;
};

/// The view of a whole tensor.
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

/// Joins neighbouring axes that walk the input as one would, and drops those
/// that repeat or have one element: the elements stay the same.
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
FailureOr<InputView> reshaped(const InputView &view, ArrayRef<int64_t> shape) {
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

/// The argument that `value` shows elements of, unchanged, and which; null for
/// anything computed. Casts to wider integers change no value.
BlockArgument inputOf(Value value, InputView &view) {
  SmallVector<Operation *> chain; // from the value back to the input
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
      return {};
    chain.push_back(op);
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  view = wholeOf(tensorType(argument));
  // Where a reshape cannot be followed axis by axis, `view` is only which
  // elements are shown: enough for everything but another slice.
  bool ordered = true;
  for (Operation *op : llvm::reverse(chain)) {
    ArrayRef<int64_t> shape = tensorType(op->getResult(0)).getShape();
    if (!ordered) {
      if (isa<SliceOp>(op))
        return {};
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
  return argument;
}

/// `cross_entropy` of `amp.cross_entropy`.
StringRef shortName(Operation *op) {
  return op->getName().getStringRef().split('.').second;
}

class CheckInputsPass : public impl::CheckInputsBase<CheckInputsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      checkEntry(func);
  }

  void checkEntry(func::FuncOp func) {
    SmallVector<SmallVector<Attribute>> ranges(func.getNumArguments());
    func.walk([&](IndexBounds op) {
      for (const IndexBound &bound : op.indexBounds()) {
        InputView view;
        BlockArgument argument = inputOf(op->getOperand(bound.operand), view);
        if (!argument || argument.getOwner() != &func.front())
          continue;
        if (Attribute range = rangeOf(op, bound, view))
          ranges[argument.getArgNumber()].push_back(range);
      }
    });
    for (auto [i, list] : llvm::enumerate(ranges))
      if (!list.empty())
        func.setArgAttr(i, kIndexRangeAttr,
                        ArrayAttr::get(&getContext(), list));
  }

  /// What `op` asks of the elements that `view` shows; null when there are
  /// none.
  Attribute rangeOf(Operation *op, const IndexBound &bound,
                    const InputView &whole) {
    if (llvm::is_contained(whole.extents, 0))
      return {};
    InputView view = joined(whole);
    Builder builder(&getContext());
    IntegerAttr ignore =
        bound.ignore ? builder.getI64IntegerAttr(*bound.ignore) : IntegerAttr();
    FileLineColLoc place = op->getLoc()->findInstanceOf<FileLineColLoc>();
    // A mean of terms is a loss or a metric: what it looks up are labels.
    StringRef noun = isa<MeanReduction>(op) ? "label" : "index";
    return IndexRangeAttr::get(
        &getContext(), bound.low, bound.high, ignore, view.offset,
        builder.getDenseI64ArrayAttr(view.extents),
        builder.getDenseI64ArrayAttr(view.strides), noun, shortName(op),
        place ? LocationAttr(place) : LocationAttr(op->getLoc()));
  }
};

} // namespace
} // namespace ampc
