// `ampc version`: what this build and this machine are.
#include "tools/ampc/Commands.h"

#include "runtime/core/CpuFeatures.h"
#include "runtime/train/Metrics.h"
#include "tools/ampc-rt/RunCommands.h"
#include "tools/libampc/Ampc.h"

#include <fmt/format.h>
#include <thread>

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

void printText(const rt::CpuFeatures &cpu, unsigned threads) {
  rt::put(stdout, fmt::format("ampc {}\nLLVM {}\ntargets cpu\n",
                              rt::runtime_version(), llvm_version()));
  rt::put(stdout,
          fmt::format("cpu {} ({}), {} threads\n", rt::name_of(cpu.level()),
                      fmt::join(cpuFeatures(cpu), " "), threads));
  rt::put(stdout, "devices: cpu\n");
}

void printJson(const rt::CpuFeatures &cpu, unsigned threads) {
  std::string features;
  for (const std::string &name : cpuFeatures(cpu))
    features += (features.empty() ? "" : ",") + rt::json_string(name);
  rt::put(stdout,
          fmt::format(
              "{{\"version\":{},\"llvm\":{},\"targets\":[\"cpu\"],"
              "\"cpu\":{{\"level\":{},\"features\":[{}],\"threads\":{}}},"
              "\"devices\":[\"cpu\"]}}\n",
              rt::json_string(rt::runtime_version()),
              rt::json_string(llvm_version()),
              rt::json_string(rt::name_of(cpu.level())), features, threads));
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
    unsigned threads = std::thread::hardware_concurrency();
    *json ? printJson(cpu, threads) : printText(cpu, threads);
    return rt::Code::Ok;
  };
}

} // namespace ampc
