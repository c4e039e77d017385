// Mapping and atomic writing of files.
#include "runtime/plan/FileIO.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ampc::rt {

static std::string systemText(int number) { return std::strerror(number); }

FileBytes::FileBytes(FileBytes &&other) noexcept
    : data(std::exchange(other.data, nullptr)),
      size(std::exchange(other.size, 0)), front(std::exchange(other.front, 0)),
      back(std::exchange(other.back, 0)), mapped(other.mapped) {}

FileBytes &FileBytes::operator=(FileBytes &&other) noexcept {
  if (this != &other) {
    release();
    data = std::exchange(other.data, nullptr);
    size = std::exchange(other.size, 0);
    front = std::exchange(other.front, 0);
    back = std::exchange(other.back, 0);
    mapped = other.mapped;
  }
  return *this;
}

FileBytes::~FileBytes() { release(); }

void FileBytes::release() {
  if (!data)
    return;
  if (mapped)
    ::munmap(const_cast<std::byte *>(data), size);
  else
    std::free(const_cast<std::byte *>(data));
  data = nullptr;
  size = front = back = 0;
}

Expected<FileBytes> FileBytes::map(const std::string &path) {
  // Without O_NONBLOCK a pipe would be waited for before it is refused.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail(Code::BadInput, path,
                fmt::format("cannot open the file: {}", systemText(errno)));
  Expected<FileBytes> result = mapOpen(fd, path);
  ::close(fd);
  return result;
}

Expected<FileBytes> FileBytes::mapOpen(int fd, const std::string &path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    return fail(Code::BadInput, path, "expected a regular file");
  FileBytes result;
  result.mapped = true;
  if (status.st_size > 0) {
    void *address =
        ::mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED)
      return fail(Code::Environment, path,
                  fmt::format("cannot map the file: {}", systemText(errno)));
    result.data = static_cast<const std::byte *>(address);
    result.size = size_t(status.st_size);
  }
  return result;
}

void FileBytes::forget(std::span<const std::byte> part) const {
  if (!mapped)
    return;
  auto page = uintptr_t(::sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(part.data()) / page * page;
  auto end = reinterpret_cast<uintptr_t>(part.data() + part.size());
  if (end > begin) // without effect where it fails
    ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

Expected<FileBytes> FileBytes::copy(std::span<const std::byte> bytes) {
  FileBytes result;
  if (bytes.empty())
    return result;
  void *block = std::aligned_alloc(64, (bytes.size() + 63) / 64 * 64);
  if (!block)
    return fail(Code::DoesNotFit, "",
                fmt::format("no memory for {} bytes", bytes.size()));
  std::memcpy(block, bytes.data(), bytes.size());
  result.data = static_cast<const std::byte *>(block);
  result.size = bytes.size();
  return result;
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path(std::move(other.path)), temporary(std::move(other.temporary)),
      fd(std::exchange(other.fd, -1)), overwrite(other.overwrite) {}

AtomicFile::~AtomicFile() {
  if (fd < 0)
    return;
  ::close(fd);
  ::unlink(temporary.c_str());
}

/// Tries of an unused temporary name; one is enough unless somebody guesses.
static constexpr int kNameAttempts = 16;

/// Gives `from` the name `to` unless that is taken; 0 or the error's number.
static int renameWithoutReplacing(const char *from, const char *to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return 0;
  // EINVAL, ENOSYS: this file system or kernel lacks the flag.
  if (errno != EINVAL && errno != ENOSYS)
    return errno;
  if (::link(from, to) != 0)
    return errno;
  ::unlink(from);
  return 0;
}

/// Links that are followed; a longer chain is a circle.
static constexpr int kMaxLinks = 40;

/// The file that `path` leads to. The new file takes that one's name, and the
/// link stays.
static Expected<std::string> withoutLinks(const std::string &given) {
  std::string path = given;
  for (int links = 0; links < kMaxLinks; ++links) {
    char text[PATH_MAX];
    ssize_t length = ::readlink(path.c_str(), text, sizeof text);
    if (length <= 0 || size_t(length) == sizeof text)
      return path;
    std::string target(text, size_t(length));
    size_t slash = path.find_last_of('/');
    bool relative = target[0] != '/' && slash != std::string::npos;
    path = relative ? path.substr(0, slash + 1) + target : target;
  }
  return fail(Code::Usage, given,
              "expected a file name, found links in a circle");
}

Expected<AtomicFile> AtomicFile::create(const std::string &given,
                                        bool overwrite) {
  AMPC_ASSIGN(std::string path, withoutLinks(given));
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode))
      return fail(Code::Usage, path, "expected a file name, found a directory");
    // The new file takes the name of the old one: a device or a pipe would be
    // gone.
    if (!S_ISREG(status.st_mode))
      return fail(Code::Usage, path,
                  "expected a file name, found a device or a pipe");
    if (!overwrite)
      return fail(Code::Usage, path,
                  "the file exists; give --force to replace it");
  }
  // Not mkstemp: a plan or checkpoint is an ordinary file, and the process's
  // mask, which open() applies, cannot be read without changing it.
  int number = EEXIST;
  for (int attempt = 0; attempt < kNameAttempts && number == EEXIST;
       ++attempt) {
    uint64_t name = 0;
    if (::getrandom(&name, sizeof name, 0) != ssize_t(sizeof name)) {
      number = errno;
      break;
    }
    std::string temporary = fmt::format("{}.tmp-{:016x}", path, name);
    int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    0666);
    if (fd >= 0)
      return AtomicFile(path, std::move(temporary), fd, overwrite);
    number = errno;
  }
  return fail(Code::Environment, path,
              fmt::format("cannot create the file: {}", systemText(number)));
}

Expected<void> AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return fail(Code::Environment, path,
                  fmt::format("cannot write the file: {}", systemText(errno)));
    bytes = bytes.subspan(size_t(written));
  }
  return {};
}

Expected<void> AtomicFile::commit(bool flush) {
  if (flush && ::fsync(fd) != 0)
    return fail(Code::Environment, path,
                fmt::format("cannot flush the file: {}", systemText(errno)));
  int number = 0;
  if (!overwrite)
    number = renameWithoutReplacing(temporary.c_str(), path.c_str());
  else if (::rename(temporary.c_str(), path.c_str()) != 0)
    number = errno;
  if (number == EEXIST && !overwrite) // it has appeared meanwhile
    return fail(Code::Usage, path,
                "the file exists; give --force to replace it");
  if (number)
    return fail(Code::Environment, path,
                fmt::format("cannot name the file: {}", systemText(number)));
  ::close(std::exchange(fd, -1));
  if (!flush)
    return {};
  // Without this the new name may be lost with the power; a failure changes
  // nothing else.
  size_t slash = path.find_last_of('/');
  std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
  return {};
}

} // namespace ampc::rt
