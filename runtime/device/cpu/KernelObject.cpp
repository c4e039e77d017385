// Loading of shared objects from memory.
#include "runtime/device/cpu/KernelObject.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ampc::rt {

namespace {

bool writeAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.subspan(size_t(written));
  }
  return true;
}

/// dlopen through a memory file; no handle where any part of it is refused.
void *openFromMemory(std::span<const std::byte> bytes, int &fd) {
  fd = ::memfd_create("ampc-kernels", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return nullptr;
  void *handle = nullptr;
  if (writeAll(fd, bytes)) {
    ::fcntl(fd, F_ADD_SEALS,
            F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    handle = ::dlopen(fmt::format("/proc/self/fd/{}", fd).c_str(),
                      RTLD_NOW | RTLD_LOCAL);
  }
  if (!handle) {
    ::close(fd);
    fd = -1;
  }
  return handle;
}

/// dlopen through a file in a directory that only this user can enter; both are
/// gone afterwards.
Expected<void *> openFromFile(std::span<const std::byte> bytes,
                              const std::string &where) {
  const char *base = std::getenv("TMPDIR");
  std::string folder =
      std::string(base && *base ? base : "/tmp") + "/ampc-XXXXXX";
  if (!::mkdtemp(folder.data()))
    return fail(
        Code::Environment, where,
        fmt::format("cannot make a temporary directory for the kernels: {}",
                    std::strerror(errno)));
  std::string path = folder + "/kernels.so";
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  bool written = fd >= 0 && writeAll(fd, bytes);
  int number = errno;
  if (fd >= 0)
    ::close(fd);
  void *handle =
      written ? ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  const char *loaderText = written && !handle ? ::dlerror() : nullptr;
  std::string reason = loaderText ? loaderText : std::strerror(number);
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
  if (!written)
    return fail(Code::Environment, where,
                fmt::format("cannot write the kernels to a temporary file: {}",
                            reason));
  if (!handle)
    return fail(Code::BadInput, where,
                fmt::format("the kernels do not load: {}", reason));
  return handle;
}

} // namespace

KernelObject::KernelObject(KernelObject &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)),
      fd(std::exchange(other.fd, -1)), where(std::move(other.where)) {}

KernelObject &KernelObject::operator=(KernelObject &&other) noexcept {
  if (this != &other) {
    release();
    handle = std::exchange(other.handle, nullptr);
    fd = std::exchange(other.fd, -1);
    where = std::move(other.where);
  }
  return *this;
}

KernelObject::~KernelObject() { release(); }

void KernelObject::release() {
  if (handle)
    ::dlclose(std::exchange(handle, nullptr));
  if (fd >= 0)
    ::close(std::exchange(fd, -1));
}

Expected<KernelObject> KernelObject::load(std::span<const std::byte> bytes,
                                          const std::string &where, Via via) {
  KernelObject object;
  object.where = where;
  if (via == Via::Automatic)
    object.handle = openFromMemory(bytes, object.fd);
  if (!object.handle) {
    AMPC_ASSIGN(object.handle, openFromFile(bytes, where));
  }
  return object;
}

/// Calls that a thread makes of a kernel whose tiles share work: two, as
/// threads are not equally fast.
static constexpr int64_t kSharingCalls = 2;

int64_t leastTiles(const fb::Kernel &kernel, int threads) {
  int64_t tiles = int64_t(kernel.tiles());
  if (!kernel.shares() || tiles == 0)
    return 1;
  auto parts = [](int64_t whole, int64_t part) {
    return (whole + part - 1) / part;
  };
  // The largest calls that leave no thread with much more than its part.
  int64_t part = parts(tiles, threads), most = part + part / 8;
  int64_t least = parts(tiles, kSharingCalls * threads);
  while (least > 1 && parts(parts(tiles, least), threads) * least > most)
    --least;
  return least;
}

Expected<KernelFunction> KernelObject::find(const std::string &symbol) const {
  void *address = handle ? ::dlsym(handle, symbol.c_str()) : nullptr;
  if (!address)
    return fail(Code::BadInput, where,
                fmt::format("the kernels have no function '{}'", symbol));
  return reinterpret_cast<KernelFunction>(address);
}

} // namespace ampc::rt
