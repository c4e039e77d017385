// `ampc version`: what this build and this machine are.
#include "tools/ampc/Commands.h"

#include "runtime/core/CpuFeatures.h"
#include "runtime/core/Processors.h"
#include "runtime/train/Metrics.h"
#include "tools/ampc-rt/RunCommands.h"
#include "tools/libampc/Ampc.h"

#include <fmt/format.h>

namespace ampc {

namespace {

/// The features that change what is generated, by LLVM's names.
std::vector<std::string> cpuFeatures(const rt::CpuFeatures &cpu) {
  std::vector<std::string> found;
  for (const char *name : {"avx2", "fma", "avx512f", "avx512bw", "avx512vl",
                           "avx512bf16", "avx512fp16", "amx-tile", "amx-bf16"})
    if (cpu.has(name))
      found.push_back(name);
  return found;
}

/// What there is of CUDA.
struct CudaState {
  rt::Expected<std::vector<rt::CudaDevice>> found = rt::cuda_devices();
  std::vector<rt::CudaDevice> devices =
      found.value_or(std::vector<rt::CudaDevice>());
  std::vector<rt::CudaLibrary> libraries = rt::cuda_libraries();
  /// Why nothing runs on a device; empty where plans do.
  std::string problem = found ? "" : found.error().message;
};

void printText(const rt::CpuFeatures &cpu, const CudaState &cuda,
               unsigned threads) {
  rt::put(stdout, fmt::format("ampc {}\nLLVM {}\ntargets cpu cuda\n",
                              rt::runtime_version(), llvm_version()));
  rt::put(stdout,
          fmt::format("cpu {} ({}), {} threads\n", rt::name_of(cpu.level()),
                      fmt::join(cpuFeatures(cpu), " "), threads));
  rt::put(stdout,
          fmt::format("threads bound to processors: {}, memory in pages of 2 "
                      "MiB: {}\n",
                      rt::thread_binding(), rt::large_pages()));
  std::string devices = "devices: cpu";
  for (const rt::CudaDevice &device : cuda.devices)
    devices += fmt::format(", {} ({}, sm_{}, {} MiB)", device.id, device.name,
                           device.arch, device.memory_bytes >> 20);
  rt::put(stdout, devices + "\n");
  for (const rt::CudaLibrary &library : cuda.libraries)
    rt::put(stdout,
            library.problem.empty()
                ? fmt::format("cuda {} {}, {}\n", library.name, library.version,
                              library.path)
                : fmt::format("cuda {}: {}\n", library.name, library.problem));
}

std::string cudaJson(const CudaState &cuda) {
  std::string libraries, devices;
  for (const rt::CudaLibrary &library : cuda.libraries)
    libraries += fmt::format(
        "{}:{{\"version\":{},\"path\":{},\"problem\":{}}},",
        rt::json_string(library.name), rt::json_string(library.version),
        rt::json_string(library.path), rt::json_string(library.problem));
  for (const rt::CudaDevice &device : cuda.devices)
    devices += fmt::format(
        "{}{{\"device\":{},\"name\":{},\"arch\":\"sm_{}\",\"memory_bytes\":{}}"
        "}",
        devices.empty() ? "" : ",", rt::json_string(device.id),
        rt::json_string(device.name), device.arch, device.memory_bytes);
  return fmt::format("{{{}\"devices\":[{}],\"problem\":{}}}", libraries,
                     devices, rt::json_string(cuda.problem));
}

void printJson(const rt::CpuFeatures &cpu, const CudaState &cuda,
               unsigned threads) {
  std::string features, devices = "\"cpu\"";
  for (const std::string &name : cpuFeatures(cpu))
    features += (features.empty() ? "" : ",") + rt::json_string(name);
  for (const rt::CudaDevice &device : cuda.devices)
    devices += "," + rt::json_string(device.id);
  rt::put(
      stdout,
      fmt::format("{{\"version\":{},\"llvm\":{},\"targets\":[\"cpu\",\"cuda\"],"
                  "\"cpu\":{{\"level\":{},\"features\":[{}],\"threads\":{},"
                  "\"bound\":{},\"large_pages\":{}}},"
                  "\"cuda\":{},\"devices\":[{}]}}\n",
                  rt::json_string(rt::runtime_version()),
                  rt::json_string(llvm_version()),
                  rt::json_string(rt::name_of(cpu.level())), features, threads,
                  rt::json_string(rt::thread_binding()),
                  rt::json_string(rt::large_pages()), cudaJson(cuda), devices));
}

} // namespace

Action addVersion(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("version", "Versions, targets, CPU features, devices");
  command->footer("Example: ampc version --json");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  return [json]() -> rt::Expected<rt::Code> {
    rt::CpuFeatures cpu = rt::CpuFeatures::probe();
    auto threads = unsigned(rt::allowed_processors().size());
    CudaState cuda;
    *json ? printJson(cpu, cuda, threads) : printText(cpu, cuda, threads);
    return rt::Code::Ok;
  };
}

} // namespace ampc
