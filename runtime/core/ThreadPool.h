// The process's one pool of threads. Small and own, because launch latency is
// the product: a worker spins for a while, then parks. It runs tiles [0, n) in
// any order; results must not depend on which thread runs which tile. Sessions
// queue for it with a lease.
#pragma once

#include "runtime/core/Status.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace ampc::rt {

class ThreadPool {
public:
  /// Runs tiles [begin, end); `thread` is below the number of threads and
  /// unique among those running at the time.
  using Body = void (*)(void *context, int thread, int64_t begin, int64_t end);

  /// Exclusive use of the pool. While it lives, the caller's floating-point
  /// mode is the default one and, on the calling thread as on the workers,
  /// library code is held to one thread; where the team is bound (see
  /// Processors.h), the caller is bound to its part too, if it may run there.
  class Lease {
  public:
    Lease(Lease &&) = delete;
    ~Lease();
    /// Runs `body` over [0, tiles) on at most `threads` threads, the caller
    /// among them, in pieces of at least `grain` tiles. Returns when all are
    /// done. Allocates nothing.
    void run(int64_t tiles, int64_t grain, int threads, Body body,
             void *context);

  private:
    friend class ThreadPool;
    explicit Lease(ThreadPool &pool);
    ThreadPool &pool;
    std::unique_lock<std::mutex> lock;
    uint32_t savedMode;
    int savedLibraryThreads;
    bool isBound = false; ///< the caller's affinity is `saved` otherwise
    cpu_set_t saved;
  };

  /// The pool; created with one thread.
  static ThreadPool &instance();

  /// Waits until the pool is free and takes it. A thread that holds a lease
  /// must not ask again.
  Lease lease() { return Lease(*this); }

  /// Sets the number of threads, callers included; 0 means one per processor. A
  /// system that refuses threads is an error (Code Environment), with the old
  /// number kept where possible.
  [[nodiscard]] Expected<void> resize(int threads);

  /// The number that `resize(0)` sets: one per processor.
  static int processors();

  /// The processor of each thread, the caller's first; empty: none is bound.
  /// Told to who holds the pool.
  const std::vector<int> &team() const { return places; }

  /// Number of threads, the caller included.
  int size() const { return count.load(std::memory_order_relaxed); }

private:
  ThreadPool() = default;
  void work(int thread);
  void runTiles(int thread);
  void stopWorkers();
  bool join(uint32_t state);
  void leave();

  // The gate: bit 12 set while a job takes helpers, bits 0-11 count those
  // inside, the rest is the job's number. A worker that wakes late finds it
  // closed and is not waited for.
  static constexpr uint32_t kOpen = 1u << 12;
  static constexpr uint32_t kInside = kOpen - 1;
  static constexpr uint32_t kJob = 1u << 13;

  // A line each: what all write, what all write more often, and what the caller
  // writes once a job and all read.
  alignas(64) std::atomic<uint32_t> gate{0};
  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) Body body = nullptr;
  void *context = nullptr;
  int64_t tiles = 0;
  int64_t grain = 1;
  int helpers = 0; ///< workers with a number up to this may join

  alignas(64) std::mutex mutex;
  std::vector<std::thread> workers;
  std::vector<int> places;
  std::atomic<bool> stopping{false};
  std::atomic<int> count{1};
};

/// Holds OpenMP, as far as the libraries the process has loaded use it, to
/// `threads` threads on the calling thread; gives the number before, or 0 where
/// there is no OpenMP.
int setLibraryThreads(int threads);

} // namespace ampc::rt
