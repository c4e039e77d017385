// Times every kernel of a plan on buffers of its own, beside loops in the
// manner of STREAM (McCalpin) in the same process, interleaved. A kernel's
// bytes are those of its arguments, each counted once; it is compared with the
// loop whose share of written bytes is nearest.
#include "runtime/core/Allocator.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/device/cpu/KernelObject.h"
#include "runtime/plan/PlanFile.h"
#include "tools/bench/Timing.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <random>

using namespace ampc::rt;
using namespace ampc::bench;

namespace {

/// Something that is timed: tiles run by the pool.
struct Job {
  std::string name;
  double readBytes = 0, writtenBytes = 0;
  int64_t tiles = 1;
  std::function<void(int64_t begin, int64_t end)> body;
  Times seconds;

  double bytes() const { return readBytes + writtenBytes; }
};

void run(ThreadPool::Lease &lease, Job &job) {
  auto body = [](void *context, int, int64_t begin, int64_t end) {
    static_cast<Job *>(context)->body(begin, end);
  };
  auto start = std::chrono::steady_clock::now();
  lease.run(job.tiles, 1, ThreadPool::instance().size(), body, &job);
  job.seconds.push_back(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
}

/// Fills `count` floats with numbers in [-1, 1): zeros would flatter.
void fillRandom(float *data, uint64_t count) {
  std::minstd_rand engine(1);
  uint32_t state = engine();
  for (uint64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    data[i] = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31f;
  }
}

constexpr int64_t kChunk = int64_t(1) << 16; // elements of a loop's tile

// The loops run in the widest vectors of the machine, as the kernels do.
#define AMPC_WIDEST_VECTORS                                                    \
  __attribute__((target_clones("avx512f", "avx2", "default")))

AMPC_WIDEST_VECTORS float readLoop(const float *x, int64_t count) {
  float partial[64] = {};
  for (int64_t i = 0; i < count; i += 64)
    for (int lane = 0; lane < 64; ++lane)
      partial[lane] += x[i + lane];
  float total = 0;
  for (float value : partial)
    total += value;
  return total;
}

AMPC_WIDEST_VECTORS void triadLoop(float *__restrict to, const float *x,
                                   const float *y, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = x[i] + 0.5f * y[i];
}

AMPC_WIDEST_VECTORS void copyLoop(float *__restrict to, const float *x,
                                  int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = 0.5f * x[i];
}

AMPC_WIDEST_VECTORS void updateLoop(float *__restrict p, float *__restrict m,
                                    float *__restrict v, const float *g,
                                    int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    m[i] += (g[i] - m[i]) * 0.1f;
    v[i] = v[i] * 0.999f + g[i] * g[i] * 0.001f;
    p[i] -= m[i] * 1e-6f;
  }
}

/// The loops: read (sum), triad (2 reads, 1 write), copy (1, 1), update (4
/// reads, 3 writes) over arrays of `count` floats.
std::vector<Job> streamLoops(std::array<float *, 4> a, int64_t count,
                             std::vector<float> &sums) {
  int64_t tiles = count / kChunk;
  double bytes = static_cast<double>(tiles * kChunk) * sizeof(float);
  sums.resize(tiles);
  auto chunks = [](auto loop) {
    return [loop](int64_t begin, int64_t end) {
      for (int64_t tile = begin; tile < end; ++tile)
        loop(tile * kChunk);
    };
  };
  float *results = sums.data();
  return {{"read",
           bytes,
           0,
           tiles,
           chunks([=](int64_t at) {
             results[at / kChunk] = readLoop(a[0] + at, kChunk);
           }),
           {}},
          {"triad",
           2 * bytes,
           bytes,
           tiles,
           chunks([=](int64_t at) {
             triadLoop(a[2] + at, a[0] + at, a[1] + at, kChunk);
           }),
           {}},
          {"copy",
           bytes,
           bytes,
           tiles,
           chunks([=](int64_t at) { copyLoop(a[2] + at, a[0] + at, kChunk); }),
           {}},
          {"update",
           4 * bytes,
           3 * bytes,
           tiles,
           chunks([=](int64_t at) {
             updateLoop(a[0] + at, a[1] + at, a[2] + at, a[3] + at, kChunk);
           }),
           {}}};
}

/// The loop whose share of written bytes is nearest to the job's.
const Job &nearestLoop(const Job &job, const std::vector<Job> &loops) {
  auto distance = [&](const Job &loop) {
    return std::fabs(loop.writtenBytes / loop.bytes() -
                     job.writtenBytes / job.bytes());
  };
  return *std::min_element(
      loops.begin(), loops.end(),
      [&](const Job &x, const Job &y) { return distance(x) < distance(y); });
}

Expected<void> bench(const std::string &path, int threads, int rounds,
                     uint64_t smallest) {
  AMPC_TRY(ThreadPool::instance().resize(threads));
  AMPC_ASSIGN(PlanFile file, PlanFile::load(path));
  const fb::Plan &plan = file.plan();
  AMPC_ASSIGN(KernelObject object,
              KernelObject::load(file.section(SectionKind::Object), path));

  Allocator allocator;
  std::vector<Block> blocks;
  auto allocate = [&](uint64_t bytes) -> Expected<float *> {
    AMPC_ASSIGN(Block block,
                allocator.allocate(MemoryKind::Arena, (bytes + 63) / 64 * 64));
    auto *data = reinterpret_cast<float *>(block.data());
    fillRandom(data, block.size() / sizeof(float));
    blocks.push_back(std::move(block));
    return data;
  };

  std::vector<Job> kernels;
  std::vector<std::vector<const void *>> arguments;
  arguments.reserve(plan.kernels()->size());
  uint64_t largest = 0;
  for (const fb::Kernel *kernel : *plan.kernels()) {
    uint64_t total = 0;
    for (uint64_t bytes : *kernel->arg_bytes())
      total += bytes;
    if (total < smallest)
      continue;
    AMPC_ASSIGN(KernelFunction function, object.find(kernel->symbol()->str()));
    Job job;
    job.name = kernel->name() ? kernel->name()->str() : kernel->symbol()->str();
    job.tiles = static_cast<int64_t>(kernel->tiles());
    auto &args = arguments.emplace_back();
    for (unsigned i = 0; i < kernel->arg_bytes()->size(); ++i) {
      uint64_t bytes = kernel->arg_bytes()->Get(i);
      (kernel->arg_written()->Get(i) ? job.writtenBytes : job.readBytes) +=
          static_cast<double>(bytes);
      largest = std::max(largest, bytes);
      AMPC_ASSIGN(float *data, allocate(bytes));
      args.push_back(data);
    }
    const void *const *table = args.data();
    job.body = [function, table](int64_t begin, int64_t end) {
      function(table, begin, end);
    };
    kernels.push_back(std::move(job));
  }
  if (kernels.empty())
    return fail(Code::BadInput, path,
                fmt::format("no kernel moves {} bytes or more", smallest));

  int64_t count =
      static_cast<int64_t>(largest / sizeof(float)) / kChunk * kChunk;
  std::array<float *, 4> arrays;
  for (float *&array : arrays) {
    AMPC_ASSIGN(array, allocate(static_cast<uint64_t>(count) * sizeof(float)));
  }
  std::vector<float> sums;
  std::vector<Job> loops = streamLoops(arrays, count, sums);
  ThreadPool::Lease lease = ThreadPool::instance().lease();
  for (int round = 0; round <= rounds; ++round) {
    for (Job &loop : loops)
      run(lease, loop);
    for (Job &kernel : kernels)
      run(lease, kernel);
    if (round == 0) // touches the pages
      for (std::vector<Job> *jobs : {&loops, &kernels})
        for (Job &job : *jobs)
          job.seconds.clear();
  }

  fmt::print("threads {}, arrays of {} MiB, {} rounds\n",
             ThreadPool::instance().size(), count * sizeof(float) >> 20,
             rounds);
  for (const Job &loop : loops)
    fmt::print("loop {:<44} best {:7.2f} GB/s  median {:7.2f} GB/s\n",
               loop.name, loop.bytes() / loop.seconds.best() * 1e-9,
               loop.bytes() / loop.seconds.median() * 1e-9);
  for (const Job &kernel : kernels) {
    const Job &loop = nearestLoop(kernel, loops);
    fmt::print("kernel {:<42} best {:7.2f} GB/s  median {:7.2f} GB/s  of {}: "
               "best {:.2f} median {:.2f}\n",
               kernel.name, kernel.bytes() / kernel.seconds.best() * 1e-9,
               kernel.bytes() / kernel.seconds.median() * 1e-9, loop.name,
               kernel.bytes() / kernel.seconds.best() /
                   (loop.bytes() / loop.seconds.best()),
               kernel.bytes() / kernel.seconds.median() /
                   (loop.bytes() / loop.seconds.median()));
  }
  return {};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Times the kernels of a plan beside STREAM-like loops.");
  app.footer("Example: ampc-bench-kernels softmax.ampx --threads 2");
  std::string path;
  int threads = 0, rounds = 10;
  uint64_t smallest = uint64_t(1) << 20;
  app.add_option("plan", path, "A plan (.ampx)")->required();
  app.add_option("--threads", threads, "Threads (default: one a processor)")
      ->check(CLI::Range(0, 4096));
  app.add_option("--rounds", rounds, "Timed rounds")
      ->check(CLI::Range(1, 1000));
  app.add_option("--smallest", smallest,
                 "Leave out kernels that move fewer bytes");
  CLI11_PARSE(app, argc, argv);
  Expected<void> done = bench(path, threads, rounds, smallest);
  if (done)
    return 0;
  fmt::print(stderr, "{}: error: {}\n", done.error().where,
             done.error().message);
  return static_cast<int>(done.error().code);
}
