// Finds NVIDIA's libraries.
#include "runtime/device/cuda/Libraries.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <glob.h>
#include <set>
#include <vector>

namespace ampc::rt::cuda {

namespace {

namespace fs = std::filesystem;

constexpr const char *kOverride = "AMPC_CUDA_LIBRARIES";

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The paths that a pattern names, the last in order first: newer versions.
std::vector<std::string> matching(const std::string &pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::ranges::reverse(paths);
  return paths;
}

/// Folders that may hold the toolkit's libraries, most wanted first.
std::vector<std::string> toolkitFolders() {
  if (std::string only = environment(kOverride); !only.empty())
    return {only};
  std::vector<std::string> folders;
  auto add = [&](const std::string &pattern) {
    for (std::string &path : matching(pattern))
      folders.push_back(std::move(path));
  };
  if (std::string home = environment("CUDA_HOME"); !home.empty())
    for (const char *below : {"/lib64", "/lib"})
      folders.push_back(home + below);
  add("/usr/local/cuda/lib64");
  add("/usr/local/cuda-*/lib64");
  add("/opt/cuda/lib64");
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::string root = environment(name); !root.empty()) {
      add(root + "/lib/python3*/site-packages/nvidia/*/lib");
      add(root + "/lib");
    }
  return folders;
}

/// The files of a library in `folder`, newest first: `libX.so.13.0`, `libX.so`.
/// Another build under a longer name, as `libX.alt.so`, is none of them.
std::vector<std::string> filesIn(const std::string &folder,
                                 const std::string &name) {
  std::vector<std::string> files = matching(folder + "/" + name + ".*");
  std::error_code ignored;
  if (fs::exists(folder + "/" + name, ignored))
    files.push_back(folder + "/" + name);
  return files;
}

/// A search under way: what was looked at, and why each was not taken.
class Search {
public:
  explicit Search(std::string what) : what(std::move(what)) {}

  /// Opens `path`, and gives it to `accept`, which says what is wrong with it.
  bool tryFile(const std::string &path,
               const std::function<std::string(void *)> &accept) {
    void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      std::error_code ignored;
      if (fs::exists(path, ignored))
        rejected.push_back(fmt::format("{}: {}", path, ::dlerror()));
      return false;
    }
    std::string wrong = accept(handle);
    if (wrong.empty())
      return true; // stays loaded: NVIDIA's libraries do not unload cleanly
    rejected.push_back(fmt::format("{}: {}", path, wrong));
    return false;
  }
  void lookedIn(std::string place) { places.push_back(std::move(place)); }

  tl::unexpected<Error> failure(const std::string &remedy) const {
    std::string text = fmt::format("{} is not found", what);
    if (rejected.empty())
      text += fmt::format("; looked in {}", fmt::join(places, ", "));
    else
      text =
          fmt::format("{} cannot be used: {}", what, fmt::join(rejected, "; "));
    return fail(Code::Environment, "cuda", text + "; " + remedy);
  }

private:
  std::string what;
  std::vector<std::string> places, rejected;
};

/// The first function of the library that is not there; empty: none.
class Loader {
public:
  explicit Loader(void *handle) : handle(handle) {}
  template <class Pointer>
  void required(Pointer &to, const char *symbol) {
    if (!optional(to, symbol) && missing.empty())
      missing = symbol;
  }
  template <class Pointer>
  bool optional(Pointer &to, const char *symbol) {
    to = reinterpret_cast<Pointer>(::dlsym(handle, symbol));
    return to != nullptr;
  }
  std::string wrong() const {
    return missing.empty() ? ""
                           : fmt::format("lacks the function '{}'", missing);
  }

private:
  void *handle;
  std::string missing;
};

/// The file that `function` was loaded from.
template <class Pointer>
std::string fileOf(Pointer function) {
  Dl_info info{};
  bool known = ::dladdr(reinterpret_cast<void *>(function), &info);
  return known && info.dli_fname ? info.dli_fname : "";
}

std::string tooOld(const Version &version) {
  if (version.major >= kOldestMajor)
    return "";
  return fmt::format("is of CUDA {}.{}, expected {}.0 or newer", version.major,
                     version.minor, kOldestMajor);
}

/// What is wrong with a library of `version` beside a driver of `driver`.
std::string misfit(const Version &version, const Version &driver) {
  if (version.major <= driver.major)
    return tooOld(version);
  return fmt::format("is of CUDA {}.{}, the driver serves up to {}.{}",
                     version.major, version.minor, driver.major, driver.minor);
}

