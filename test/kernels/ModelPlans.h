// Whole models at sizes of a test, compiled for the CPU and for CUDA from the
// same placed module: the launches of both plans correspond one to one.
#ifndef AMPC_TEST_KERNELS_MODELPLANS_H
#define AMPC_TEST_KERNELS_MODELPLANS_H

#include "runtime/plan/PlanFile.h"

#include <string>
#include <utility>
#include <vector>

namespace ampc::test {

struct KernelModel {
  const char *name; ///< of the tests
  const char *path; ///< in the source tree
  std::vector<std::pair<std::string, std::string>> sets = {};
};

/// The examples and test/models.
std::vector<KernelModel> kernelModels();

/// Both plans of a model.
struct ModelPlans {
  rt::PlanFile cpu, cuda;
};
/// A failure ends the test program.
ModelPlans compileModel(const KernelModel &model, const std::string &precision);

/// The plan for CUDA alone, of a model as it is.
rt::PlanFile compileForCuda(const KernelModel &model,
                            const std::string &precision);

/// The source of kernel `number` of a plan for CUDA, the prelude included.
std::string sourceOf(const rt::PlanFile &plan, unsigned number);

} // namespace ampc::test

#endif // AMPC_TEST_KERNELS_MODELPLANS_H
