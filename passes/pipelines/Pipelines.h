// The whole order of passes, from one named stage to the next.
#ifndef AMPC_PASSES_PIPELINES_PIPELINES_H
#define AMPC_PASSES_PIPELINES_PIPELINES_H

#include "ir/dialect/Dialect.h"
#include "mlir/Pass/PassManager.h"
#include "passes/fusion/Limits.h"

namespace ampc {

/// What the order of passes depends on.
struct PipelineOptions {
  /// The precision policy: auto, f32, tf32, bf16, f16.
  std::string precision = "f32";
  /// Whether f16 gradients may go without a scaled loss.
  bool unsafePrecision = false;
  /// Whether the loss is scaled in precisions that do without, too.
  bool scaleLoss = false;
  /// Entries to build; empty: train_step, eval_step and infer, as far as the
  /// model has them.
  std::vector<std::string> entries;
  /// Entry `gradient` only: the result to differentiate.
  std::string gradientOf;
  /// How the entries infer and gradient behave: infer or train.
  std::string mode = "infer";
  /// The values of the training step shown among its results: all or boundary
  /// (`amp-probe-values`); empty: none.
  std::string probedValues;
  /// How they are shown: range or value.
  std::string probeShows = "range";
  /// Bytes of variables, the largest arena and the buffers of inputs and
  /// outputs that placement aims at; 0: no limit.
  int64_t memoryBudget = 0;
  /// kChunkBytes, or what a test compares it with; 0: no product is chunked.
  int64_t chunkBytes = kChunkBytes;
  /// kLeastHeads, or what a test compares it with.
  int64_t leastHeads = kLeastHeads;
  /// Whether primitives share kernels (opt level 2) or each has its own (opt
  /// level 1).
  bool fuse = true;
};

/// Adds the verifiers of `stage`; model is held by op verifiers alone.
void addStageVerifier(mlir::OpPassManager &passes, amp::Stage stage,
                      const PipelineOptions &options);

/// Adds the passes that lead from the stage before `stage` to `stage`, its
/// verifier last. Every stage but `model` has such a segment.
void addStagePasses(mlir::OpPassManager &passes, amp::Stage stage,
                    const PipelineOptions &options);

/// Adds the passes that lead from stage `from` to stage `to`.
void addPasses(mlir::OpPassManager &passes, amp::Stage from, amp::Stage to,
               const PipelineOptions &options);

/// Registers `ampc-to-typed`, `ampc-to-step`, `ampc-to-fused`,
/// `ampc-to-placed`: from stage model.
void registerPipelines();

} // namespace ampc

#endif // AMPC_PASSES_PIPELINES_PIPELINES_H
