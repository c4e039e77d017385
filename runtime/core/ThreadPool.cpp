// Thread pool.
#include "runtime/core/ThreadPool.h"
#include "runtime/core/Processors.h"

#include <algorithm>
#include <csignal>
#include <dlfcn.h>
#include <fmt/format.h>
#include <system_error>
#include <xmmintrin.h>

namespace ampc::rt {

namespace {

/// Round to nearest, no flushing of subnormals, exceptions masked.
constexpr uint32_t kDefaultMode = 0x1f80;

/// Rounds of `pause` before a worker parks: about 50 us, the gap between two
/// launches of a step.
constexpr int kSpins = 2000;

/// Threads that start while it lives run no signal handler: a handler's frame
/// lies below the stack pointer, where library products keep data.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  sigset_t before;
};

struct LibraryThreads {
  int (*get)() = nullptr;
  void (*set)(int) = nullptr;
};

/// OpenMP's per-thread setting. oneDNN brings libgomp; its copy is asked for by
/// name first, since another OpenMP in the process could own the plain symbol.
/// Threads must not be the first to ask: opening a library while the process
/// ends runs its constructors a second time, which libgomp answers by aborting.
const LibraryThreads &libraryThreads() {
  static const LibraryThreads found = [] {
    LibraryThreads result;
    void *handle = ::dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *scope = handle ? handle : RTLD_DEFAULT;
    result.get =
        reinterpret_cast<int (*)()>(::dlsym(scope, "omp_get_max_threads"));
    result.set =
        reinterpret_cast<void (*)(int)>(::dlsym(scope, "omp_set_num_threads"));
    return result;
  }();
  return found;
}

/// Binds the calling thread to one processor; whether it is allowed there.
bool bindTo(int processor) {
  if (processor >= CPU_SETSIZE)
    return false;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(size_t(processor), &one);
  return ::sched_setaffinity(0, sizeof one, &one) == 0;
}

} // namespace

int setLibraryThreads(int threads) {
  const LibraryThreads &library = libraryThreads();
  if (!library.get || !library.set)
    return 0;
  int before = library.get();
  if (before != threads)
    library.set(threads);
  return before;
}

ThreadPool &ThreadPool::instance() {
  // Never destroyed: workers may still be parked while the process ends.
  static ThreadPool *pool = new ThreadPool;
  return *pool;
}

ThreadPool::Lease::Lease(ThreadPool &pool)
    : pool(pool), lock(pool.mutex), savedMode(_mm_getcsr()),
      savedLibraryThreads(setLibraryThreads(1)) {
  _mm_setcsr(kDefaultMode);
  // A caller that was told to stay elsewhere stays there.
  if (!pool.places.empty() && pool.places[0] < CPU_SETSIZE &&
      ::sched_getaffinity(0, sizeof saved, &saved) == 0 &&
      CPU_ISSET(size_t(pool.places[0]), &saved))
    isBound = bindTo(pool.places[0]);
}

ThreadPool::Lease::~Lease() {
  if (isBound)
    (void)::sched_setaffinity(0, sizeof saved, &saved);
  if (savedLibraryThreads > 0)
    setLibraryThreads(savedLibraryThreads);
  _mm_setcsr(savedMode);
}

void ThreadPool::Lease::run(int64_t tiles, int64_t grain, int threads,
                            Body body, void *context) {
  if (tiles <= 0)
    return;
  int helpers =
      int(std::min<int64_t>(std::min(threads, pool.size()) - 1, tiles - 1));
  if (helpers <= 0) {
    body(context, 0, 0, tiles);
    return;
  }
  pool.body = body;
  pool.context = context;
  pool.tiles = tiles;
  // About eight pieces a thread: even load without a counter update per tile.
  pool.grain =
      std::max({grain, tiles / (int64_t(helpers + 1) * 8), int64_t(1)});
  pool.helpers = helpers;
  pool.next.store(0, std::memory_order_relaxed);
  // Closed and empty here; the release makes the job visible to those who join.
  pool.gate.store((pool.gate.load(std::memory_order_relaxed) & ~(kJob - 1)) +
                      kJob + kOpen,
                  std::memory_order_release);
  pool.gate.notify_all();
  pool.runTiles(0);
  uint32_t state =
      pool.gate.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  for (int spin = 0; state & kInside; ++spin) {
    if (spin < kSpins)
      _mm_pause();
    else
      pool.gate.wait(state, std::memory_order_acquire);
    state = pool.gate.load(std::memory_order_acquire);
  }
}

