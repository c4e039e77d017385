// What the machine gives now: the bandwidth of a loop with the reads and writes
// of Adam (4 and 3) over arrays larger than a cache, and f32 multiply-adds on
// registers alone. Each line of standard input is answered by one of JSON.
#include "runtime/core/Allocator.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/core/ThreadPool.h"

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <immintrin.h>
#include <iostream>
#include <vector>

using namespace ampc::rt;

namespace {

constexpr int64_t kChunk = int64_t(1) << 16; // elements of a tile
constexpr int kRepeats = 3;                  // the best counts
constexpr int kRegisters = 12;               // independent sums
constexpr int64_t kTurns = 1 << 22;          // of the multiply-add loop

// As wide as the machine's vectors are.
#define AMPC_WIDEST_VECTORS                                                    \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))

AMPC_WIDEST_VECTORS void updateLoop(float *__restrict p, float *__restrict m,
                                    float *__restrict v,
                                    const float *__restrict g, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    m[i] += (g[i] - m[i]) * 0.1f;
    v[i] = v[i] * 0.999f + g[i] * g[i] * 0.001f;
    p[i] -= m[i] * 1e-6f;
  }
}

/// One multiply-add of every sum, `turns` times; their total, so that none is
/// left out. The registers are as wide as the level has them.
__attribute__((target("avx512f"))) float
multiplyAdd512(float scale, float shift, int64_t turns) {
  __m512 by = _mm512_set1_ps(scale), plus = _mm512_set1_ps(shift);
  __m512 sums[kRegisters];
  for (__m512 &sum : sums)
    sum = plus;
  for (int64_t turn = 0; turn < turns; ++turn)
#pragma unroll
    for (__m512 &sum : sums)
      sum = _mm512_fmadd_ps(sum, by, plus);
  float total = 0;
  for (__m512 &sum : sums)
    total += _mm512_reduce_add_ps(sum);
  return total;
}

__attribute__((target("avx2,fma"))) float
multiplyAdd256(float scale, float shift, int64_t turns) {
  __m256 by = _mm256_set1_ps(scale), plus = _mm256_set1_ps(shift);
  __m256 sums[kRegisters];
  for (__m256 &sum : sums)
    sum = plus;
  for (int64_t turn = 0; turn < turns; ++turn)
#pragma unroll
    for (__m256 &sum : sums)
      sum = _mm256_fmadd_ps(sum, by, plus);
  alignas(32) float lanes[8];
  float total = 0;
  for (__m256 &sum : sums) {
    _mm256_store_ps(lanes, sum);
    total += lanes[0] + lanes[7];
  }
  return total;
}

struct Calibration {
  std::array<float *, 4> arrays;
  int64_t tiles;
  std::vector<float> results; ///< keeps the sums alive
  bool is512;                 ///< registers of 16 numbers, else of 8
};

/// The shortest of a few runs of `body` over `tiles`, in seconds.
double fastest(ThreadPool::Lease &lease, int64_t tiles, ThreadPool::Body body,
               void *context) {
  double best = 1e30;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    lease.run(tiles, 1, ThreadPool::instance().size(), body, context);
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

void streamTiles(void *context, int, int64_t begin, int64_t end) {
  auto [p, m, v, g] = static_cast<Calibration *>(context)->arrays;
  for (int64_t tile = begin; tile < end; ++tile) {
    int64_t at = tile * kChunk;
    updateLoop(p + at, m + at, v + at, g + at, kChunk);
  }
}

void multiplyAddTiles(void *context, int, int64_t begin, int64_t end) {
  auto &calibration = *static_cast<Calibration *>(context);
  auto loop = calibration.is512 ? multiplyAdd512 : multiplyAdd256;
  for (int64_t tile = begin; tile < end; ++tile)
    calibration.results[tile] += loop(0.5f, float(tile), kTurns);
}

Expected<void> serve(int threads, uint64_t mebibytes) {
  AMPC_TRY(ThreadPool::instance().resize(threads));
  threads = ThreadPool::instance().size();
  CpuLevel level = CpuFeatures::probe().level();
  if (level < CpuLevel::Avx2)
    return fail(Code::Environment, "calibration",
                fmt::format("needs a processor with avx2, this one is {}",
                            name_of(level)));
  Allocator allocator;
  Calibration calibration{
      {}, int64_t(mebibytes << 20) / 4 / kChunk, {}, level == CpuLevel::Avx512};
  int lanes = calibration.is512 ? 16 : 8;
  calibration.results.resize(threads);
  std::vector<Block> blocks;
  for (float *&array : calibration.arrays) {
    AMPC_ASSIGN(Block block,
                allocator.allocate(MemoryKind::Arena,
                                   uint64_t(calibration.tiles * kChunk) * 4));
    array = reinterpret_cast<float *>(block.data());
    for (int64_t i = 0; i < calibration.tiles * kChunk; ++i)
      array[i] = float(i % 1021) * 1e-3f;
    blocks.push_back(std::move(block));
  }
  for (std::string line; std::getline(std::cin, line);) {
    ThreadPool::Lease lease = ThreadPool::instance().lease();
    double stream =
        fastest(lease, calibration.tiles, streamTiles, &calibration);
    double arithmetic = fastest(lease, threads, multiplyAddTiles, &calibration);
    fmt::print("{{\"stream_gbs\":{:.2f},\"fma_gflops\":{:.1f}}}\n",
               28e-9 * double(calibration.tiles * kChunk) / stream,
               2e-9 * lanes * kRegisters * double(kTurns) * threads /
                   arithmetic);
    std::fflush(stdout);
  }
  return {};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Measures the machine by commands on standard input.");
  app.footer("Example: echo measure | ampc-bench-calibration --threads 2");
  int threads = 0;
  uint64_t mebibytes = 64;
  app.add_option("--threads", threads, "Threads (default: one a processor)")
      ->check(CLI::Range(0, 4096));
  app.add_option("--size", mebibytes, "MiB of each of the four arrays")
      ->check(CLI::Range(1, 65536));
  CLI11_PARSE(app, argc, argv);
  Expected<void> done = serve(threads, mebibytes);
  if (done)
    return 0;
  fmt::print(stderr, "{}: error: {}\n", done.error().where,
             done.error().message);
  return static_cast<int>(done.error().code);
}
