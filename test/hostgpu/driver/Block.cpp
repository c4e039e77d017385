#include "test/hostgpu/driver/Block.h"
#include "test/hostgpu/driver/Launch.h"

#include <bit>

using namespace ampc::hostgpu;

namespace {

/// The runner whose fibers start now: one block runs at a time.
BlockRunner *starting = nullptr;

const char *name(int operation) {
  static const char *const names[] = {
      "__syncwarp",      "__shfl_sync",   "__shfl_up_sync", "__shfl_down_sync",
      "__shfl_xor_sync", "__ballot_sync", "__all_sync",     "__any_sync"};
  return names[operation];
}

} // namespace

void BlockRunner::run(ampc_host_state &theState,
                      const ampc_host_kernel &theKernel,
                      void *const *theArguments, Random &theRandom) {
  state = &theState;
  kernel = &theKernel;
  arguments = theArguments;
  random = &theRandom;
  const ampc_host_index &size = state->block_size;
  threads = int(size.x * size.y * size.z);
  waiting = exited = barrierLine = 0;
  lanes.resize(size_t(threads));
  warps.resize(size_t(threads + 31) / 32);
  for (Warp &warp : warps) {
    warp.meetings.clear();
    warp = {.meetings = std::move(warp.meetings)};
  }
  for (int thread = 0; thread < threads; ++thread)
    warps[size_t(thread) / 32].exists |= 1u << thread % 32;
  for (Warp &warp : warps)
    warp.runnable = warp.exists;
  priorities.resize(warps.size());
  for (size_t i = 0; i < priorities.size(); ++i)
    priorities[i] = int(i);
  drawPriorities();
  starting = this;
  running = -1;
  switchTo(pick());
}

void BlockRunner::drawPriorities() {
  for (size_t i = priorities.size(); i > 1; --i)
    std::swap(priorities[i - 1], priorities[random->below(uint32_t(i))]);
}

int BlockRunner::pick() {
  for (int warp : priorities)
    if (unsigned runnable = warps[size_t(warp)].runnable) {
      int turn = int(random->next() >> 59);
      return warp * 32 +
             (std::countr_zero(std::rotr(runnable, turn)) + turn) % 32;
    }
  return -1;
}

void BlockRunner::switchTo(int thread) {
  void **from = running < 0 ? &mainStack : &lanes[size_t(running)].stack;
  running = thread;
  if (thread < 0)
    return ampcHostGpuSwitch(from, mainStack);
  Warp &warp = warps[size_t(thread) / 32];
  unsigned bit = 1u << thread % 32;
  if (!(warp.started & bit)) {
    warp.started |= bit;
    void *stack = stacks.prepare(thread, enter);
    if (!stack)
      fail("no memory for the stacks of " + std::to_string(threads) +
           " threads");
    lanes[size_t(thread)].stack = stack;
  }
  const ampc_host_index &size = state->block_size;
  unsigned index = unsigned(thread);
  state->thread = {index, 0, 0};
  if (size.x != unsigned(threads))
    state->thread = {index % size.x, index / size.x % size.y,
                     index / size.x / size.y};
  ampcHostGpuSwitch(from, lanes[size_t(thread)].stack);
}

void BlockRunner::enter() {
  BlockRunner *runner = starting;
  runner->kernel->invoke(runner->arguments);
  runner->leave();
}

void BlockRunner::leave() {
  Warp &warp = warps[size_t(running) / 32];
  unsigned bit = 1u << running % 32;
  warp.runnable &= ~bit;
  warp.exited |= bit;
  ++exited;
  int next = pick();
  if (next < 0 && exited < threads)
    failStuck();
  switchTo(next);
}

void BlockRunner::waitForOthers() {
  int next = pick();
  if (next < 0)
    failStuck();
  switchTo(next);
}

void BlockRunner::barrier(int line) {
  int thread = running;
  Lane &lane = lanes[size_t(thread)];
  Warp &warp = warps[size_t(thread) / 32];
  unsigned bit = 1u << thread % 32;
  lane.line = line;
  warp.runnable &= ~bit;
  warp.atBarrier |= bit;
  if (waiting++ && line != barrierLine)
    failStuck();
  barrierLine = line;
  if (waiting < threads)
    return waitForOthers();
  // All are here: a new epoch, and another warp runs ahead.
  waiting = 0;
  for (Warp &each : warps) {
    each.atBarrier = 0;
    each.runnable = each.exists;
  }
  clock.barrier();
  drawPriorities();
  int next = pick();
  if (next != thread)
    switchTo(next);
}

