// Registration of the models, and the evaluation of one op with its checks.
#include "ir/reference/Reference.h"

#include "ir/reference/Models.h"

using namespace mlir;

namespace ampc::reference {

/// Elements of one tensor that the evaluator agrees to hold (8 GiB of values).
static constexpr int64_t kMaxElements = int64_t(1) << 30;

void registerReferenceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, amp::AmpDialect *) {
    attachActivationModels(*context);
    attachAttentionModels(*context);
    attachCastModels(*context);
    attachClassificationModels(*context);
    attachContractionModels(*context);
    attachElementwiseModels(*context);
    attachForeachModels(*context);
    attachGraphModels(*context);
    attachGroupModels(*context);
    attachIndexingModels(*context);
    attachLogicModels(*context);
    attachLossModels(*context);
    attachMovementModels(*context);
    attachNormalizationModels(*context);
    attachOptimizerModels(*context);
    attachRandomModels(*context);
    attachReductionCompositeModels(*context);
    attachReductionModels(*context);
    attachShapeModels(*context);
    attachTranscendentalModels(*context);
  });
}

LogicalResult verifyHoldable(Operation *op, RankedTensorType type) {
  double count = 1; // no extents make it overflow
  for (int64_t extent : type.getShape())
    count *= static_cast<double>(extent);
  if (count <= static_cast<double>(kMaxElements))
    return success();
  return op->emitOpError() << "has a tensor of type " << type
                           << ", more than the reference evaluator holds ("
                           << kMaxElements << " elements)";
}

FailureOr<SmallVector<Tensor>> evaluateOp(Operation *op,
                                          ArrayRef<const Tensor *> operands) {
  auto evaluable = dyn_cast<amp::ReferenceEvaluable>(op);
  if (!evaluable)
    return op->emitOpError() << "has no reference evaluation";
  for (Type type : op->getResultTypes())
    if (failed(verifyHoldable(op, cast<RankedTensorType>(type))))
      return failure();
  SmallVector<Tensor> results;
  if (failed(evaluable.evaluate(operands, results)))
    return failure();
  if (results.size() != op->getNumResults())
    return op->emitOpError()
           << "has " << op->getNumResults()
           << " results, but its reference gave " << results.size();
  for (auto [i, result] : llvm::enumerate(results))
    if (result.type() != op->getResult(i).getType())
      return op->emitOpError()
             << "result " << i << " is " << op->getResult(i).getType()
             << ", but its reference gave " << result.type();
  return results;
}

} // namespace ampc::reference
