// Ctrl-C: the first asks the training loop to stop after the window, the second
// ends the process.
#pragma once

#include <atomic>

namespace ampc::rt {

/// Installs the handlers of SIGINT and SIGTERM, for the calling thread to run;
/// gives the flag they set.
const std::atomic<bool> &watchInterrupts();

} // namespace ampc::rt
