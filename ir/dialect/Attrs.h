// Enumerations and attributes of the amp dialect.
#ifndef AMPC_IR_DIALECT_ATTRS_H
#define AMPC_IR_DIALECT_ATTRS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"

#include "ir/dialect/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/dialect/Attrs.h.inc"

namespace ampc::amp {

/// Names of the discardable attributes that Dialect.td lists.
inline constexpr llvm::StringLiteral kStageAttr = "amp.stage";
inline constexpr llvm::StringLiteral kModelAttr = "amp.model";
inline constexpr llvm::StringLiteral kTrainAttr = "amp.train";
inline constexpr llvm::StringLiteral kDataAttr = "amp.data";
inline constexpr llvm::StringLiteral kTargetAttr = "amp.target";
inline constexpr llvm::StringLiteral kEntryAttr = "amp.entry";
inline constexpr llvm::StringLiteral kNameAttr = "amp.name";
inline constexpr llvm::StringLiteral kIoAttr = "amp.io";
inline constexpr llvm::StringLiteral kWrtAttr = "amp.wrt";
inline constexpr llvm::StringLiteral kDataShuffleAttr = "amp.data_shuffle";
inline constexpr llvm::StringLiteral kDataValidationAttr =
    "amp.data_validation";
inline constexpr llvm::StringLiteral kPrecisionAttr = "amp.precision";
inline constexpr llvm::StringLiteral kCheckpointAttr = "amp.checkpoint";
inline constexpr llvm::StringLiteral kRecomputeAttr = "amp.recompute_ns";
inline constexpr llvm::StringLiteral kModelHashAttr = "amp.model_hash";
inline constexpr llvm::StringLiteral kEvalOnlyAttr = "amp.eval_only";
inline constexpr llvm::StringLiteral kIndexRangeAttr = "amp.index_range";
inline constexpr llvm::StringLiteral kProbeAttr = "amp.probe";
inline constexpr llvm::StringLiteral kArenaBytesAttr = "amp.arena_bytes";
inline constexpr llvm::StringLiteral kScratchBytesAttr = "amp.scratch_bytes";
inline constexpr llvm::StringLiteral kPlaceAttr = "amp.place";
inline constexpr llvm::StringLiteral kChunksAttr = "amp.chunks";
inline constexpr llvm::StringLiteral kReasonAttr = "amp.reason";

/// Names of the variables that hold a session's state.
inline constexpr llvm::StringLiteral kIterationVariable =
    "ampc.state/iteration";
inline constexpr llvm::StringLiteral kUpdateVariable = "ampc.state/update";
inline constexpr llvm::StringLiteral kMicroVariable = "ampc.state/micro";
inline constexpr llvm::StringLiteral kSeedVariable = "ampc.state/seed";
inline constexpr llvm::StringLiteral kEvalIndexVariable =
    "ampc.state/eval_index";
inline constexpr llvm::StringLiteral kLearningRateVariable = "ampc.state/lr";
inline constexpr llvm::StringLiteral kScaleVariable = "ampc.state/scale";
inline constexpr llvm::StringLiteral kGoodStepsVariable =
    "ampc.state/good_steps";
inline constexpr llvm::StringLiteral kOverflowsVariable =
    "ampc.state/overflows";

/// Names of the variables that hold a window's sums: what micro-batches add up
/// to, by kind and number, and the number of micro-batches.
inline constexpr llvm::StringLiteral kWindowPrefix = "ampc.window/";
inline constexpr llvm::StringLiteral kMicrosVariable = "ampc.window/micros";
/// The sum of a window's gradients of parameter NAME is variable PREFIX NAME.
inline constexpr llvm::StringLiteral kGradientPrefix = "ampc.grad/";

} // namespace ampc::amp

#endif // AMPC_IR_DIALECT_ATTRS_H
