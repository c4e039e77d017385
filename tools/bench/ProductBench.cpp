// Times the compiler's kernels of matrix products beside the runtime's library
// products, interleaved in one process, and both beside the processor's peak,
// measured in between: of fused multiply-adds, of AMX for its format. One
// thread is timed by its own clock, so that other programs count less.
#include "codegen/emit/EmitPlan.h"
#include "ir/dialect/Dialect.h"
#include "runtime/core/Allocator.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/device/cpu/Contraction.h"
#include "runtime/device/cpu/KernelObject.h"
#include "runtime/plan/PlanFile.h"
#include "tools/bench/Timing.h"

#include "mlir/Parser/Parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <immintrin.h>
#include <map>

using namespace ampc::rt;
using namespace ampc::bench;

namespace {

constexpr std::pair<const char *, DType> kFormats[] = {
    {"f32", DType::F32}, {"bf16", DType::BF16}, {"f16", DType::F16}};

//===----------------------------------------------------------------------===//
// The peak
//===----------------------------------------------------------------------===//

constexpr int64_t kPeakSteps = 20000, kSums = 12;

/// Fused multiply-adds on `kSums` registers of Vector, no memory.
template <class Vector>
__attribute__((always_inline)) inline float multiplyAdd() {
  Vector sums[kSums] = {}, x = Vector{} + 0.5f, y = Vector{} + 1e-3f;
  for (int64_t step = 0; step < kPeakSteps; ++step) {
#pragma unroll
    for (Vector &sum : sums)
      sum = __builtin_elementwise_fma(x, y, sum);
  }
  Vector total = {};
  for (Vector &sum : sums)
    total += sum;
  return total[0];
}

using Wide = float __attribute__((ext_vector_type(16)));
using Narrow = float __attribute__((ext_vector_type(8)));

__attribute__((target("avx512f"))) float multiplyAddWide() {
  return multiplyAdd<Wide>();
}
__attribute__((target("avx2,fma"))) float multiplyAddNarrow() {
  return multiplyAdd<Narrow>();
}

constexpr int kUnitSums = 4;

/// Products of AMX tiles on `kUnitSums` tiles of sums, no memory.
__attribute__((target("amx-tile,amx-bf16"))) void multiplyTiles() {
  struct alignas(64) {
    uint8_t palette = 1, start = 0, none[14] = {};
    uint16_t bytes[16] = {};
    uint8_t rows[16] = {};
  } shapes;
  for (int tile = 0; tile < 8; ++tile) {
    shapes.bytes[tile] = 64;
    shapes.rows[tile] = 16;
  }
  alignas(64) std::array<uint16_t, 512> operand;
  fillRandom(DType::BF16, reinterpret_cast<std::byte *>(operand.data()), 512);
  _tile_loadconfig(&shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, operand.data(), 64);
  _tile_loadd(5, operand.data(), 64);
  for (int64_t step = 0; step < kPeakSteps; ++step) {
    _tile_dpbf16ps(0, 4, 5);
    _tile_dpbf16ps(1, 4, 5);
    _tile_dpbf16ps(2, 4, 5);
    _tile_dpbf16ps(3, 4, 5);
  }
  _tile_release();
}

/// What multiplies.
enum class Unit { Narrow, Wide, Tiles };

/// The operations of a step of `unit`'s peak.
double operationsOf(Unit unit) {
  switch (unit) {
  case Unit::Narrow:
    return 2.0 * kSums * 8;
  case Unit::Wide:
    return 2.0 * kSums * 16;
  case Unit::Tiles:
    break;
  }
  return 2.0 * kUnitSums * 16 * 16 * 32;
}

volatile float sink = 0; // what is computed is used

/// kPeakSteps steps of it.
void saturate(Unit unit) {
  if (unit == Unit::Tiles)
    multiplyTiles();
  else
    sink = unit == Unit::Wide ? multiplyAddWide() : multiplyAddNarrow();
}

//===----------------------------------------------------------------------===//
// The two ways
//===----------------------------------------------------------------------===//

/// Something that is timed.
struct Job {
  std::function<bool(ThreadPool::Lease &)> run;
  double operations = 0;
  Times seconds;
};

/// A placed module whose one entry is `product`.
std::string moduleOf(const Product &product, const std::string &type,
                     const std::string &level) {
  auto tensor = [&](int64_t rows, int64_t columns) {
    return fmt::format("tensor<{}x{}x{}x{}>", product.batch, rows, columns,
                       type);
  };
  auto oriented = [&](bool transposed, int64_t rows, int64_t columns) {
    return transposed ? tensor(columns, rows) : tensor(rows, columns);
  };
  std::string a = oriented(product.transposeA, product.m, product.k),
              b = oriented(product.transposeB, product.k, product.n),
              c = tensor(product.m, product.n);
  return fmt::format(
      "module attributes {{amp.stage = #amp.stage<placed>, amp.target = "
      "#amp.target<kind = \"cpu\", level = \"{}\", vector_bytes = {}, "
      "cache_bytes = 2097152, bandwidth = 10.0 : f64, launch_ns = 2000.0 : "
      "f64{}>}} {{\n"
      "func.func @infer(%a: {} {{amp.name = \"a\", amp.io = #amp.io<input>, "
      "amp.place = #amp.place<input, 0>}}, %b: {} {{amp.name = \"b\", amp.io = "
      "#amp.io<input>, amp.place = #amp.place<input, 1>}}) -> ({} {{amp.name = "
      "\"c\", amp.io = #amp.io<output>}}) attributes {{amp.entry = "
      "#amp.entry<infer>, amp.arena_bytes = 0 : i64}} {{\n"
      "%r = amp.group contraction [{}, {}, {}] (%a, %b) {{amp.place = "
      "[#amp.place<output, 0>]}} : ({}, {}) -> {} {{\n^bb0(%x: {}, %y: {}):\n"
      "%c = amp.matmul %x, %y {} {} accumulate f32 : {}, {} -> {}\n"
      "amp.yield %c : {}\n}}\nreturn %r : {}\n}}\n}}\n",
      level, level == "avx2" ? 32 : 64, level == "amx" ? ", fast = [bf16]" : "",
      a, b, c, product.batch, product.m, product.n, a, b, c, a, b,
      product.transposeA ? "transpose_a" : "",
      product.transposeB ? "transpose_b" : "", a, b, c, c, c);
}

/// What a generated product needs to live.
struct Generated {
  KernelObject object;
  KernelFunction function;
  int64_t tiles, grain; ///< in all, and the least of a call
  std::array<const void *, 3> arguments;
};

class Bench {
public:
  Bench(int threads, int rounds, CpuLevel level)
      : threads(threads), rounds(rounds), level(name_of(level)),
        features(CpuFeatures::probe(level)),
        clock(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) {
    mlir::DialectRegistry registry;
    registry.insert<ampc::amp::AmpDialect, mlir::func::FuncDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  Expected<void> run(const std::string &only, const std::string &format) {
    AMPC_ASSIGN(cache, MatmulCache::create(threads, features));
    fmt::print("threads {}, {} rounds, cpu:{}\n", threads, rounds, level);
    for (const auto &[name, type] : kFormats)
      for (const Product &product : kProducts)
        if (std::string(product.name).find(only) != std::string::npos &&
            (format.empty() || format == name))
          AMPC_TRY(compare(product, name, type));
    return {};
  }

private:
  Expected<void> compare(const Product &product, const char *name, DType type) {
    Allocator allocator;
    std::vector<Block> blocks;
    auto block = [&](int64_t elements) -> Expected<std::byte *> {
      AMPC_ASSIGN(Block made,
                  allocator.allocate(MemoryKind::Arena,
                                     (uint64_t(elements) * sizeOf(type) + 63) /
                                         64 * 64));
      fillRandom(type, made.data(), elements);
      blocks.push_back(std::move(made));
      return blocks.back().data();
    };
    auto [label, m, n, k, ta, tb, batch] = product;
    AMPC_ASSIGN(std::byte * a, block(batch * m * k));
    AMPC_ASSIGN(std::byte * b, block(batch * k * n));
    AMPC_ASSIGN(std::byte * own, block(batch * m * n));
    AMPC_ASSIGN(std::byte * theirs, block(batch * m * n));
    double operations = 2.0 * double(m) * double(n) * double(k) * double(batch);

    AMPC_ASSIGN(Generated generated, generate(product, name, a, b, own));
    Job kernel{[&](ThreadPool::Lease &pool) {
                 pool.run(
                     generated.tiles, generated.grain, threads,
                     [](void *context, int, int64_t begin, int64_t end) {
                       auto &it = *static_cast<Generated *>(context);
                       it.function(it.arguments.data(), begin, end);
                     },
                     &generated);
                 return true;
               },
               operations,
               {}};
    AMPC_ASSIGN(Contraction contraction,
                Contraction::create({type, type, type, m, n, k, ta, tb, batch,
                                     m * k, k * n, m * n},
                                    *cache, features, threads));
    AMPC_ASSIGN(Block work, allocator.allocate(MemoryKind::Workspace,
                                               contraction.workspaceBytes()));
    Job library{[&](ThreadPool::Lease &pool) {
                  return contraction.run(pool, a, b, nullptr, theirs,
                                         work.data());
                },
                operations,
                {}};
    Unit unit = type == DType::BF16 && features.has_amx() ? Unit::Tiles
                : features.level() >= CpuLevel::Avx512    ? Unit::Wide
                                                          : Unit::Narrow;
    Job peak{[&](ThreadPool::Lease &pool) {
               pool.run(
                   threads, 1, threads,
                   [](void *context, int, int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i)
                       saturate(*static_cast<Unit *>(context));
                   },
                   &unit);
               return true;
             },
             kPeakSteps * operationsOf(unit) * threads,
             {}};
    auto lease = ThreadPool::instance().lease(); // allocating takes one too
    for (int round = 0; round <= rounds; ++round)
      for (Job *job : {&kernel, &library, &peak}) {
        int repeats = std::max(1, int(5e7 / job->operations));
        double start = now(clock);
        for (int i = 0; i < repeats; ++i)
          if (!job->run(lease))
            return fail(Code::Environment, label, "oneDNN failed");
        double taken = now(clock) - start;
        if (round) // the first touches the pages
          job->seconds.push_back(taken / repeats);
      }
    auto rate = [](const Job &job, double seconds) {
      return job.operations / seconds * 1e-9;
    };
    double top = rate(peak, peak.seconds.best());
    fmt::print("{:<5} {:<24} kernel best {:6.1f} median {:6.1f}  library best "
               "{:6.1f} median {:6.1f} GFLOP/s  ratio best {:4.2f} median "
               "{:4.2f}  of peak {:6.1f}: {:4.2f} {:4.2f}\n",
               name, label, rate(kernel, kernel.seconds.best()),
               rate(kernel, kernel.seconds.median()),
               rate(library, library.seconds.best()),
               rate(library, library.seconds.median()),
               library.seconds.best() / kernel.seconds.best(),
               library.seconds.median() / kernel.seconds.median(), top,
               rate(kernel, kernel.seconds.best()) / top,
               rate(library, library.seconds.best()) / top);
    return {};
  }

