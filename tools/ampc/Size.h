// Sizes on the command line.
#pragma once

#include "runtime/core/Status.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ampc {

/// Bytes of `512MiB`, `2GiB`, `75%` (of `whole`) or a plain number, the value
/// of `option`. Anything else is Code Usage; a share where `whole` is not known
/// Code Environment.
[[nodiscard]] rt::Expected<uint64_t> sizeOption(const char *option,
                                                const std::string &text,
                                                std::optional<uint64_t> whole);

} // namespace ampc
