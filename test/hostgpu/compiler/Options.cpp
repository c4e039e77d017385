#include "test/hostgpu/compiler/Options.h"

#include <algorithm>
#include <cstring>

using namespace ampc::hostgpu;

namespace {

bool parseArch(const std::string &value, CompileOptions &options) {
  options.isVirtual = value.rfind("compute_", 0) == 0;
  if (!options.isVirtual && value.rfind("sm_", 0) != 0)
    return false;
  std::string digits = value.substr(value.find('_') + 1);
  // Features of one architecture alone ("90a") mean nothing here.
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f'))
    digits.pop_back();
  for (int arch : kArchs)
    if (std::to_string(arch) == digits) {
      options.arch = arch;
      return true;
    }
  return false;
}

bool parseStandard(const std::string &value, CompileOptions &options) {
  for (const char *known : {"c++11", "c++14", "c++17", "c++20"})
    if (value == known) {
      // Templates over values need C++17; later code does not mind.
      options.standard = value == std::string("c++20") ? "c++20" : "c++17";
      return true;
    }
  return false;
}

bool parseOne(const std::string &name, const std::string &value,
              CompileOptions &options) {
  if (name == "gpu-architecture" || name == "arch")
    return parseArch(value, options);
  if (name == "std")
    return parseStandard(value, options);
  if (name == "fmad") {
    options.contract = value == "true";
    return value == "true" || value == "false";
  }
  // Nothing to do for the host compiler.
  if (name == "device-as-default-execution-space" || name == "default-device" ||
      name == "no-cache" || name == "disable-warnings" || name == "w" ||
      name == "restrict")
    return value.empty();
  if (name == "diag-suppress" || name == "ptxas-options" || name == "Xptxas" ||
      name == "maxrregcount")
    return !value.empty();
  if (name == "generate-line-info" || name == "lineinfo")
    return value.empty();
  return false;
}

} // namespace

bool ampc::hostgpu::parseOptions(const std::vector<std::string> &arguments,
                                 CompileOptions &options, std::string &log) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    size_t dashes = argument.rfind("--", 0) == 0 ? 2 : 1;
    size_t equals = argument.find('=');
    std::string name =
        argument.substr(std::min(dashes, argument.size()),
                        equals == std::string::npos ? equals : equals - dashes);
    std::string value =
        equals == std::string::npos ? "" : argument.substr(equals + 1);
    // These may have their value in the next argument.
    bool takesValue = name == "gpu-architecture" || name == "arch" ||
                      name == "std" || name == "fmad";
    if (takesValue && equals == std::string::npos && i + 1 < arguments.size())
      value = arguments[++i];
    if (argument.empty() || argument[0] != '-' ||
        !parseOne(name, value, options)) {
      log = takesValue
                ? "nvrtc: error: invalid value for --" + name + " (-" +
                      (name == "gpu-architecture" ? "arch" : name) + ")\n"
                : "nvrtc: error: unrecognized option " + argument + " found\n";
      return false;
    }
  }
  return true;
}
