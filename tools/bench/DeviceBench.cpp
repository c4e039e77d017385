// What a CUDA device gives, and what plans make of it: the bandwidth of a copy
// within its memory and the peak of a large matrix product, then for each plan
// the time of a step and how near its kernels come to the bandwidth (each input
// read once, each output written once) and its products to the peak.
#include "runtime/core/Philox.h"
#include "runtime/core/Tensor.h"
#include "runtime/device/cuda/CudaExecutor.h"
#include "tools/bench/Timing.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>

using namespace ampc::rt;
using namespace ampc::rt::cuda;
using ampc::bench::now;
using ampc::bench::Times;

namespace {

struct Settings {
  bool quick = false;
  int steps = 30, repeats = 20;
  unsigned slowest = 5;
};

/// What the device gives.
struct Limits {
  double bytes = 0;              ///< a second, read and written
  std::map<DType, double> flops; ///< a second, by the operands' type
};

/// A number in [0, 1), the same for the same place.
double drawn(uint64_t place) {
  return uniformOf(
      philox({uint32_t(place), uint32_t(place >> 32), 0, 0}, 1)[0]);
}

/// Writes numbers of `type` over `bytes`: for each, what `value` makes of one
/// in [0, 1).
template <class Value>
Expected<void> fillWith(std::span<std::byte> bytes, DType type, Value value) {
  for (uint64_t i = 0; i < bytes.size() / sizeOf(type); ++i) {
    double number = value(drawn(i));
    if (type > DType::F8E5M2) { // integers and truth, the low bytes of one
      auto whole = int64_t(number);
      std::memcpy(bytes.data() + i * sizeOf(type), &whole, sizeOf(type));
      continue;
    }
    AMPC_TRY(convert(DType::F64, reinterpret_cast<std::byte *>(&number), type,
                     bytes.data() + i * sizeOf(type), 1));
  }
  return {};
}

class Calibration {
public:
  Calibration(const Context &context, Stream stream, const Settings &settings)
      : context(context), stream(stream), settings(settings) {}

  Expected<Limits> measure() {
    Limits limits;
    AMPC_ASSIGN(limits.bytes, copied());
    fmt::print("memory: {:.1f} GB/s, a copy\n", limits.bytes * 1e-9);
    AMPC_ASSIGN(Blas blas, Blas::open(context));
    for (DType type : {DType::F32, DType::BF16, DType::F16}) {
      Expected<double> found = multiplied(blas, type);
      if (found) {
        limits.flops[type] = *found;
        fmt::print("products of {}: {:.2f} TFLOP/s\n", name_of(type),
                   *found * 1e-12);
      } else {
        fmt::print("products of {}: none: {}\n", name_of(type),
                   found.error().message);
      }
    }
    return limits;
  }

private:
  Expected<DeviceBlock> block(uint64_t bytes) {
    return DeviceBlock::allocate(context, stream, allocator, MemoryKind::Arena,
                                 bytes);
  }

  /// The shortest time of `work`, enqueued a few times over.
  template <class Work>
  Expected<double> fastest(Work work) {
    Times times;
    for (int i = 0; i < (settings.quick ? 1 : 5); ++i) {
      double start = now(CLOCK_MONOTONIC);
      for (int repeat = 0; repeat < settings.repeats; ++repeat)
        AMPC_TRY(context.check(work(), "a calibration fails"));
      AMPC_TRY(context.check(context.api().synchronize(stream),
                             "a calibration fails"));
      times.push_back((now(CLOCK_MONOTONIC) - start) / settings.repeats);
    }
    return times.best();
  }

  Expected<double> copied() {
    uint64_t bytes = uint64_t(settings.quick ? 1 : 1024) << 20;
    AMPC_ASSIGN(DeviceBlock from, block(bytes));
    AMPC_ASSIGN(DeviceBlock to, block(bytes));
    AMPC_ASSIGN(double seconds, fastest([&] {
                  return context.api().copy(to.address(), from.address(), bytes,
                                            stream);
                }));
    return 2 * double(bytes) / seconds;
  }

