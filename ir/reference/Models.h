// The op families' models, one function a file; Reference.cpp calls them all.
#ifndef AMPC_IR_REFERENCE_MODELS_H
#define AMPC_IR_REFERENCE_MODELS_H

#include "ir/dialect/Dialect.h"
#include "ir/reference/Tensor.h"

namespace ampc::reference {

using Operands = llvm::ArrayRef<const Tensor *>;
using Results = llvm::SmallVectorImpl<Tensor>;

void attachActivationModels(mlir::MLIRContext &context);
void attachAttentionModels(mlir::MLIRContext &context);
void attachCastModels(mlir::MLIRContext &context);
void attachClassificationModels(mlir::MLIRContext &context);
void attachContractionModels(mlir::MLIRContext &context);
void attachElementwiseModels(mlir::MLIRContext &context);
void attachForeachModels(mlir::MLIRContext &context);
void attachGraphModels(mlir::MLIRContext &context);
void attachGroupModels(mlir::MLIRContext &context);
void attachIndexingModels(mlir::MLIRContext &context);
void attachLogicModels(mlir::MLIRContext &context);
void attachLossModels(mlir::MLIRContext &context);
void attachMovementModels(mlir::MLIRContext &context);
void attachNormalizationModels(mlir::MLIRContext &context);
void attachOptimizerModels(mlir::MLIRContext &context);
void attachRandomModels(mlir::MLIRContext &context);
void attachReductionCompositeModels(mlir::MLIRContext &context);
void attachReductionModels(mlir::MLIRContext &context);
void attachShapeModels(mlir::MLIRContext &context);
void attachTranscendentalModels(mlir::MLIRContext &context);

/// Base of the model of OpT: `struct AddModel : Model<AddModel, amp::AddOp>`.
template <typename ConcreteModel, typename OpT>
using Model = amp::ReferenceEvaluable::ExternalModel<ConcreteModel, OpT>;

/// The type of result `i` of `op`.
inline mlir::RankedTensorType resultType(mlir::Operation *op, unsigned i = 0) {
  return mlir::cast<mlir::RankedTensorType>(op->getResult(i).getType());
}

} // namespace ampc::reference

#endif // AMPC_IR_REFERENCE_MODELS_H
