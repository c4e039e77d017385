// The value of amp.foreach: its body's, slice by slice.
#include "ir/reference/Interpreter.h"
#include "ir/reference/Models.h"

using namespace mlir;

namespace ampc::reference {

namespace {

/// Slice `number` of `whole`, of type `type`.
SharedTensor sliceOf(const Tensor &whole, RankedTensorType type,
                     int64_t number) {
  Tensor slice(type);
  for (int64_t i = 0, from = number * slice.size(); i < slice.size(); ++i)
    slice.take(i, whole, from + i);
  return std::make_shared<const Tensor>(std::move(slice));
}

struct ForeachModel : Model<ForeachModel, amp::ForeachOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::ForeachOp>(operation);
    Block &body = op.getBody().front();
    for (unsigned i = 0; i < op.getNumResults(); ++i)
      out.emplace_back(resultType(op, i));
    for (int64_t number = 0, end = op.getCount(); number < end; ++number) {
      SmallVector<SharedTensor> arguments;
      for (BlockArgument argument : body.getArguments()) {
        unsigned i = argument.getArgNumber();
        arguments.push_back(
            sliceOf(*in[i], cast<RankedTensorType>(argument.getType()),
                    number / op.getDivisors()[i] % op.slicesOf(i)));
      }
      FailureOr<SmallVector<SharedTensor>> values =
          evaluateBlock(body, arguments, /*variables=*/nullptr);
      if (failed(values))
        return failure();
      for (auto [whole, slice] : llvm::zip_equal(out, *values))
        for (int64_t i = 0, to = number * slice->size(); i < slice->size(); ++i)
          whole.take(to + i, *slice, i);
    }
    return success();
  }
};

} // namespace

void attachForeachModels(MLIRContext &context) {
  amp::ForeachOp::attachInterface<ForeachModel>(context);
}

} // namespace ampc::reference
