// Files as the runtime uses them: read whole by mapping, and written so that a
// reader sees either the old file or the complete new one (temporary file,
// fsync, rename).
#pragma once

#include "runtime/plan/Export.h"
#include "runtime/plan/Status.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace ampc::rt {

/// Bytes of a file (mapped) or of memory (copied to a 64-byte aligned block).
/// Move-only.
class AMPC_API FileBytes {
public:
  FileBytes() = default;
  FileBytes(FileBytes &&other) noexcept;
  FileBytes &operator=(FileBytes &&other) noexcept;
  ~FileBytes();

  /// Maps the file at `path`, which must be a regular file.
  [[nodiscard]] static Expected<FileBytes> map(const std::string &path);
  /// Maps an open file, which must be a regular one; `fd` stays the caller's.
  /// `path` stands in errors.
  [[nodiscard]] static Expected<FileBytes> mapOpen(int fd,
                                                   const std::string &path);
  /// Copies `bytes`.
  [[nodiscard]] static Expected<FileBytes>
  copy(std::span<const std::byte> bytes);

  /// The contents.
  std::span<const std::byte> bytes() const {
    return {data + front, size - front - back};
  }
  /// Leaves the first bytes out from now on, as many as there are at most.
  void dropFront(size_t count) { front += std::min(count, bytes().size()); }
  /// The same of the last bytes.
  void dropBack(size_t count) { back += std::min(count, bytes().size()); }
  /// Gives the memory of `part`, which was read, back to the system, where the
  /// file is mapped; read again, it comes from the file.
  void forget(std::span<const std::byte> part) const;

private:
  void release();

  const std::byte *data = nullptr;
  size_t size = 0;
  size_t front = 0, back = 0; ///< bytes at both ends that are left out
  bool mapped = false;
};

/// A file under construction beside its final place. Without `commit` nothing
/// is left behind.
class AMPC_API AtomicFile {
public:
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  /// Starts the file that will stand at `path`, or where the link at `path`
  /// leads. An existing file is an error (Code Usage) unless `overwrite`.
  [[nodiscard]] static Expected<AtomicFile> create(const std::string &path,
                                                   bool overwrite);
  /// Appends `bytes`.
  [[nodiscard]] Expected<void> write(std::span<const std::byte> bytes);
  /// Flushes to disk, unless told not to, and gives the file its name. Without
  /// `overwrite` a file that has taken the name meanwhile stays as it is (Code
  /// Usage).
  [[nodiscard]] Expected<void> commit(bool flush = true);

private:
  AtomicFile(std::string path, std::string temporary, int fd, bool overwrite)
      : path(std::move(path)), temporary(std::move(temporary)), fd(fd),
        overwrite(overwrite) {}

  std::string path;
  std::string temporary;
  int fd = -1;
  bool overwrite = false;
};

} // namespace ampc::rt
