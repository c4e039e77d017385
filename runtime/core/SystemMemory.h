// How much memory the system would give: what the kernel says is available, and
// what the process's control groups leave of it.
#pragma once

#include "runtime/plan/Export.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ampc::rt {

/// Bytes that can be had without swapping; nothing where the system does not
/// say. `root` is where the system's files stand, "" for this machine's.
AMPC_API std::optional<uint64_t> availableMemory(const std::string &root = "");

/// Bytes of memory that this process occupies, mapped files aside; nothing
/// where the system does not say.
AMPC_API std::optional<uint64_t> residentMemory(const std::string &root = "");

} // namespace ampc::rt