unsigned long BlockRunner::meet(int operation, unsigned mask,
                                unsigned long value, int argument, int width,
                                int line) {
  int thread = running;
  Lane &lane = lanes[size_t(thread)];
  Warp &warp = warps[size_t(thread) / 32];
  unsigned bit = 1u << thread % 32;
  if (!(mask & bit))
    fail(std::string(name(operation)) + " of line " + std::to_string(line) +
         ": the mask leaves out the lane that calls, " +
         std::to_string(thread % 32));
  if (width < 1 || width > 32 || (width & (width - 1)))
    fail(std::string(name(operation)) + " of line " + std::to_string(line) +
         ": the width is " + std::to_string(width) + ", not a power of two");
  if (unsigned gone = mask & warp.exited)
    fail(std::string(name(operation)) + " of line " + std::to_string(line) +
         ": the mask names lane " + std::to_string(std::countr_zero(gone)) +
         ", which has ended");
  lane = {lane.stack, operation, mask, value, 0, argument, width, line};
  warp.meeting |= bit;
  warp.runnable &= ~bit;
  if (!arrive(warp, thread)) {
    waitForOthers();
    return lane.result;
  }
  complete(thread / 32, mask & warp.exists);
  // The lanes go on in random order, this one as the others.
  int next = pick();
  if (next != thread)
    switchTo(next);
  return lane.result;
}

bool BlockRunner::arrive(Warp &warp, int thread) {
  const Lane &lane = lanes[size_t(thread)];
  size_t at = 0;
  while (at < warp.meetings.size() && warp.meetings[at].mask != lane.mask)
    ++at;
  if (at == warp.meetings.size())
    warp.meetings.push_back({lane.mask, 0, lane.operation, lane.line, thread});
  Meeting &meeting = warp.meetings[at];
  if (meeting.operation != lane.operation || meeting.line != lane.line)
    fail("lanes of one warp do not meet: " + whereabouts(thread) + ", " +
         whereabouts(meeting.firstLane));
  meeting.arrived |= 1u << thread % 32;
  if (meeting.arrived != (lane.mask & warp.exists))
    return false;
  warp.meetings.erase(warp.meetings.begin() + std::ptrdiff_t(at));
  return true;
}

void BlockRunner::complete(int warpIndex, unsigned mask) {
  Warp &warp = warps[size_t(warpIndex)];
  Lane *all = &lanes[size_t(warpIndex) * 32];
  unsigned votes = 0;
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    votes |= unsigned(all[lane].value != 0) << lane;
  }
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    Lane &asked = all[lane];
    switch (asked.operation) {
    case AMPC_HOST_SYNC:
      clock.warpBarrier(warpIndex * 32 + lane);
      break;
    case AMPC_HOST_BALLOT:
      asked.result = votes;
      break;
    case AMPC_HOST_ALL:
      asked.result = votes == mask;
      break;
    case AMPC_HOST_ANY:
      asked.result = votes != 0;
      break;
    default:
      int source = sourceLane(lane, asked);
      if (!(mask >> source & 1))
        fail(std::string(name(asked.operation)) + " of line " +
             std::to_string(asked.line) + ": lane " + std::to_string(lane) +
             " reads lane " + std::to_string(source) +
             ", which the mask leaves out");
      asked.result = all[source].value;
    }
  }
  warp.meeting &= ~mask;
  warp.runnable |= mask;
}

int BlockRunner::sourceLane(int lane, const Lane &asked) const {
  int begin = lane & ~(asked.width - 1), end = begin + asked.width;
  switch (asked.operation) {
  case AMPC_HOST_SHUFFLE:
    return begin | (asked.argument & (asked.width - 1));
  case AMPC_HOST_SHUFFLE_UP:
    return lane - asked.argument >= begin ? lane - asked.argument : lane;
  case AMPC_HOST_SHUFFLE_DOWN:
    return lane + asked.argument < end ? lane + asked.argument : lane;
  default: // exclusive or: a later segment is out of reach
    return ((lane ^ asked.argument) & 31) < end ? (lane ^ asked.argument) & 31
                                                : lane;
  }
}

std::string BlockRunner::whereabouts(int thread) const {
  const Warp &warp = warps[size_t(thread) / 32];
  const Lane &lane = lanes[size_t(thread)];
  std::string text = "thread " + std::to_string(thread);
  unsigned bit = 1u << thread % 32;
  if (warp.exited & bit)
    return text + " has ended";
  if (warp.atBarrier & bit)
    return text + " waits at the barrier of line " + std::to_string(lane.line);
  if (warp.meeting & bit)
    return text + " waits in " + name(lane.operation) + " of line " +
           std::to_string(lane.line);
  return text + " has not arrived";
}

void BlockRunner::failStuck() {
  // The first thread, and the first one that does something else.
  std::string first = whereabouts(0);
  auto tail = [](const std::string &text) {
    return text.substr(text.find(' ', 7));
  };
  for (int thread = 1; thread < threads; ++thread)
    if (std::string other = whereabouts(thread); tail(other) != tail(first))
      fail("threads of one block do not meet: " + first + ", " + other);
  fail("all threads wait: " + first);
}