  Expected<double> multiplied(const Blas &blas, DType type) {
    int64_t side = settings.quick ? 64 : 8192;
    uint64_t bytes = uint64_t(side * side) * sizeOf(type);
    std::array<DeviceBlock, 3> blocks;
    // Numbers of many bits: zeros take less power, and look faster.
    std::vector<std::byte> some(size_t(side) * sizeOf(type));
    AMPC_TRY(fillWith(some, type, [](double x) { return 2 * x - 1; }));
    for (DeviceBlock &made : blocks) {
      AMPC_ASSIGN(made, block(bytes));
      for (uint64_t at = 0; at < bytes; at += some.size())
        AMPC_TRY(context.check(context.api().copyToDevice(made.address() + at,
                                                          some.data(),
                                                          some.size(), stream),
                               "an operand cannot be copied"));
    }
    ContractionSpec spec{type,  type, type, side, side, side,
                         false, true, 1,    0,    0,    0};
    AMPC_ASSIGN(Contraction product,
                Contraction::create(context, blas, spec,
                                    {blocks[0].address(), blocks[1].address(),
                                     blocks[2].address()},
                                    record));
    AMPC_ASSIGN(DeviceBlock workspace, block(product.workspaceBytes()));
    AMPC_ASSIGN(double seconds, fastest([&] {
                  return product.run(blas, workspace.address(), stream);
                }));
    return 2.0 * double(side) * double(side) * double(side) / seconds;
  }

  const Context &context;
  Stream stream;
  const Settings &settings;
  Allocator allocator;
  TuningRecord record; ///< kept nowhere
};

bool isFloat(DType type) { return type <= DType::F8E5M2; }

/// Values that an input may have: integers within its checks, else 0 and 1.
Expected<void> fillInput(const fb::Port &port, std::byte *to) {
  auto type = DType(port.type()->dtype());
  double low = 0, high = 2;
  if (port.checks() && port.checks()->size()) {
    low = double(port.checks()->Get(0)->low());
    high = double(port.checks()->Get(0)->high());
  }
  return fillWith({to, port.bytes()}, type, [&](double x) {
    return isFloat(type) ? 2 * x - 1 : low + std::floor(x * (high - low));
  });
}

/// Small weights: with zeros the products would look faster than they are.
Expected<void> fillWeights(const fb::Plan &plan, CudaExecutor &executor) {
  for (unsigned i = 0; plan.variables() && i < plan.variables()->size(); ++i) {
    const fb::Variable &variable = *plan.variables()->Get(i);
    auto type = DType(variable.type()->dtype());
    if (variable.role() <= fb::Role::Copy16 && isFloat(type))
      AMPC_TRY(executor.fill(i, [&](std::span<std::byte> bytes) {
        return fillWith(bytes, type, [](double x) { return 0.04 * x - 0.02; });
      }));
  }
  return {};
}

/// Runs of one kind of instruction.
struct Share {
  double seconds = 0, ideal = 0, amount = 0;
};

class PlanBench {
public:
  PlanBench(const Limits &limits, const Settings &settings)
      : limits(limits), settings(settings) {}

  Expected<void> measure(const std::string &path) {
    AMPC_ASSIGN(PlanFile file, PlanFile::load(path));
    Allocator allocator;
    AMPC_ASSIGN(std::unique_ptr<CudaExecutor> executor,
                CudaExecutor::create(file, {}, allocator, {}));
    std::optional<size_t> entry = executor->entry("train_step");
    if (!entry)
      return fail(Code::BadInput, path, "expected a plan with train_step");
    const fb::Entry &source = *file.plan().entries()->Get(unsigned(*entry));
    AMPC_TRY(fillWeights(file.plan(), *executor));
    Times times;
    for (int step = -3; step < settings.steps; ++step) { // three to warm up
      if (step >= 0 && settings.quick && step >= 2)
        break;
      double start = now(CLOCK_MONOTONIC);
      for (unsigned i = 0; source.inputs() && i < source.inputs()->size();
           ++i) {
        AMPC_ASSIGN(std::byte * to, executor->input(*entry, i));
        if (step < 0) // two host buffers take turns: both are filled
          AMPC_TRY(fillInput(*source.inputs()->Get(i), to));
      }
      AMPC_ASSIGN(Executor::Run run, executor->begin(*entry));
      AMPC_TRY(executor->wait(run));
      if (step >= 0)
        times.push_back(now(CLOCK_MONOTONIC) - start);
    }
    AMPC_ASSIGN(std::vector<double> seconds,
                executor->timeInstructions(
                    *entry, settings.quick ? 1 : settings.repeats));
    report(path, file.plan(), source, times, seconds);
    return {};
  }

private:
  void report(const std::string &path, const fb::Plan &plan,
              const fb::Entry &entry, const Times &times,
              const std::vector<double> &seconds) {
    Share kernels, products;
    std::vector<std::pair<double, std::string>> lines;
    for (unsigned i = 0; i < entry.instructions()->size() && i < seconds.size();
         ++i) {
      const fb::Instruction &instruction = *entry.instructions()->Get(i);
      if (auto *launch = instruction.op_as_Launch()) {
        const fb::Kernel &kernel = *plan.kernels()->Get(launch->kernel());
        double bytes = 0;
        for (uint64_t argument : *kernel.arg_bytes())
          bytes += double(argument);
        add(kernels, bytes, limits.bytes, seconds[i]);
        lines.emplace_back(
            seconds[i],
            fmt::format("{}: {:.1f} us, {:.1f} GB/s, {:.0f} % of a copy",
                        kernel.symbol()->string_view(), seconds[i] * 1e6,
                        bytes / seconds[i] * 1e-9,
                        100 * bytes / limits.bytes / seconds[i]));
      } else if (auto *op = instruction.op_as_Contraction()) {
        double flops = 2.0 * double(op->m()) * double(op->n()) *
                       double(op->k()) * double(op->batch());
        auto peak = limits.flops.find(DType(op->dtype_a()));
        if (peak == limits.flops.end())
          continue;
        add(products, flops, peak->second, seconds[i]);
        lines.emplace_back(
            seconds[i],
            fmt::format("product {} x {} x {}, {} of them, {}: {:.1f} us, "
                        "{:.2f} TFLOP/s, {:.0f} % of the peak",
                        op->m(), op->n(), op->k(), op->batch(),
                        name_of(DType(op->dtype_a())), seconds[i] * 1e6,
                        flops / seconds[i] * 1e-12,
                        100 * flops / peak->second / seconds[i]));
      }
    }
    fmt::print("{:<24} {:>9.3f} {:>9.3f} {:>9.1f} {:>6.1f} {:>9.2f} {:>6.1f} "
               "{:>6.1f}\n",
               std::filesystem::path(path).stem().string(), times.best() * 1e3,
               times.median() * 1e3, rate(kernels) * 1e-9, part(kernels),
               rate(products) * 1e-12, part(products),
               100 * (kernels.ideal + products.ideal) / times.best());
    std::ranges::sort(lines, std::greater());
    for (size_t i = 0; i < lines.size() && i < settings.slowest; ++i)
      fmt::print("    {}\n", lines[i].second);
  }

