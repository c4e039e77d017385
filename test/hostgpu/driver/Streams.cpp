#include "test/hostgpu/driver/Streams.h"
#include "test/hostgpu/driver/Signals.h"

#include <chrono>

using namespace ampc::hostgpu;

namespace {
/// The driver's queues hold about this much before a call waits.
constexpr size_t kQueued = 1024;
} // namespace

double ampc::hostgpu::milliseconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

Scheduler::Scheduler() {
  streams.emplace_back();
  streams.front().isLegacy = true;
}

Stream *Scheduler::create(unsigned flags) {
  streams.emplace_back();
  streams.back().flags = flags;
  return &streams.back();
}

void Scheduler::destroy(Stream *stream) {
  streams.remove_if([&](const Stream &each) { return &each == stream; });
}

bool Scheduler::knows(const Stream *stream) const {
  for (const Stream &each : streams)
    if (&each == stream)
      return true;
  return false;
}

bool Scheduler::mayRun(const Stream &stream) const {
  if (stream.queue.empty())
    return false;
  const Work &work = stream.queue.front();
  if (work.after && !work.after->reached)
    return false;
  // Work of the legacy stream comes after all that blocking streams got before
  // it, and before all they get later.
  for (const Stream &other : streams) {
    bool ordered = (stream.isLegacy && other.isBlocking()) ||
                   (stream.isBlocking() && other.isLegacy);
    if (ordered && !other.queue.empty() &&
        other.queue.front().sequence < work.sequence)
      return false;
  }
  return true;
}

void Scheduler::push(Stream &stream, Work work, Random &random) {
  if (firstFailure.code != CUDA_SUCCESS)
    return;
  work.sequence = ++sequence;
  stream.queue.push_back(std::move(work));
  uint32_t count = random.below(4) ? 0 : 1 + random.below(4);
  runWhile([&] { return count ? count-- > 0 : stream.queue.size() > kQueued; },
           random);
}

bool Scheduler::step(Random &random) {
  SignalGuard guard;
  return runOne(random);
}

bool Scheduler::runOne(Random &random) {
  if (running || firstFailure.code != CUDA_SUCCESS)
    return false;
  Stream *ready = nullptr;
  uint32_t count = 0;
  // Each stream that may run is as likely as the others.
  for (Stream &stream : streams)
    if (mayRun(stream) && random.below(++count) == 0)
      ready = &stream;
  if (!ready)
    return false;
  Work work = std::move(ready->queue.front());
  ready->queue.pop_front();
  if (!work.action)
    return true;
  running = true;
  Failure failure = work.action();
  running = false;
  if (failure.code != CUDA_SUCCESS) {
    firstFailure = std::move(failure);
    drop();
  }
  return true;
}

void Scheduler::drop() {
  for (Stream &stream : streams)
    stream.queue.clear();
}

template <class Condition>
void Scheduler::runWhile(Condition goesOn, Random &random) {
  if (!goesOn())
    return;
  SignalGuard guard;
  while (runOne(random) && goesOn()) {
  }
}

void Scheduler::drain(const Stream &stream, Random &random) {
  runWhile([&] { return !stream.queue.empty(); }, random);
}

void Scheduler::drain(const Marker &marker, Random &random) {
  runWhile([&] { return !marker.reached; }, random);
}

void Scheduler::drain(Random &random) {
  runWhile([] { return true; }, random);
}
