// The state behind the entry points: one device, its primary context, one lock.
#pragma once

#include "test/hostgpu/driver/Graph.h"

#include <mutex>
#include <set>

namespace ampc::hostgpu {

/// What lives from the first retain of the primary context to its last release.
struct Context {
  Settings settings;
  Random random;
  Scheduler scheduler;
  std::set<Event *> events;
  std::set<Graph *> graphs;
  std::set<std::shared_ptr<const Graph> *> graphExecs;
  std::map<Module *, std::shared_ptr<Module>> modules;
  std::map<Function *, Module *> functions;
  std::vector<std::shared_ptr<Capture>> captures;
  long allocations = 0;

  explicit Context(const Settings &settings)
      : settings(settings), random(settings.seed) {}
  ~Context();
};

class Device {
public:
  std::recursive_mutex mutex;
  bool initialized = false;
  Settings settings;
  int retained = 0;
  std::unique_ptr<Context> context;
  DeviceMemory memory;
  PinnedMemory pinned;
  DeviceChecks checks;
  LaunchRunner launches{memory, pinned, checks};
  std::string lastReport;

  /// Keeps `text` for ampcHostGpuLastReport, prints it, and returns `code`.
  CUresult report(CUresult code, const std::string &text);
  /// The sticky error, reported once.
  CUresult sticky();
  /// A fresh context has no sticky error.
  void forgetFailure() { stickyReported = false; }
  /// Calls that would wait for the device, or may, are refused while a stream
  /// is captured; the capture is lost.
  CUresult refuseDuringCapture(const char *call);
  /// Queues or captures `action`.
  CUresult submit(Stream &stream, Action action);
  void invalidate(Capture &capture) { capture.invalidated = true; }

  /// Null when the handle is none of a stream; null handle: the legacy stream.
  Stream *stream(CUstream handle);
  Event *event(CUevent handle);

private:
  bool stickyReported = false;
};

Device &device();
/// The context this thread has made current.
extern thread_local Context *currentContext;

/// Held by every entry point: the lock, and why the call cannot go on.
struct Entry {
  enum Needs { Nothing, Initialized, CurrentContext };
  explicit Entry(Needs needs = CurrentContext);
  std::unique_lock<std::recursive_mutex> lock;
  CUresult status = CUDA_SUCCESS;
};

} // namespace ampc::hostgpu

/// First line of an entry point.
#define HOSTGPU_ENTER(...)                                                     \
  ::ampc::hostgpu::Entry entry{__VA_ARGS__};                                   \
  if (entry.status != ::ampc::hostgpu::CUDA_SUCCESS)                           \
  return entry.status
