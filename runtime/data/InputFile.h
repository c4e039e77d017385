// Files of data as bytes in place: mapped, and those that are compressed first
// inflated to an unnamed temporary file, so that a file larger than memory can
// be read either way.
#pragma once

#include "runtime/plan/FileIO.h"

#include <string>

namespace ampc::rt {

/// Maps the file at `path`; one that ends with `.gz` is inflated first. What is
/// no gzip file or is damaged: Code BadInput; no room to inflate it: Code
/// Environment.
[[nodiscard]] AMPC_API Expected<FileBytes> openInput(const std::string &path);

/// `path` without a `.gz` at its end.
std::string_view withoutGz(std::string_view path);

/// The member `name` (or `name.npy`) of the zip file at `path`, stored or
/// deflated. Missing: Code BadInput with the names there are.
[[nodiscard]] AMPC_API Expected<FileBytes>
openZipMember(const std::string &path, const std::string &name);

} // namespace ampc::rt
