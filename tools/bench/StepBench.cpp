// Runs steps of a compiled plan when told so: ampc's side of the comparison
// with other frameworks (peers/), whose sides are programs that read the same
// commands. A command is a line of standard input, its answer one of JSON:
//   step N      N steps: milliseconds of each, and their losses
//   save FILE   a checkpoint; before the first step, the initial weights
//   memory      bytes the plan foresees and bytes obtained
// Batch i is rows [i * batch, (i + 1) * batch) of every data file, from the
// start again after the last.
#include "runtime/api/Session.h"
#include "runtime/data/Npy.h"
#include "runtime/train/Metrics.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <sstream>

using namespace ampc::rt;

namespace {

/// The batches of one input: its file's array in memory, cut by rows.
struct Rows {
  std::string name;
  Tensor all;
  std::vector<int64_t> shape; ///< of a batch
  uint64_t batches = 0;

  TensorView batch(uint64_t index) const {
    size_t bytes = all.bytes().size() / batches;
    return {all.dtype(), shape,
            all.bytes().subspan(index % batches * bytes, bytes)};
  }
};

Expected<Rows> readRows(const std::string &given,
                        const std::vector<Port> &ports) {
  size_t equals = given.find('=');
  std::string name = given.substr(0, equals);
  auto port = std::find_if(ports.begin(), ports.end(),
                           [&](const Port &port) { return port.name == name; });
  if (equals == std::string::npos || port == ports.end())
    return fail(Code::Usage, "--data " + given,
                "expected NAME=FILE.npy, NAME an input of the step");
  AMPC_ASSIGN(NpyFile file, NpyFile::open(given.substr(equals + 1)));
  AMPC_ASSIGN(Tensor all, Tensor::copy_of(file.view()));
  std::span<const int64_t> found = all.shape();
  bool fits =
      all.dtype() == port->dtype && !found.empty() &&
      found.size() == port->shape.size() && found[0] > 0 &&
      found[0] % port->shape[0] == 0 &&
      std::equal(found.begin() + 1, found.end(), port->shape.begin() + 1);
  if (!fits)
    return fail(Code::BadInput, given,
                fmt::format("expected whole batches of [{}] in the type of "
                            "the input, found [{}]",
                            fmt::join(port->shape, ", "),
                            fmt::join(found, ", ")));
  uint64_t batches = static_cast<uint64_t>(found[0] / port->shape[0]);
  return Rows{name, std::move(all), port->shape, batches};
}

class Bench {
public:
  Bench(Session session, std::vector<Rows> rows)
      : session(std::move(session)), rows(std::move(rows)) {}

  /// The answer to one command.
  Expected<std::string> answer(const std::string &line) {
    std::istringstream words(line);
    std::string verb, operand;
    words >> verb >> operand;
    if (verb == "step")
      return step(std::strtoull(operand.c_str(), nullptr, 10));
    if (verb == "save") {
      AMPC_TRY(session.save(operand, true));
      return std::string("{}");
    }
    if (verb == "memory") {
      MemoryReport memory = session.memory();
      return fmt::format("{{\"planned_bytes\":{},\"obtained_bytes\":{}}}",
                         memory.planned_peak_bytes, memory.peak_bytes);
    }
    return fail(Code::Usage, line,
                "expected 'step N', 'save FILE' or 'memory'");
  }

private:
  Expected<std::string> step(uint64_t count) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times;
    std::vector<std::string> losses;
    for (uint64_t i = 0; i < count; ++i) {
      Clock::time_point start = Clock::now();
      Batch batch;
      for (const Rows &input : rows)
        batch.set(input.name, input.batch(next));
      AMPC_TRY(session.step(batch));
      AMPC_TRY(session.sync());
      AMPC_ASSIGN(std::optional<StepResult> result, session.poll());
      times.push_back(
          std::chrono::duration<double, std::milli>(Clock::now() - start)
              .count());
      losses.push_back(json_number(result->loss));
      ++next;
    }
    return fmt::format("{{\"ms\":[{}],\"losses\":[{}]}}", fmt::join(times, ","),
                       fmt::join(losses, ","));
  }

  Session session;
  std::vector<Rows> rows;
  uint64_t next = 0; ///< batch
};

Expected<void> serve(const std::string &path, const std::string &weights,
                     const std::vector<std::string> &data, int threads) {
  auto start = std::chrono::steady_clock::now();
  AMPC_ASSIGN(Plan plan, Plan::load(path));
  SessionOptions options;
  options.threads = threads;
  AMPC_ASSIGN(Session session, Session::open(plan, options));
  std::chrono::duration<double> opened =
      std::chrono::steady_clock::now() - start;
  if (!weights.empty())
    AMPC_TRY(session.load_weights(weights, false));
  std::vector<Rows> rows;
  for (const std::string &given : data) {
    AMPC_ASSIGN(Rows read, readRows(given, plan.inputs(EntryKind::TrainStep)));
    rows.push_back(std::move(read));
  }
  Bench bench(std::move(session), std::move(rows));
  fmt::print("{{\"open_s\":{}}}\n", opened.count());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    AMPC_ASSIGN(std::string answer, bench.answer(line));
    fmt::print("{}\n", answer);
    std::fflush(stdout);
  }
  return {};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Runs steps of a plan by commands on standard input.");
  app.footer("Example: echo step 3 | ampc-bench-steps mlp.ampx "
             "--data x=x.npy --data y=y.npy");
  std::string plan, weights;
  std::vector<std::string> data;
  int threads = 0;
  app.add_option("plan", plan, "A plan (.ampx)")->required();
  app.add_option("--weights", weights, "Weights to begin with (.safetensors)");
  app.add_option("--data", data, "NAME=FILE.npy of whole batches")
      ->allow_extra_args(false);
  app.add_option("--threads", threads, "Threads (default: one a processor)")
      ->check(CLI::Range(0, 4096));
  CLI11_PARSE(app, argc, argv);
  Expected<void> done = serve(plan, weights, data, threads);
  if (done)
    return 0;
  fmt::print(stderr, "{}: error: {}\n", done.error().where,
             done.error().message);
  return static_cast<int>(done.error().code);
}
