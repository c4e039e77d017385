// A CUDA device in use: its driver, its context, its facts, and how its errors
// are told.
#pragma once

#include "runtime/device/cuda/Libraries.h"
#include "runtime/device/cuda/Nvrtc.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ampc::rt::cuda {

/// A device that the driver sees.
struct DeviceFacts {
  int number = 0; ///< N of `cuda:N`
  std::string name;
  Arch arch = 0;
  uint64_t bytes = 0; ///< of its memory
  int multiprocessors = 1;

  /// `cuda:0 (NVIDIA H200)`.
  std::string text() const;
};

/// The devices that the driver sees, maybe none. Starts the driver.
[[nodiscard]] Expected<std::vector<DeviceFacts>>
listDevices(const Library<DriverApi> &driver);

/// The primary context of a device, held while this lives.
class Context {
public:
  /// Of device `number`. None of that number: Code Environment, with those
  /// there are.
  [[nodiscard]] static Expected<std::unique_ptr<Context>> open(int number);
  Context(const Context &) = delete;
  ~Context();

  const DriverApi &api() const { return library.api; }
  const Library<DriverApi> &driver() const { return library; }
  const DeviceFacts &device() const { return facts; }

  /// Makes it the calling thread's: before any other call.
  [[nodiscard]] Expected<void> enter() const {
    return check(api().setContext(handle), "the context cannot be entered");
  }

  /// Nothing, or the error: `what` failed with `result`. Out of memory: Code
  /// DoesNotFit, all others Code Environment.
  [[nodiscard]] Expected<void> check(Result result, const char *what) const {
    if (result == 0)
      return {};
    return tl::unexpected(error(result, what));
  }
  Error error(Result result, const std::string &what) const;
  /// Whether a kernel went wrong, then or before: nothing runs in the context
  /// any more.
  static bool isLasting(Result result);

private:
  explicit Context(Library<DriverApi> library) : library(std::move(library)) {}

  Library<DriverApi> library;
  DeviceFacts facts;
  ContextHandle handle = nullptr;
};

/// A handle that is destroyed with it. Move-only.
template <class T>
class Owned {
public:
  Owned() = default;
  Owned(T handle, Result (*destroy)(T)) : handle(handle), destroy(destroy) {}
  Owned(Owned &&other) noexcept
      : handle(std::exchange(other.handle, T())), destroy(other.destroy) {}
  Owned &operator=(Owned &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(destroy, other.destroy);
    return *this;
  }
  ~Owned() {
    if (handle)
      (void)destroy(handle);
  }
  T get() const { return handle; }
  explicit operator bool() const { return handle != T(); }

private:
  T handle = T();
  Result (*destroy)(T) = nullptr;
};

} // namespace ampc::rt::cuda
