// The processors that this process may run on, and where a team of threads is
// bound on them.
#pragma once

#include "runtime/plan/Export.h"

#include <span>
#include <string>
#include <vector>

namespace ampc::rt {

/// Those that the system lets this thread run on (affinity, cpusets), in order.
AMPC_API std::vector<int> allowed_processors();

/// The core that each of `processors` is a part of, told by the first processor
/// of that core; a processor itself where the system does not say. `root` is
/// where the system's files stand, "" for this machine's.
std::vector<int> coresOf(std::span<const int> processors,
                         const std::string &root = "");

/// A processor each for `threads` threads: `first`, which the process runs on
/// (so that several processes do not all begin with the same one), then those
/// behind it in turn, those of unused cores before the second ones of used
/// cores. Empty, which binds nobody: one thread, or more than there are
/// processors.
std::vector<int> teamOf(std::span<const int> processors,
                        std::span<const int> cores, int first, int threads);

/// Whether teams are bound: AMPC_BIND, `on` or `off`; else `auto`, where
/// processors are free (see isRoomFor).
AMPC_API std::string thread_binding();

/// Whether `threads` threads, the caller among them, and what else is ready to
/// run on this machine now are no more than `processors`. A thread that is
/// bound to a busy processor would wait there. `root` as above.
bool isRoomFor(int threads, size_t processors, const std::string &root = "");

/// How the system backs memory that asks for pages of 2 MiB: `always`,
/// `madvise`, `never`; `off` where AMPC_LARGE_PAGES says so or the system says
/// nothing.
AMPC_API std::string large_pages();

} // namespace ampc::rt
