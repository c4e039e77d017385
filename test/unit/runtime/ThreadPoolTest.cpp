// The pool: every tile once, any number of threads, floating-point mode,
// leases, resizing.
#include "runtime/core/ThreadPool.h"
#include "runtime/core/Processors.h"
#include "test/unit/runtime/Environment.h"
#include "test/unit/runtime/TestPlans.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
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

TEST(Processors, ATeamTakesUnusedCoresFirst) {
  // Two cores of two threads each, numbered as Linux does: 0 and 2 are one.
  std::vector<int> processors{0, 1, 2, 3}, cores{0, 1, 0, 1};
  EXPECT_EQ(teamOf(processors, cores, 0, 2), (std::vector<int>{0, 1}));
  EXPECT_EQ(teamOf(processors, cores, 0, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(teamOf(processors, cores, 0, 4), (std::vector<int>{0, 1, 2, 3}));
  // Neighbours are one core.
  std::vector<int> paired{0, 0, 2, 2};
  EXPECT_EQ(teamOf(processors, paired, 0, 2), (std::vector<int>{0, 2}));
  EXPECT_EQ(teamOf(processors, paired, 0, 3), (std::vector<int>{0, 2, 1}));
  // From where the process runs, and around.
  EXPECT_EQ(teamOf(processors, paired, 3, 2), (std::vector<int>{3, 0}));
  EXPECT_EQ(teamOf(processors, paired, 3, 4), (std::vector<int>{3, 0, 1, 2}));
  // Of those that are allowed alone; one that is not allowed is no start.
  std::vector<int> some{5, 9, 12};
  EXPECT_EQ(teamOf(some, some, 9, 2), (std::vector<int>{9, 12}));
  EXPECT_EQ(teamOf(some, some, 7, 2), (std::vector<int>{5, 9}));
  // Nobody is bound.
  EXPECT_TRUE(teamOf(processors, cores, 0, 1).empty());
  EXPECT_TRUE(teamOf(processors, cores, 0, 5).empty());
}

TEST(Processors, CoresAreReadFromTheSystem) {
  std::string root = temporary("cpus");
  auto file = [&](int processor, const std::string &text) {
    std::string folder = root + "/sys/devices/system/cpu/cpu" +
                         std::to_string(processor) + "/topology";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/thread_siblings_list") << text << "\n";
  };
  file(0, "0,4");
  file(4, "0,4");
  file(2, "2-3");
  file(3, "2-3");
  file(7, "unknown");
  EXPECT_EQ(coresOf(std::vector<int>{0, 2, 3, 4, 7, 8}, root),
            (std::vector<int>{0, 2, 2, 0, 7, 8}));
}

TEST(Processors, RoomIsWhatOthersLeave) {
  std::string root = temporary("load");
  std::filesystem::create_directories(root + "/proc");
  auto write = [&](const std::string &text) {
    std::ofstream(root + "/proc/loadavg") << text << "\n";
  };
  EXPECT_TRUE(isRoomFor(4, 4, root)) << "nothing is known";
  write("0.20 0.18 0.12 1/80 11206");
  EXPECT_TRUE(isRoomFor(2, 2, root));
  EXPECT_FALSE(isRoomFor(3, 2, root));
  write("9.20 8.18 7.12 3/80 11206");
  EXPECT_TRUE(isRoomFor(2, 4, root));
  EXPECT_FALSE(isRoomFor(3, 4, root));
  EXPECT_FALSE(isRoomFor(2, 2, root));
}

/// The processors that a thread may run on, by number of the thread.
struct Places {
  std::mutex mutex;
  std::map<int, std::vector<int>> of;
};

void notePlace(void *context, int thread, int64_t, int64_t) {
  auto &places = *static_cast<Places *>(context);
  std::vector<int> allowed = allowed_processors();
  std::lock_guard lock(places.mutex);
  places.of[thread] = allowed;
}

TEST_F(Pool, TheTeamIsBoundAndTheCallerIsNotAfterwards) {
  Environment on("AMPC_BIND", "on");
  std::vector<int> all = allowed_processors();
  if (all.size() < 2)
    GTEST_SKIP() << "one processor";
  int threads = int(std::min<size_t>(all.size(), 4));
  must(ThreadPool::instance().resize(1));
  must(ThreadPool::instance().resize(threads));
  Places places;
  {
    auto lease = ThreadPool::instance().lease();
    ASSERT_EQ(ThreadPool::instance().team().size(), size_t(threads));
    for (int round = 0; round < 2000 && int(places.of.size()) < threads;
         ++round)
      lease.run(256, 1, threads, notePlace, &places);
    EXPECT_EQ(places.of.at(0),
              std::vector<int>{ThreadPool::instance().team()[0]});
  }
  EXPECT_EQ(allowed_processors(), all) << "the caller is free again";
  std::set<int> used;
  for (const auto &[thread, where] : places.of) {
    EXPECT_EQ(where,
              std::vector<int>{ThreadPool::instance().team()[size_t(thread)]});
    EXPECT_TRUE(used.insert(where[0]).second) << "each has its own";
  }
}

TEST_F(Pool, NobodyIsBoundWhereThatIsNotWanted) {
  Environment on("AMPC_BIND", "on");
  size_t all = allowed_processors().size();
  must(ThreadPool::instance().resize(1));
  EXPECT_TRUE(ThreadPool::instance().team().empty());
  must(ThreadPool::instance().resize(int(all) + 1)); // more than there are
  EXPECT_TRUE(ThreadPool::instance().team().empty());
  Environment off("AMPC_BIND", "off");
  must(ThreadPool::instance().resize(1));
  must(ThreadPool::instance().resize(2));
  EXPECT_TRUE(ThreadPool::instance().team().empty());
}

TEST_F(Pool, ACallerThatMayNotRunThereStaysWhereItIs) {
  Environment on("AMPC_BIND", "on");
  std::vector<int> all = allowed_processors();
  if (all.size() < 2)
    GTEST_SKIP() << "one processor";
  must(ThreadPool::instance().resize(1));
  must(ThreadPool::instance().resize(2));
  ASSERT_EQ(ThreadPool::instance().team().size(), 2u);
  int other = ThreadPool::instance().team()[0] == all[0] ? all[1] : all[0];
  std::thread caller([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(size_t(other), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    auto lease = ThreadPool::instance().lease();
    EXPECT_EQ(allowed_processors(), std::vector<int>{other});
  });
  caller.join();
}

TEST_F(Pool, RefusesNonsense) {
  EXPECT_EQ(errorOf(ThreadPool::instance().resize(-1)).code, Code::Usage);
  EXPECT_EQ(errorOf(ThreadPool::instance().resize(5000)).code, Code::Usage);
  must(ThreadPool::instance().resize(0));
  EXPECT_EQ(ThreadPool::instance().size(), int(allowed_processors().size()));
}

} // namespace
} // namespace ampc::rt::test