  static void add(Share &share, double amount, double limit, double seconds) {
    share.seconds += seconds;
    share.ideal += amount / limit;
    share.amount += amount;
  }
  static double rate(const Share &share) {
    return share.seconds > 0 ? share.amount / share.seconds : 0;
  }
  static double part(const Share &share) {
    return share.seconds > 0 ? 100 * share.ideal / share.seconds : 0;
  }

  const Limits &limits;
  const Settings &settings;
};

/// Whether every plan was measured.
Expected<bool> bench(const std::vector<std::string> &paths,
                     const Settings &settings) {
  AMPC_ASSIGN(std::unique_ptr<Context> context, Context::open(0));
  const DeviceFacts &device = context->device();
  fmt::print("{}, sm_{}, {} multiprocessors, driver for CUDA {}.{}\n",
             device.text(), device.arch, device.multiprocessors,
             context->driver().version.major, context->driver().version.minor);
  Stream handle = nullptr;
  AMPC_TRY(context->check(
      context->api().createStream(&handle, kStreamNonBlocking), "no stream"));
  Owned<Stream> stream(handle, context->api().destroyStream);
  AMPC_ASSIGN(Limits limits,
              Calibration(*context, stream.get(), settings).measure());
  fmt::print("{:<24} {:>9} {:>9} {:>9} {:>6} {:>9} {:>6} {:>6}\n", "plan",
             "best ms", "median", "GB/s", "%", "TFLOP/s", "%", "step %");
  bool good = true;
  for (const std::string &path : paths) {
    Expected<void> done = PlanBench(limits, settings).measure(path);
    if (!done)
      fmt::print("{}: error: {}\n", path, done.error().message);
    good = good && done;
  }
  return good;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app(
      "Measures a CUDA device and steps of plans on it.\n"
      "GB/s: bytes of kernels' arguments; TFLOP/s: of matrix products; "
      "%: of what was measured; step %: the time that both would take "
      "at those limits, of the step's.");
  app.footer("Example: ampc-bench-device mlp.ampx");
  std::vector<std::string> plans;
  Settings settings;
  app.add_option("plans", plans, "Plans for CUDA (.ampx)");
  app.add_flag("--quick", settings.quick,
               "Small sizes, two steps: shows that it works");
  app.add_option("--steps", settings.steps, "Steps of each plan")
      ->check(CLI::Range(1, 100000));
  app.add_option("--slowest", settings.slowest,
                 "Instructions of each plan to show");
  CLI11_PARSE(app, argc, argv);
  Expected<bool> done = bench(plans, settings);
  if (done)
    return *done ? 0 : 1;
  fmt::print(stderr, "{}: error: {}\n", done.error().where,
             done.error().message);
  return static_cast<int>(done.error().code);
}