/// Looks for a library of the toolkit.
bool searchToolkit(Search &search, const std::string &name,
                   const std::function<std::string(void *)> &accept) {
  std::set<std::string> seen; // a library has several names
  for (const std::string &folder : toolkitFolders()) {
    search.lookedIn(folder);
    for (const std::string &file : filesIn(folder, name)) {
      std::error_code ignored;
      bool isNew = seen.insert(fs::canonical(file, ignored).string()).second;
      if (isNew && search.tryFile(file, accept))
        return true;
    }
  }
  if (!environment(kOverride).empty())
    return false;
  search.lookedIn("the loader's path");
  for (const char *ending : {".13", ".12", ""})
    if (search.tryFile(name + ending, accept))
      return true;
  return false;
}

/// NVRTC opens its builtins by name alone, which fails unless they are loaded:
/// those beside it.
std::string loadBuiltins(const std::string &nvrtc, const Version &version) {
  std::string path = fmt::format("{}/libnvrtc-builtins.so.{}.{}",
                                 fs::path(nvrtc).parent_path().string(),
                                 version.major, version.minor);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) // it may be the loader's to find
    return "";
  return ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) ? "" : ::dlerror();
}

} // namespace

#define AMPC_LOAD(member, symbol, ...)                                         \
  loader.required(library.api.member, #symbol);
#define AMPC_LOAD_OPTIONAL(member, symbol, ...)                                \
  loader.optional(library.api.member, #symbol);

Expected<Library<DriverApi>> openDriver() {
  Library<DriverApi> library;
  auto accept = [&](void *handle) -> std::string {
    library = {};
    Loader loader(handle);
    AMPC_CUDA_DRIVER(AMPC_LOAD)
    AMPC_CUDA_DRIVER_OPTIONAL(AMPC_LOAD_OPTIONAL)
    if (!loader.wrong().empty())
      return loader.wrong();
    library.path = fileOf(library.api.init);
    int number = 0;
    if (library.api.driverVersion(&number) != 0)
      return "does not tell its version";
    library.version = {number / 1000, number % 1000 / 10};
    return tooOld(library.version);
  };
  Search search("NVIDIA's driver, libcuda.so.1,");
  std::vector<std::string> paths = {"libcuda.so.1",
                                    "/usr/lib/wsl/lib/libcuda.so.1",
                                    "/usr/local/nvidia/lib64/libcuda.so.1"};
  std::string only = environment(kOverride);
  if (!only.empty())
    paths = {only + "/libcuda.so.1"};
  for (const std::string &path : paths) {
    std::string folder = fs::path(path).parent_path().string();
    search.lookedIn(folder.empty() ? "the loader's path" : folder);
    if (search.tryFile(path, accept))
      return library;
  }
  return search.failure(fmt::format(
      "install NVIDIA's driver for CUDA {}.0 or newer", kOldestMajor));
}

Expected<Library<NvrtcApi>> openNvrtc(const Version &driver) {
  Library<NvrtcApi> library;
  auto accept = [&](void *handle) -> std::string {
    library = {};
    Loader loader(handle);
    AMPC_NVRTC(AMPC_LOAD)
    if (!loader.wrong().empty())
      return loader.wrong();
    library.path = fileOf(library.api.version);
    Version &version = library.version;
    if (library.api.version(&version.major, &version.minor) != 0)
      return "does not tell its version";
    if (std::string wrong = misfit(version, driver); !wrong.empty())
      return wrong;
    return loadBuiltins(library.path, version);
  };
  Search search("CUDA's run-time compiler, libnvrtc.so,");
  if (searchToolkit(search, "libnvrtc.so", accept))
    return library;
  return search.failure(
      fmt::format("install the CUDA toolkit {}.0 to {}.x, or its package "
                  "cuda-nvrtc, or set CUDA_HOME",
                  kOldestMajor, driver.major));
}

Expected<Library<BlasApi>> openBlas(const Version &driver) {
  Library<BlasApi> library;
  auto accept = [&](void *handle) -> std::string {
    library = {};
    Loader loader(handle);
    AMPC_BLAS(AMPC_LOAD)
    if (!loader.wrong().empty())
      return loader.wrong();
    library.path = fileOf(library.api.version);
    size_t number = library.api.version();
    library.version = {int(number / 10000), int(number % 10000 / 100)};
    return misfit(library.version, driver);
  };
  Search search("CUDA's matrix library, libcublasLt.so,");
  if (searchToolkit(search, "libcublasLt.so", accept))
    return library;
  return search.failure(
      fmt::format("install the CUDA toolkit {}.0 to {}.x, or its package "
                  "libcublas, or set CUDA_HOME",
                  kOldestMajor, driver.major));
}

#undef AMPC_LOAD
#undef AMPC_LOAD_OPTIONAL

} // namespace ampc::rt::cuda
