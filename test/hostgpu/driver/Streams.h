// Streams, events and the order in which queued work runs. Work runs when
// somebody waits for it, one piece at a time from a stream drawn by the seed
// among those whose next piece may run; now and then some runs as soon as it is
// queued. So a wait that is missing shows as wrong data for some seed.
#pragma once

#include "test/hostgpu/driver/Launch.h"

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <vector>

namespace ampc::hostgpu {

struct Capture;

/// A point in a stream: reached when the work before it has run.
struct Marker {
  bool reached = false;
  /// When, in milliseconds of the host's clock.
  double time = 0;
};

using Action = std::function<Failure()>;

struct Work {
  Action action;
  /// Not before this is reached.
  std::shared_ptr<Marker> after;
  uint64_t sequence = 0;
};

struct Stream {
  unsigned flags = 0;
  bool isLegacy = false;
  std::deque<Work> queue;
  /// While it is captured: into what, and after which nodes the next one comes.
  std::shared_ptr<Capture> capture;
  std::vector<int> after;

  bool isBlocking() const {
    return !isLegacy && !(flags & CU_STREAM_NON_BLOCKING);
  }
};

struct Event {
  unsigned flags = 0;
  /// The last record; null before the first.
  std::shared_ptr<Marker> marker;
  /// When the last record was captured: the nodes it stands behind.
  std::shared_ptr<Capture> capture;
  std::vector<int> after;
};

class Scheduler {
public:
  Scheduler();

  Stream *legacy() { return &streams.front(); }
  Stream *create(unsigned flags);
  void destroy(Stream *stream);
  bool knows(const Stream *stream) const;

  /// Queues `work`, and may run some at once.
  void push(Stream &stream, Work work, Random &random);
  /// Runs one piece of work that may run now; false when there is none or the
  /// device has failed.
  bool step(Random &random);
  /// Runs until `stream` is empty, `marker` is reached, or everything is done.
  void drain(const Stream &stream, Random &random);
  void drain(const Marker &marker, Random &random);
  void drain(Random &random);

  /// What went wrong first; the queues are dropped then.
  const Failure &failure() const { return firstFailure; }

private:
  bool mayRun(const Stream &stream) const;
  /// As `step`, under the caller's SignalGuard.
  bool runOne(Random &random);
  /// Runs while `goesOn` and there is work.
  template <class Condition>
  void runWhile(Condition goesOn, Random &random);
  void drop();

  /// The legacy stream is the first.
  std::list<Stream> streams;
  uint64_t sequence = 0;
  Failure firstFailure;
  bool running = false;
};

double milliseconds();

} // namespace ampc::hostgpu