void ThreadPool::runTiles(int thread) {
  for (;;) {
    int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
    if (begin >= tiles)
      return;
    body(context, thread, begin, std::min(begin + grain, tiles));
  }
}

bool ThreadPool::join(uint32_t state) {
  while (state & kOpen)
    if (gate.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel,
                                   std::memory_order_acquire))
      return true;
  return false;
}

void ThreadPool::leave() {
  uint32_t state = gate.fetch_sub(1, std::memory_order_acq_rel) - 1;
  if (!(state & kOpen) && !(state & kInside))
    gate.notify_all(); // the caller may be waiting for the last one
}

void ThreadPool::work(int thread) {
  if (size_t(thread) < places.size())
    (void)bindTo(places[size_t(thread)]); // a wish: it works elsewhere as well
  _mm_setcsr(kDefaultMode); // a new thread inherits its creator's mode
  setLibraryThreads(1);
  uint32_t done = ~0u; // number of the job this worker has seen to the end
  for (int spin = 0; !stopping.load(std::memory_order_acquire);) {
    uint32_t state = gate.load(std::memory_order_acquire);
    uint32_t job = state / kJob;
    if ((state & kOpen) && job != done && join(state)) {
      // The job may have been replaced between load and join: inside, it stands
      // still.
      job = gate.load(std::memory_order_acquire) / kJob;
      if (thread <= helpers)
        runTiles(thread);
      leave();
      done = job;
      spin = 0;
    } else if (spin < kSpins) {
      ++spin;
      _mm_pause();
    } else {
      gate.wait(state, std::memory_order_acquire);
    }
  }
}

void ThreadPool::stopWorkers() {
  stopping.store(true, std::memory_order_release);
  gate.fetch_add(
      kJob,
      std::memory_order_acq_rel); // changes the value parked workers wait on
  gate.notify_all();
  for (std::thread &worker : workers)
    worker.join();
  workers.clear();
  count.store(1, std::memory_order_relaxed);
  stopping.store(false, std::memory_order_release);
}

int ThreadPool::processors() {
  return int(std::clamp<size_t>(allowed_processors().size(), 1, 1024));
}

Expected<void> ThreadPool::resize(int threads) {
  if (threads < 0 || threads > 1024)
    return fail(Code::Usage, "threads",
                fmt::format("expected 0 to 1024 threads, got {}", threads));
  if (threads == 0)
    threads = processors();
  std::lock_guard lock(mutex);
  if (threads == size())
    return {};
  stopWorkers();
  std::vector<int> processors = allowed_processors();
  std::string binding = thread_binding();
  places.clear();
  if (binding == "on" ||
      (binding == "auto" && isRoomFor(threads, processors.size())))
    places = teamOf(processors, coresOf(processors), ::sched_getcpu(), threads);
  libraryThreads(); // before any worker asks
  SignalsBlocked blocked;
  try {
    while (int(workers.size()) + 1 < threads) {
      int number = int(workers.size()) + 1;
      workers.emplace_back([this, number] { work(number); });
    }
  } catch (const std::system_error &error) {
    count.store(int(workers.size()) + 1, std::memory_order_relaxed);
    places.clear(); // those there are stay where they are
    return fail(Code::Environment, "threads",
                fmt::format("the system gave {} of {} threads: {}",
                            workers.size() + 1, threads, error.what()));
  }
  count.store(threads, std::memory_order_relaxed);
  return {};
}

} // namespace ampc::rt
