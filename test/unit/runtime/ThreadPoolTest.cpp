// The pool: every tile once, any number of threads, floating-point mode,
// leases, resizing.
#include "runtime/core/ThreadPool.h"
#include "test/unit/runtime/TestPlans.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <xmmintrin.h>

namespace ampc::rt::test {
namespace {

class Pool : public ::testing::Test {
protected:
  void TearDown() override { must(ThreadPool::instance().resize(2)); }
};

struct Counts {
  std::vector<std::atomic<int>> tiles;
  std::atomic<int> highest{0}, wrongMode{0}, wrongThreads{0};
  explicit Counts(size_t n) : tiles(n) {}
};

void countTiles(void *context, int thread, int64_t begin, int64_t end) {
  auto &counts = *static_cast<Counts *>(context);
  for (int64_t i = begin; i < end; ++i)
    counts.tiles[size_t(i)]++;
  if ((_mm_getcsr() & ~0x3fu) != 0x1f80)
    counts.wrongMode++;
  if (int threads = setLibraryThreads(1); threads > 1)
    counts.wrongThreads++;
  int seen = counts.highest.load();
  while (thread > seen && !counts.highest.compare_exchange_weak(seen, thread))
    ;
}

TEST_F(Pool, EveryTileOnce) {
  for (int threads : {1, 2, 3, 4, 9}) {
    must(ThreadPool::instance().resize(threads));
    EXPECT_EQ(ThreadPool::instance().size(), threads);
    auto lease = ThreadPool::instance().lease();
    for (int round = 0; round < 300; ++round) {
      int64_t tiles = (round * 37) % 211;
      Counts counts{size_t(tiles)};
      lease.run(tiles, 1 + round % 3, threads, countTiles, &counts);
      for (auto &count : counts.tiles)
        ASSERT_EQ(count.load(), 1);
      ASSERT_LT(counts.highest.load(), threads);
      ASSERT_EQ(counts.wrongMode.load(), 0);
      ASSERT_EQ(counts.wrongThreads.load(), 0)
          << "library code is held to one thread";
    }
  }
}

TEST_F(Pool, ParkedWorkersComeBack) {
  must(ThreadPool::instance().resize(4));
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(2)); // longer than they spin
    auto lease = ThreadPool::instance().lease();
    Counts counts(64);
    lease.run(64, 1, 4, countTiles, &counts);
    for (auto &count : counts.tiles)
      ASSERT_EQ(count.load(), 1);
  }
}

TEST_F(Pool, CallerLimitsThreads) {
  must(ThreadPool::instance().resize(4));
  auto lease = ThreadPool::instance().lease();
  for (int round = 0; round < 100; ++round) {
    Counts counts(64);
    lease.run(64, 1, 2, countTiles, &counts);
    ASSERT_LE(counts.highest.load(), 1);
  }
}

TEST_F(Pool, RestoresTheCallersMode) {
  uint32_t before = _mm_getcsr();
  _mm_setcsr(before | 0x8040); // flush to zero, denormals are zero
  uint32_t wanted = _mm_getcsr();
  {
    auto lease = ThreadPool::instance().lease();
    EXPECT_EQ(_mm_getcsr() & 0x8040, 0u);
  }
  EXPECT_EQ(_mm_getcsr() & 0xffc0, wanted & 0xffc0);
  _mm_setcsr(before);
}

TEST_F(Pool, SessionsQueue) {
  must(ThreadPool::instance().resize(3));
  std::atomic<int> inside{0}, together{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        auto lease = ThreadPool::instance().lease();
        together += inside.fetch_add(1) != 0;
        Counts counts(40);
        lease.run(40, 1, 3, countTiles, &counts);
        for (auto &count : counts.tiles)
          if (count.load() != 1)
            ADD_FAILURE() << "a tile ran " << count.load() << " times";
        inside.fetch_sub(1);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(together.load(), 0);
}

TEST_F(Pool, RefusesNonsense) {
  EXPECT_EQ(errorOf(ThreadPool::instance().resize(-1)).code, Code::Usage);
  EXPECT_EQ(errorOf(ThreadPool::instance().resize(5000)).code, Code::Usage);
  must(ThreadPool::instance().resize(0));
  EXPECT_EQ(ThreadPool::instance().size(),
            int(std::thread::hardware_concurrency()));
}

} // namespace
} // namespace ampc::rt::test
