#include "test/hostgpu/driver/Module.h"
#include "test/hostgpu/kernel/Image.h"

#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace ampc::hostgpu;

namespace {

/// The bytes that a PTX text stands for; empty when it is none of ours.
std::string fromPtx(const char *text) {
  size_t mark = sizeof(kPtxMark) - 1;
  if (std::strncmp(text, kPtxMark, mark) != 0)
    return {};
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (const char *at = text + mark; at[0] && at[1]; at += 2)
    bytes.push_back(char(digit(at[0]) << 4 | digit(at[1])));
  return bytes;
}

} // namespace

CUresult Module::load(const void *image, int major, int minor,
                      std::shared_ptr<Module> &module, std::string &report) {
  std::string ptx = fromPtx(static_cast<const char *>(image));
  const char *bytes =
      ptx.empty() ? static_cast<const char *>(image) : ptx.data();
  ImageHeader header;
  if (std::strncmp(bytes, kImageMagic, sizeof(kImageMagic)) != 0) {
    report = "the image is not one of the software NVRTC";
    return CUDA_ERROR_INVALID_IMAGE;
  }
  std::memcpy(&header, bytes, sizeof(header));
  int arch = int(header.arch), device = major * 10 + minor;
  bool runs =
      ptx.empty() ? arch / 10 == major && arch <= device : arch <= device;
  if (!runs) {
    report = "the image is for sm_" + std::to_string(arch) +
             ", the device is sm_" + std::to_string(device);
    return ptx.empty() ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_PTX;
  }
  auto made = std::make_shared<Module>();
  made->moduleArch = arch;
  CUresult result = made->open(
      std::string(bytes + sizeof(header), header.objectBytes), report);
  if (result == CUDA_SUCCESS)
    module = std::move(made);
  return result;
}

CUresult Module::open(const std::string &object, std::string &report) {
  // The file stays open: dlopen knows libraries by path, and a number used
  // again would bring back the old one.
  file = memfd_create("ampc-host-kernel", MFD_CLOEXEC);
  if (file < 0 ||
      write(file, object.data(), object.size()) != ssize_t(object.size())) {
    report = "the image could not be written to memory";
    return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
  }
  std::string path = "/proc/self/fd/" + std::to_string(file);
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    report = std::string("the image could not be loaded: ") + dlerror();
    return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
  }
  moduleTable = static_cast<const ampc_host_module *>(
      dlsym(library, "ampc_host_module_table"));
  if (!moduleTable || moduleTable->version != AMPC_HOST_API_VERSION) {
    report = "the image is of another version of the software device";
    return CUDA_ERROR_INVALID_IMAGE;
  }
  return CUDA_SUCCESS;
}

Module::~Module() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

size_t Module::sharedBytes() const {
  size_t bytes = 0;
  for (auto *array = moduleTable->arrays_begin;
       array != moduleTable->arrays_end; ++array)
    bytes += array->bytes;
  return bytes;
}

Function *Module::function(const std::string &name) {
  for (const auto &known : functions)
    if (known->kernel->name == name)
      return known.get();
  for (int i = 0; i < moduleTable->kernel_count; ++i)
    if (moduleTable->kernels[i].name == name) {
      functions.push_back(std::make_unique<Function>());
      functions.back()->module = this;
      functions.back()->kernel = &moduleTable->kernels[i];
      return functions.back().get();
    }
  return nullptr;
}
