#include "test/hostgpu/driver/Touches.h"

using namespace ampc::hostgpu;

bool Clock::ordered(const Touch &before, int thread, Space space) const {
  if (!inBlock(before)) // the blocks of a launch are in no order
    return space == Space::Shared || before.epoch < launchEpoch;
  return before.epoch < epoch || before.thread == thread ||
         (before.thread / 32 == thread / 32 &&
          before.warpEpoch < warpEpochs[size_t(thread)]);
}

std::string Clock::touch(Byte &byte, bool isWrite, int thread,
                         Space space) const {
  Touch now{epoch, warpEpochs[size_t(thread)], uint16_t(thread)};
  auto conflict = [&](const Touch &other, const char *did) {
    return std::string(isWrite ? "writes" : "reads") + " what thread " +
           std::to_string(other.thread) +
           (inBlock(other) ? "" : " of another block") + did +
           ", with no barrier between them: ";
  };
  bool isShared = space == Space::Shared;
  bool written = isShared ? inBlock(byte.write) : byte.write.epoch != 0;
  if (written && !ordered(byte.write, thread, space))
    return conflict(byte.write, " wrote");
  if (isWrite) {
    for (const Touch *read : {&byte.read, &byte.otherRead, &byte.blockRead})
      if (read->epoch && !ordered(*read, thread, space))
        return conflict(*read, " read");
    byte.write = now;
    return {};
  }
  if (!written)
    return isShared ? "reads what no thread of the block wrote: "
                    : "reads what nobody wrote: ";
  if (!inBlock(byte.read))
    byte.blockRead = byte.read;
  else if (byte.read.thread != thread)
    byte.otherRead = byte.read;
  byte.read = now;
  return {};
}
