// The entry points of NVRTC. A program holds its own state: threads may compile
// different programs at once.
#include "test/hostgpu/compiler/HostCompiler.h"
#include "test/hostgpu/kernel/Image.h"

#include <cstring>

using namespace ampc::hostgpu;

#define HOSTGPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum nvrtcResult {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
};

struct Program {
  std::string source, name, log, cubin, ptx;
};
using nvrtcProgram = Program *;

std::string toPtx(const std::string &image) {
  static const char digits[] = "0123456789abcdef";
  std::string text = kPtxMark;
  for (unsigned char byte : image) {
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 15]);
  }
  return text;
}

/// Sizes count the terminating zero of texts.
nvrtcResult getSize(nvrtcProgram program, size_t *size, size_t value) {
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (!size)
    return NVRTC_ERROR_INVALID_INPUT;
  *size = value;
  return NVRTC_SUCCESS;
}

nvrtcResult getBytes(nvrtcProgram program, char *to, const std::string &bytes,
                     bool isText) {
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (!to)
    return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(to, bytes.data(), bytes.size());
  if (isText)
    to[bytes.size()] = 0;
  return NVRTC_SUCCESS;
}

} // namespace

HOSTGPU_EXPORT nvrtcResult nvrtcVersion(int *major, int *minor) {
  if (!major || !minor)
    return NVRTC_ERROR_INVALID_INPUT;
  *major = 13;
  *minor = compilerVersion();
  return NVRTC_SUCCESS;
}

HOSTGPU_EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  if (!count)
    return NVRTC_ERROR_INVALID_INPUT;
  *count = int(std::size(kArchs));
  return NVRTC_SUCCESS;
}

HOSTGPU_EXPORT nvrtcResult nvrtcGetSupportedArchs(int *archs) {
  if (!archs)
    return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(archs, kArchs, sizeof(kArchs));
  return NVRTC_SUCCESS;
}

HOSTGPU_EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *program,
                                              const char *source,
                                              const char *name, int headers,
                                              const char *const *,
                                              const char *const *) {
  // Generated text includes nothing.
  if (!program || !source || headers)
    return NVRTC_ERROR_INVALID_INPUT;
  *program =
      new Program{source, name && *name ? name : "default_program", {}, {}, {}};
  return NVRTC_SUCCESS;
}

HOSTGPU_EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                               const char *const *options) {
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count && !options))
    return NVRTC_ERROR_INVALID_INPUT;
  program->cubin.clear();
  program->ptx.clear();
  program->log.clear();
  CompileOptions parsed;
  if (!parseOptions(std::vector<std::string>(options, options + count), parsed,
                    program->log))
    return NVRTC_ERROR_INVALID_OPTION;
  Compiled compiled = compileForHost(program->source, program->name, parsed);
  program->log = compiled.log;
  if (!compiled.ok)
    return NVRTC_ERROR_COMPILATION;
  ImageHeader header = {};
  std::memcpy(header.magic, kImageMagic, sizeof(kImageMagic));
  header.arch = uint32_t(parsed.arch);
  header.objectBytes = compiled.object.size();
  std::string image(reinterpret_cast<const char *>(&header), sizeof(header));
  image += compiled.object;
  program->ptx = toPtx(image);
  if (!parsed.isVirtual)
    program->cubin = std::move(image);
  return NVRTC_SUCCESS;
}

HOSTGPU_EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program,
                                             size_t *size) {
  return getSize(program, size, program ? program->cubin.size() : 0);
}

HOSTGPU_EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin) {
  return getBytes(program, cubin, program ? program->cubin : "", false);
}

HOSTGPU_EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size) {
  return getSize(program, size, program ? program->ptx.size() + 1 : 0);
}

HOSTGPU_EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx) {
  return getBytes(program, ptx, program ? program->ptx : "", true);
}

HOSTGPU_EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program,
                                                  size_t *size) {
  return getSize(program, size, program ? program->log.size() + 1 : 0);
}

HOSTGPU_EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) {
  return getBytes(program, log, program ? program->log : "", true);
}

HOSTGPU_EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  if (!program || !*program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

HOSTGPU_EXPORT const char *nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
  case NVRTC_SUCCESS:
    return "NVRTC_SUCCESS";
  case NVRTC_ERROR_INVALID_INPUT:
    return "NVRTC_ERROR_INVALID_INPUT";
  case NVRTC_ERROR_INVALID_PROGRAM:
    return "NVRTC_ERROR_INVALID_PROGRAM";
  case NVRTC_ERROR_INVALID_OPTION:
    return "NVRTC_ERROR_INVALID_OPTION";
  case NVRTC_ERROR_COMPILATION:
    return "NVRTC_ERROR_COMPILATION";
  }
  return "NVRTC_ERROR unknown";
}
