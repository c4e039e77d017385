// The whole order of passes on one screen. Each constraint on the order has its
// reason beside it.
#include "passes/pipelines/Pipelines.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/differentiate/Passes.h"
#include "passes/fusion/Passes.h"
#include "passes/memory/Passes.h"
#include "passes/precision/Passes.h"
#include "passes/training/Passes.h"

using namespace mlir;

namespace ampc {

void addStageVerifier(OpPassManager &passes, amp::Stage stage,
                      const PipelineOptions &options) {
  if (stage == amp::Stage::typed || stage == amp::Stage::step)
    passes.addPass(createVerifyPrecision({options.unsafePrecision}));
  if (stage == amp::Stage::step)
    passes.addPass(createVerifyStep());
  else if (stage == amp::Stage::fused)
    passes.addPass(createVerifyFused());
  else if (stage == amp::Stage::placed)
    passes.addPass(createVerifyPlacement());
}

void addStagePasses(OpPassManager &passes, amp::Stage stage,
                    const PipelineOptions &options) {
  switch (stage) {
  case amp::Stage::model: // the front end's own
    return;

  case amp::Stage::typed:
    // 1. The model's number before anything changes the graph; then types: the
    // backward follows the forward's types (N20).
    passes.addPass(createHashModel());
    passes.addPass(
        createAssignPrecision({options.precision, options.scaleLoss}));
    addStageVerifier(passes, stage, options);
    return;

  case amp::Stage::step: {
    // 2. Entries before differentiation: an entry differentiates only what it
    // returns.
    BuildEntriesOptions entries;
    entries.entries.assign(options.entries.begin(), options.entries.end());
    entries.mode = options.mode;
    passes.addPass(createBuildEntries(entries));
    // 3. Windows before differentiation: a micro-batch differentiates its share
    // of the losses. Gradients before the optimizer, which consumes them.
    passes.addPass(createSplitWindow());
    DifferentiateOptions differentiate;
    if (!options.gradientOf.empty()) {
      differentiate.entry = "gradient";
      differentiate.output = options.gradientOf;
    }
    passes.addPass(createDifferentiate(differentiate));
    // 4. Casts of gradients before the optimizer and the sums of windows, while
    // results still say which values are gradients; copies of weights after it,
    // as they need the new values that it gives.
    passes.addPass(createCleanCasts());
    // Probes where gradients are results still, and see the casts that stay.
    if (!options.probedValues.empty())
      passes.addPass(
          createProbeValues({options.probedValues, options.probeShows}));
    passes.addPass(createAccumulateGradients());
    passes.addPass(createBuildOptimizer());
    passes.addPass(createCopyWeights());
    // 5. Clean-up after the last builder: reads of one variable merge, then
    // the gradients that nothing asked for go, so that the verifier can demand
    // a step without them.
    passes.addPass(createCSEPass());
    passes.addPass(createEraseDeadOps());
    // 6. Checks of indices while ops still say what they look up, and after
    // what nothing uses is gone: it asks for nothing. The writes they guard
    // stand by now.
    passes.addPass(createCheckIndices());
    addStageVerifier(passes, stage, options);
    return;
  }

  case amp::Stage::fused: {
    // 7. Heads while attention is one op.
    passes.addNestedPass<func::FuncOp>(createSplitHeads({options.leastHeads}));
    // 8. Composites until here: precision and differentiation decide on them,
    // kernels know primitives.
    passes.addNestedPass<func::FuncOp>(createDecompose());
    // 9. CSE before grouping: the scalars of equal optimizer updates (bias
    // corrections) merge into one.
    passes.addPass(createCSEPass());
    // 10. Chunks after CSE, which would join what one chunk makes again with
    // another's; before grouping, which then fuses inside of a chunk.
    passes.addNestedPass<func::FuncOp>(createChunkRows({options.chunkBytes}));
    // 11. After chunks, whose parts are products of their own; casts before
    // grouping, which fuses them into what makes the operands, and epilogues,
    // which leave it only what the library does not do. Opt level 1 keeps them
    // apart, as it does all ops.
    passes.addNestedPass<func::FuncOp>(createWidenProducts());
    if (options.fuse)
      passes.addNestedPass<func::FuncOp>(createFormEpilogues());
    FormGroupsOptions groups;
    groups.fuse = options.fuse;
    passes.addPass(createFormGroups(groups));
    addStageVerifier(passes, stage, options);
    return;
  }

  case amp::Stage::placed:
    // 12. The order before placement, which keeps it and plans what is computed
    // again on it; a kernel an op (opt level 1) runs in the order as written.
    if (options.fuse)
      passes.addPass(createOrderSchedule());
    // 13. Placement last: it fixes the schedule, what is computed again
    // included, and every pass after it would have to keep it.
    passes.addPass(createPlaceBuffers({options.memoryBudget}));
    addStageVerifier(passes, stage, options);
    return;
  }
}

void addPasses(OpPassManager &passes, amp::Stage from, amp::Stage to,
               const PipelineOptions &options) {
  for (uint32_t stage = static_cast<uint32_t>(from) + 1;
       stage <= static_cast<uint32_t>(to); ++stage)
    addStagePasses(passes, static_cast<amp::Stage>(stage), options);
}

namespace {

/// The options of the registered pipelines.
struct TextualOptions : PassPipelineOptions<TextualOptions> {
  Option<std::string> precision{
      *this, "precision",
      llvm::cl::desc("the precision policy: auto, f32, tf32, "
                     "bf16 or f16"),
      llvm::cl::init("f32")};
  Option<bool> unsafePrecision{
      *this, "unsafe-precision",
      llvm::cl::desc("allow f16 gradients without a scaled loss"),
      llvm::cl::init(false)};
  ListOption<std::string> entries{
      *this, "entries",
      llvm::cl::desc("entries to build (default: all the model has)")};
  Option<std::string> gradientOf{
      *this, "gradient-of",
      llvm::cl::desc("entry gradient: the result to differentiate")};
  Option<std::string> mode{
      *this, "mode",
      llvm::cl::desc("how infer and gradient behave: infer, train"),
      llvm::cl::init("infer")};
  Option<std::string> probes{
      *this, "probes",
      llvm::cl::desc("values of the training step to show: all or boundary")};
  Option<int64_t> memoryBudget{
      *this, "memory-budget",
      llvm::cl::desc("bytes to stay within by computing values again"),
      llvm::cl::init(0)};
  Option<int64_t> chunkBytes{
      *this, "chunk-bytes",
      llvm::cl::desc("bytes above which the rows of a product whose rows are "
                     "reduced are chunked; 0: never"),
      llvm::cl::init(kChunkBytes)};
  Option<int64_t> leastHeads{
      *this, "least-heads",
      llvm::cl::desc("key heads of all batches from which on attention is "
                     "computed head by head"),
      llvm::cl::init(kLeastHeads)};
  Option<bool> fuse{*this, "fuse",
                    llvm::cl::desc("whether primitives share kernels"),
                    llvm::cl::init(true)};
};

void registerStage(amp::Stage stage, StringRef argument,
                   StringRef description) {
  PassPipelineRegistration<TextualOptions>(
      argument, description,
      [stage](OpPassManager &passes, const TextualOptions &textual) {
        PipelineOptions options;
        options.precision = textual.precision;
        options.unsafePrecision = textual.unsafePrecision;
        options.entries.assign(textual.entries.begin(), textual.entries.end());
        options.gradientOf = textual.gradientOf;
        options.mode = textual.mode;
        options.probedValues = textual.probes;
        options.memoryBudget = textual.memoryBudget;
        options.chunkBytes = textual.chunkBytes;
        options.leastHeads = textual.leastHeads;
        options.fuse = textual.fuse;
        addPasses(passes, amp::Stage::model, stage, options);
      });
}

} // namespace

void registerPipelines() {
  registerStage(amp::Stage::typed, "ampc-to-typed",
                "From stage model to stage typed");
  registerStage(amp::Stage::step, "ampc-to-step",
                "From stage model to stage step");
  registerStage(amp::Stage::fused, "ampc-to-fused",
                "From stage model to stage fused");
  registerStage(amp::Stage::placed, "ampc-to-placed",
                "From stage model to stage placed");
}

} // namespace ampc
