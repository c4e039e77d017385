// Registers every pass and pipeline of the compiler with MLIR's drivers.
#include "passes/Register.h"

#include "passes/differentiate/Passes.h"
#include "passes/fusion/Passes.h"
#include "passes/memory/Passes.h"
#include "passes/pipelines/Pipelines.h"
#include "passes/precision/Passes.h"
#include "passes/training/Passes.h"

void ampc::registerPasses() {
  registerPrecisionPasses();
  registerTrainingPasses();
  registerDifferentiatePasses();
  registerFusionPasses();
  registerMemoryPasses();
  registerPipelines();
}
