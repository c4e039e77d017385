// The value of ops that move elements: bits unchanged.
#include "ir/reference/Indexing.h"
#include "ir/reference/Models.h"

using namespace mlir;

namespace ampc::reference {

namespace {

struct TransposeModel : Model<TransposeModel, amp::TransposeOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    Tensor result(resultType(op));
    SmallVector<int64_t> own = rowMajorStrides(in[0]->shape()), strides;
    for (int64_t axis : cast<amp::TransposeOp>(op).getPerm())
      strides.push_back(own[axis]);
    walkStrided(result.shape(), strides, [&](int64_t to, int64_t from) {
      result.take(to, *in[0], from);
    });
    out.push_back(std::move(result));
    return success();
  }
};

/// Row-major strides of `shape`, each times `steps[axis]`, and the offset of
/// element `starts`.
std::pair<SmallVector<int64_t>, int64_t> boxOf(ArrayRef<int64_t> shape,
                                               ArrayRef<int64_t> starts,
                                               ArrayRef<int64_t> steps) {
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  int64_t offset = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    offset += starts[axis] * strides[axis];
    strides[axis] *= steps[axis];
  }
  return {strides, offset};
}

struct SliceModel : Model<SliceModel, amp::SliceOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::SliceOp>(operation);
    Tensor result(resultType(op));
    auto [strides, offset] =
        boxOf(in[0]->shape(), op.getStarts(), op.getSteps());
    walkStrided(result.shape(), strides,
                [&, offset = offset](int64_t to, int64_t from) {
                  result.take(to, *in[0], offset + from);
                });
    out.push_back(std::move(result));
    return success();
  }
};

struct ConcatModel : Model<ConcatModel, amp::ConcatOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    uint64_t axis = cast<amp::ConcatOp>(op).getAxis();
    Tensor result(resultType(op));
    SmallVector<int64_t> strides = rowMajorStrides(result.shape());
    int64_t offset = 0;
    for (const Tensor *input : in) {
      walkStrided(input->shape(), strides, [&](int64_t from, int64_t to) {
        result.take(offset + to, *input, from);
      });
      offset += input->shape()[axis] * strides[axis];
    }
    out.push_back(std::move(result));
    return success();
  }
};

struct PadModel : Model<PadModel, amp::PadOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::PadOp>(operation);
    Tensor result(resultType(op));
    double value = op.getValue().convertToDouble();
    if (result.isFloat())
      llvm::fill(result.floats(), roundTo(value, result.elementType()));
    else
      llvm::fill(result.integers(), static_cast<int64_t>(value));
    SmallVector<int64_t> steps;
    for (int64_t between : op.getInterior())
      steps.push_back(between + 1);
    auto [strides, offset] = boxOf(result.shape(), op.getLow(), steps);
    walkStrided(in[0]->shape(), strides,
                [&, offset = offset](int64_t from, int64_t to) {
                  result.take(offset + to, *in[0], from);
                });
    out.push_back(std::move(result));
    return success();
  }
};

} // namespace

void attachMovementModels(MLIRContext &context) {
  amp::TransposeOp::attachInterface<TransposeModel>(context);
  amp::SliceOp::attachInterface<SliceModel>(context);
  amp::ConcatOp::attachInterface<ConcatModel>(context);
  amp::PadOp::attachInterface<PadModel>(context);
}

} // namespace ampc::reference
