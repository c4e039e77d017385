// Loads the images of the software NVRTC and finds their kernels.
#pragma once

#include "test/hostgpu/driver/Abi.h"
#include "test/hostgpu/kernel/HostApi.h"

#include <memory>
#include <string>
#include <vector>

namespace ampc::hostgpu {

class Module;

/// One kernel of a loaded module.
struct Function {
  Module *module = nullptr;
  const ampc_host_kernel *kernel = nullptr;
};

class Module : public std::enable_shared_from_this<Module> {
public:
  /// `image` is a cubin or PTX of the software NVRTC; others are refused. A
  /// cubin runs on devices of its major and no lower minor number, PTX on newer
  /// ones.
  static CUresult load(const void *image, int major, int minor,
                       std::shared_ptr<Module> &module, std::string &report);
  ~Module();

  const ampc_host_module &table() const { return *moduleTable; }
  size_t sharedBytes() const;
  int arch() const { return moduleArch; }
  /// Null when no kernel has that name.
  Function *function(const std::string &name);

private:
  CUresult open(const std::string &object, std::string &report);

  int file = -1;
  int moduleArch = 0;
  void *library = nullptr;
  const ampc_host_module *moduleTable = nullptr;
  std::vector<std::unique_ptr<Function>> functions;
};

} // namespace ampc::hostgpu
