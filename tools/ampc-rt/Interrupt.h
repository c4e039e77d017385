// Signals. Ctrl-C: the first asks the training loop to stop after the window,
// the second ends the process.
#pragma once

#include <atomic>

namespace ampc::rt {

/// Installs the handlers of SIGINT and SIGTERM, for the calling thread to run;
/// gives the flag they set.
const std::atomic<bool> &watchInterrupts();

/// Makes a write beyond the size that a file may have (`ulimit -f`) an error of
/// that write, as on a full disk: it would end the process, temporary files and
/// all.
void ignoreFileSizeLimit();

} // namespace ampc::rt