  Expected<Generated> generate(const Product &product, const std::string &type,
                               const void *a, const void *b, const void *c) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        moduleOf(product, type, level), &context);
    ampc::EmitOptions options;
    options.level = level;
    auto bytes = module ? ampc::emitPlan(*module, options)
                        : llvm::FailureOr<std::vector<uint8_t>>();
    if (mlir::failed(bytes))
      return fail(Code::BadInput, product.name, "no kernel");
    AMPC_ASSIGN(PlanFile file, PlanFile::fromBytes(*bytes));
    AMPC_ASSIGN(
        KernelObject object,
        KernelObject::load(file.section(SectionKind::Object), product.name));
    const fb::Kernel &kernel = *file.plan().kernels()->Get(0);
    AMPC_ASSIGN(KernelFunction function, object.find(kernel.symbol()->str()));
    return Generated{std::move(object),
                     function,
                     int64_t(kernel.tiles()),
                     leastTiles(kernel, threads),
                     {a, b, c}};
  }

  int threads, rounds;
  std::string level;
  CpuFeatures features;
  clockid_t clock;
  mlir::MLIRContext context;
  std::unique_ptr<MatmulCache> cache;
};

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Times generated matrix products beside the library's.");
  app.footer("Example: ampc-bench-products --threads 1 --only gpt");
  int threads = 1, rounds = 10;
  std::string only, format;
  CpuLevel level = CpuFeatures::probe().level();
  app.add_option("--threads", threads, "Threads")->check(CLI::Range(1, 4096));
  app.add_option("--rounds", rounds, "Timed rounds")
      ->check(CLI::Range(1, 1000));
  app.add_option("--only", only, "Products whose name holds this");
  app.add_option("--format", format, "Operands and result")
      ->check(CLI::IsMember({"f32", "bf16", "f16"}));
  app.add_option("--level", level, "Hide what the processor has above a level")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, CpuLevel>{{"avx2", CpuLevel::Avx2},
                                          {"avx512", CpuLevel::Avx512},
                                          {"amx", CpuLevel::Amx}}));
  CLI11_PARSE(app, argc, argv);
  auto run = [&]() -> Expected<void> {
    if (level == CpuLevel::Amx && !request_amx())
      return fail(Code::Environment, "--level", "the system refuses AMX");
    AMPC_TRY(ThreadPool::instance().resize(threads));
    return Bench(threads, rounds, level).run(only, format);
  };
  Expected<void> done = run();
  if (done)
    return 0;
  fmt::print(stderr, "{}: error: {}\n", done.error().where,
             done.error().message);
  return static_cast<int>(done.error().code);
}
