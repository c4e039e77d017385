// Loading and calling NVRTC; see Nvrtc.h.
#include "test/kernels/Nvrtc.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <type_traits>

namespace ampc::test {

namespace {

/// The few entry points of NVRTC that compiling needs.
struct Nvrtc {
  using Handle = void *;
  int (*create)(Handle *, const char *, const char *, int, const char *const *,
                const char *const *) = nullptr;
  int (*compile)(Handle, int, const char *const *) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*logSize)(Handle, size_t *) = nullptr;
  int (*log)(Handle, char *) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;

  bool load(const std::string &folder) {
    // By absolute path NVRTC finds its built-in functions only when they are
    // loaded already. The
    // `.alt` libraries are other builds: the name must end in a version.
    std::error_code error;
    std::string library, builtins;
    for (const auto &entry :
         std::filesystem::directory_iterator(folder, error)) {
      std::string name = entry.path().filename();
      if (name.find(".alt") != std::string::npos)
        continue;
      if (name.starts_with("libnvrtc-builtins.so."))
        builtins = std::max(builtins, entry.path().string());
      else if (name.starts_with("libnvrtc.so."))
        library = std::max(library, entry.path().string());
    }
    if (library.empty())
      return false;
    if (!builtins.empty())
      dlopen(builtins.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void *handle = dlopen(library.c_str(), RTLD_NOW);
    if (!handle)
      return false;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(handle, name));
      return function != nullptr;
    };
    return find(create, "nvrtcCreateProgram") &&
           find(compile, "nvrtcCompileProgram") &&
           find(destroy, "nvrtcDestroyProgram") &&
           find(logSize, "nvrtcGetProgramLogSize") &&
           find(log, "nvrtcGetProgramLog") &&
           find(cubinSize, "nvrtcGetCUBINSize");
  }
};

/// NVRTC from CUDA_HOME or the toolkit's usual places; null when it is nowhere.
const Nvrtc *nvrtc() {
  static Nvrtc functions;
  static bool found = [] {
    std::vector<std::string> folders;
    if (const char *home = std::getenv("CUDA_HOME"))
      for (const char *below : {"/lib64", "/lib", "/targets/x86_64-linux/lib"})
        folders.push_back(std::string(home) + below);
    folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/opt/cuda/lib64",
                                   "/usr/lib/x86_64-linux-gnu", "/usr/lib64"});
    for (const std::string &folder : folders)
      if (functions.load(folder))
        return true;
    return false;
  }();
  return found ? &functions : nullptr;
}

} // namespace

bool hasNvrtc() { return nvrtc() != nullptr; }

std::string complaintAbout(const std::string &text,
                           const std::string &architecture, bool maySpill) {
  const Nvrtc *library = nvrtc();
  Nvrtc::Handle program = nullptr;
  if (library->create(&program, text.c_str(), "kernels.cu", 0, nullptr,
                      nullptr) != 0)
    return "nvrtcCreateProgram failed";
  std::string target = "--gpu-architecture=" + architecture;
  const char *options[] = {target.c_str(), "--std=c++17",
                           "--fmad=false", "-default-device",
                           "--no-cache",   "--ptxas-options=--warn-on-spills"};
  int count = std::size(options) - (maySpill ? 1 : 0);
  int result = library->compile(program, count, options);
  size_t size = 0;
  library->logSize(program, &size);
  std::string log(size, 0);
  library->log(program, log.data());
  log.erase(log.find_last_not_of(std::string("\0 \n", 3)) + 1);
  size_t cubin = 0;
  if (result == 0 && log.empty() &&
      (library->cubinSize(program, &cubin) != 0 || cubin == 0))
    log = "there is no cubin";
  if (result != 0)
    log += "\nnvrtcCompileProgram gives " + std::to_string(result);
  library->destroy(&program);
  return log.empty() ? log : architecture + ": " + log;
}

} // namespace ampc::test
