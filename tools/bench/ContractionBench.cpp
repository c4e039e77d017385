// Times the contractions of the examples in every precision, interleaved in one
// process: the forward product of a linear layer, the gradients of its input
// and of its weight, and attention's batches of small matrices. One thread is
// timed by its own clock, so that other programs count less.
#include "runtime/core/Allocator.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/device/cpu/Contraction.h"
#include "tools/bench/Timing.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace ampc::rt;
using namespace ampc::bench;

namespace {

struct Format {
  const char *name;
  DType operands, result;
};

constexpr Format kFormats[] = {{"f32", DType::F32, DType::F32},
                               {"bf16", DType::BF16, DType::BF16},
                               {"bf16 -> f32", DType::BF16, DType::F32},
                               {"f16", DType::F16, DType::F16}};

struct Job {
  Job(const Contraction &contraction) : contraction(contraction) {}
  Contraction contraction;
  Block a, b, c, work;
  Times seconds;
};

Expected<Job> jobOf(const Product &product, const Format &format,
                    MatmulCache &cache, const CpuFeatures &features,
                    int threads, Allocator &allocator) {
  auto [name, m, n, k, ta, tb, batch] = product;
  AMPC_ASSIGN(
      Contraction made,
      Contraction::create({format.operands, format.operands, format.result, m,
                           n, k, ta, tb, batch, m * k, k * n, m * n},
                          cache, features, threads));
  Job job(made);
  auto block = [&](DType type, int64_t elements) -> Expected<Block> {
    AMPC_ASSIGN(
        Block made,
        allocator.allocate(MemoryKind::Arena,
                           (uint64_t(elements) * sizeOf(type) + 63) / 64 * 64));
    fillRandom(type, made.data(), elements);
    return made;
  };
  AMPC_ASSIGN(job.a, block(format.operands, batch * m * k));
  AMPC_ASSIGN(job.b, block(format.operands, batch * k * n));
  AMPC_ASSIGN(job.c, block(format.result, batch * m * n));
  AMPC_ASSIGN(job.work,
              allocator.allocate(MemoryKind::Workspace, made.workspaceBytes()));
  return job;
}

Expected<void> bench(int threads, int rounds, CpuLevel level) {
  AMPC_TRY(ThreadPool::instance().resize(threads));
  threads = ThreadPool::instance().size();
  CpuFeatures features = CpuFeatures::probe(level);
  AMPC_ASSIGN(auto cache, MatmulCache::create(threads, features));
  fmt::print("threads {}, {} rounds, cpu:{}, bf16 in {}\n", threads, rounds,
             name_of(features.level()),
             cache->multipliesBf16() ? "its own instructions" : "f32");
  clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  for (const Product &product : kProducts) {
    Allocator allocator;
    std::vector<Job> jobs;
    for (const Format &format : kFormats) {
      AMPC_ASSIGN(Job job,
                  jobOf(product, format, *cache, features, threads, allocator));
      jobs.push_back(std::move(job));
    }
    auto lease = ThreadPool::instance().lease(); // allocating takes one too
    double operations = 2.0 * double(product.m) * double(product.n) *
                        double(product.k) * double(product.batch);
    int repeats = std::max(1, int(1e8 / operations));
    for (int round = 0; round <= rounds; ++round)
      for (Job &job : jobs) {
        double start = now(clock);
        for (int i = 0; i < repeats; ++i)
          if (!job.contraction.run(lease, job.a.data(), job.b.data(), nullptr,
                                   job.c.data(), job.work.data()))
            return fail(Code::Environment, product.name, "oneDNN failed");
        double taken = now(clock) - start;
        if (round) // the first touches the pages
          job.seconds.push_back(taken / repeats);
      }
    for (size_t i = 0; i < jobs.size(); ++i)
      fmt::print("{:<24} {:<12} best {:7.1f} GFLOP/s  median {:7.1f} GFLOP/s  "
                 "of f32: best {:5.2f} median {:5.2f}\n",
                 product.name, kFormats[i].name,
                 operations / jobs[i].seconds.best() * 1e-9,
                 operations / jobs[i].seconds.median() * 1e-9,
                 jobs[0].seconds.best() / jobs[i].seconds.best(),
                 jobs[0].seconds.median() / jobs[i].seconds.median());
  }
  return {};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Times the examples' contractions in f32, bf16 and f16.");
  app.footer("Example: ampc-bench-contractions --threads 2");
  int threads = 0, rounds = 10;
  CpuLevel level = CpuLevel::Avx512;
  app.add_option("--threads", threads, "Threads (default: one a processor)")
      ->check(CLI::Range(0, 4096));
  app.add_option("--rounds", rounds, "Timed rounds")
      ->check(CLI::Range(1, 1000));
  app.add_option("--level", level, "Hide what the processor has above a level")
      ->transform(CLI::CheckedTransformer(std::map<std::string, CpuLevel>{
          {"avx2", CpuLevel::Avx2}, {"avx512", CpuLevel::Avx512}}));
  CLI11_PARSE(app, argc, argv);
  Expected<void> done = bench(threads, rounds, level);
  if (done)
    return 0;
  fmt::print(stderr, "{}: error: {}\n", done.error().where,
             done.error().message);
  return static_cast<int>(done.error().code);
}
