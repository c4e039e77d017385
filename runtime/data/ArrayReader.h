// Sources whose file is one array: idx, npy, npz, safetensors with axis 0 as
// the sample axis, text and tokens as windows of one long row.
#pragma once

#include "runtime/data/SampleReader.h"

namespace ampc::rt {

/// Opens the file `path` of kind `spec.kind`: idx, npy, npz or safetensors.
[[nodiscard]] Expected<std::unique_ptr<SampleReader>>
openArray(const DataSpec &spec, const std::string &path, const Port &port,
          const SampleOptions &options, const SampleContext &context);

/// Opens the file `path` as windows of bytes (`text`) or of 16-bit numbers
/// (`tokens`). The second name of a line is the first moved by one.
[[nodiscard]] Expected<std::unique_ptr<SampleReader>>
openWindows(const DataSpec &spec, const std::string &path, const Port &port,
            const SampleOptions &options, const SampleContext &context);

} // namespace ampc::rt
