// The commands of `ampc`. Each adds itself to the application; what it does is
// called once the command line is parsed.
#pragma once

#include "runtime/api/Runtime.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

namespace ampc {

/// A parsed command: gives the exit code, or the error to report.
using Action = std::function<rt::Expected<rt::Code>()>;

/// `ampc train MODEL`: compile and train.
Action addTrain(CLI::App &app);
/// `ampc eval MODEL`: losses and metrics on a data set.
Action addEval(CLI::App &app);
/// `ampc run MODEL`: one forward pass, or one forward and backward, on given
/// tensors.
Action addRun(CLI::App &app);
/// `ampc compile MODEL -o FILE`: stop early.
Action addCompile(CLI::App &app);
/// `ampc plan MODEL`: memory before running: will it fit, and if not, what to
/// change.
Action addPlan(CLI::App &app);
/// `ampc explain MODEL`: why every op has its precision, what was fused and
/// what was not.
Action addExplain(CLI::App &app);
/// `ampc bench MODEL`: the same model in several precisions side by side.
Action addBench(CLI::App &app);
/// `ampc cache`: compiled plans and kernels that are kept.
Action addCache(CLI::App &app);
/// `ampc version`: versions, targets, CPU features, devices.
Action addVersion(CLI::App &app);

} // namespace ampc
