// The value of constants, views and broadcasts: no arithmetic.
#include "ir/reference/Indexing.h"
#include "ir/reference/Models.h"

using namespace mlir;

namespace ampc::reference {

namespace {

struct ConstantModel : Model<ConstantModel, amp::ConstantOp> {
  LogicalResult evaluate(Operation *op, Operands, Results &out) const {
    FailureOr<Tensor> value =
        Tensor::ofElements(cast<amp::ConstantOp>(op).getValue());
    if (failed(value))
      return op->emitOpError() << "has a value that lists no elements";
    out.push_back(std::move(*value));
    return success();
  }
};

struct ReshapeModel : Model<ReshapeModel, amp::ReshapeOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    out.push_back(in[0]->reshaped(resultType(op)));
    return success();
  }
};

struct BroadcastModel : Model<BroadcastModel, amp::BroadcastOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    const Tensor &input = *in[0];
    Tensor result(resultType(op));
    // Input strides seen from the result's axes: 0 along new and repeated axes.
    SmallVector<int64_t> own = rowMajorStrides(input.shape());
    SmallVector<int64_t> strides(result.shape().size(), 0);
    for (auto [i, axis] : llvm::enumerate(cast<amp::BroadcastOp>(op).getAxes()))
      strides[axis] = input.shape()[i] == 1 ? 0 : own[i];
    walkStrided(result.shape(), strides, [&](int64_t to, int64_t from) {
      result.take(to, input, from);
    });
    out.push_back(std::move(result));
    return success();
  }
};

struct IotaModel : Model<IotaModel, amp::IotaOp> {
  LogicalResult evaluate(Operation *op, Operands, Results &out) const {
    Tensor result(resultType(op));
    for (int64_t i = 0; i < result.size(); ++i)
      if (result.isFloat())
        result.floats()[i] = roundInteger(i, result.elementType());
      else
        result.integers()[i] = i;
    out.push_back(std::move(result));
    return success();
  }
};

} // namespace

void attachShapeModels(MLIRContext &context) {
  amp::ConstantOp::attachInterface<ConstantModel>(context);
  amp::ReshapeOp::attachInterface<ReshapeModel>(context);
  amp::BroadcastOp::attachInterface<BroadcastModel>(context);
  amp::IotaOp::attachInterface<IotaModel>(context);
}

} // namespace ampc::reference
