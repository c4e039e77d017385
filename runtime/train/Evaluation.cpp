// Evaluation over a data set.
#include "runtime/train/Evaluation.h"

#include <algorithm>
#include <fmt/format.h>

namespace ampc::rt {

Stepper::~Stepper() = default;

Expected<EvalResult>
evaluate(DataSource &data, uint64_t batches, std::span<const Port> ports,
         const std::function<Expected<void>(const Batch &, uint64_t,
                                            std::span<double>)> &run) {
  EvalResult result;
  std::optional<uint64_t> available = data.batches();
  if (batches == 0) {
    if (!available)
      return fail(
          Code::Usage, data.describe(),
          "the data has no end; say how many batches to evaluate (--steps N)");
    batches = *available;
    result.left_over = data.left_over();
  }
  std::vector<const Port *> scalars;
  for (PortKind kind : {PortKind::Loss, PortKind::Metric})
    for (const Port &port : ports)
      if (port.kind == kind)
        scalars.push_back(&port);
  std::vector<size_t> place; // of each scalar among those `run` writes
  std::vector<const Port *> written;
  for (const Port &port : ports)
    if (port.kind == PortKind::Loss || port.kind == PortKind::Metric)
      written.push_back(&port);
  for (const Port *port : scalars)
    for (size_t i = 0; i < written.size(); ++i)
      if (written[i] == port)
        place.push_back(i);

  std::vector<double> values(written.size()), sums(written.size()),
      counts(written.size());
  for (uint64_t i = 0; i < batches; ++i) {
    AMPC_ASSIGN(const Batch *batch, data.batch(i));
    AMPC_TRY(run(*batch, i, values));
    for (size_t v = 0; v < values.size(); ++v) {
      sums[v] += values[v];
      counts[v] += written[v]->divisor;
    }
    result.samples += data.batch_size();
  }
  bool named =
      std::any_of(scalars.begin(), scalars.end(), [](const Port *port) {
        return port->kind == PortKind::Loss && port->name == "loss";
      });
  for (size_t i = 0; i < scalars.size(); ++i) {
    // Nothing to average is 0 / 0: NaN, as the mean of an empty set is.
    double mean = sums[place[i]] / counts[place[i]];
    result.values.emplace_back(scalars[i]->name, mean);
    if (scalars[i]->kind == PortKind::Loss &&
        (!named || scalars[i]->name == "loss"))
      result.loss += mean;
  }
  return result;
}

} // namespace ampc::rt
