// Objects of kernels, on several threads.
#include "codegen/cpu/ObjectQueue.h"

#include "codegen/cpu/CpuSteps.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <chrono>
#include <pthread.h>
#include <thread>

using namespace llvm;
using namespace ampc;

namespace {

/// Seconds since the one before, added to a sum.
class Lap {
public:
  void end(double &sum) {
    Clock::time_point now = Clock::now();
    sum += std::chrono::duration<double>(now - start).count();
    start = now;
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// One thread's share: takes the next kernel until there is none.
class Worker {
public:
  Worker(ArrayRef<KernelObject *> work, const CpuLevel &level,
         std::atomic<size_t> &next)
      : work(work), level(level), next(next) {}

  void run() {
    Lap lap;
    Expected<std::unique_ptr<TargetMachine>> machine = targetMachineFor(level);
    if (!machine) {
      error = toString(machine.takeError());
      return;
    }
    for (size_t i; (i = next++) < work.size() && error.empty();) {
      KernelObject &object = *work[i];
      optimizeModule(*object.module, **machine, level);
      lap.end(seconds.optimize);
      Expected<SmallVector<char, 0>> bytes =
          emitObject(*object.module, **machine);
      if (bytes)
        object.bytes = std::move(*bytes);
      else
        error = toString(bytes.takeError());
      object.module.reset();
      object.context.reset();
      lap.end(seconds.object);
    }
  }

  ObjectSeconds seconds;
  std::string error; ///< empty: none

private:
  ArrayRef<KernelObject *> work;
  const CpuLevel &level;
  std::atomic<size_t> &next;
};

} // namespace

static void *runWorker(void *worker) {
  static_cast<Worker *>(worker)->run();
  return nullptr;
}

Error ampc::makeObjects(MutableArrayRef<KernelObject> objects,
                        const CpuLevel &level, unsigned threads,
                        ObjectSeconds &seconds) {
  SmallVector<KernelObject *> work;
  for (KernelObject &object : objects)
    if (object.module)
      work.push_back(&object);
  if (work.empty())
    return Error::success();
  // The largest first, so that none is left alone at the end.
  llvm::sort(work, [](const KernelObject *a, const KernelObject *b) {
    return a->source.size() > b->source.size();
  });
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next{0};
  std::vector<Worker> workers(std::min<size_t>(threads, work.size()),
                              Worker(work, level, next));
  SmallVector<pthread_t> others;
  // Where the system gives no more threads, those there are do it.
  for (size_t i = 1; i < workers.size(); ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, runWorker, &workers[i]) != 0)
      break;
    others.push_back(thread);
  }
  workers.front().run();
  for (pthread_t thread : others)
    pthread_join(thread, nullptr);
  for (const Worker &worker : workers) {
    if (!worker.error.empty())
      return createStringError(worker.error);
    seconds.optimize += worker.seconds.optimize;
    seconds.object += worker.seconds.object;
  }
  return Error::success();
}
