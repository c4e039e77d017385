// What a session costs the process that opens it, by the system's own count:
// `ampc-resident-memory PLAN THREADS WINDOWS` trains a plan on zeros with the
// runtime alone and prints by how many resident bytes the process grew from
// before `Session::open` to its peak, and the bytes that the session says it
// obtained.
#include "runtime/api/Runtime.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace ampc;

namespace {

/// The bytes of line `name` of the process's status.
uint64_t statusBytes(const std::string &name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":"))
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * 1024;
  std::fprintf(stderr, "the system tells no %s\n", name.c_str());
  std::exit(1);
}

/// The value of `expected`; an error ends the program with its text.
template <class T>
T must(rt::Expected<T> expected) {
  if (!expected) {
    std::fprintf(stderr, "%s\n", expected.error().text().c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>)
    return std::move(*expected);
}

} // namespace

int main(int count, char **arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: ampc-resident-memory PLAN THREADS WINDOWS\n");
    return 2;
  }
  rt::Plan plan = must(rt::Plan::load(arguments[1]));
  rt::SessionOptions options;
  options.threads = std::atoi(arguments[2]);
  int windows = std::atoi(arguments[3]);

  std::vector<rt::Port> inputs = plan.inputs(rt::EntryKind::TrainStep);
  std::vector<rt::Tensor> zeros;
  for (const rt::Port &port : inputs)
    zeros.push_back(must(rt::Tensor::zeros(port.dtype, port.shape)));
  rt::Batch batch;
  for (size_t i = 0; i < inputs.size(); ++i)
    batch.set(inputs[i].name, zeros[i]);
  // The peak since now, not of the start of the program.
  std::ofstream("/proc/self/clear_refs") << "5";
  uint64_t before = statusBytes("VmRSS");
  rt::Session session = must(rt::Session::open(plan, options));
  for (int window = 0; window < windows; ++window) {
    must(session.step(batch));
    must(session.sync());
  }
  std::printf("%lld %lld\n",
              static_cast<long long>(statusBytes("VmHWM") - before),
              static_cast<long long>(session.memory().peak_bytes));
}
