// Compiles, caches and loads the kernels of a plan.
#include "runtime/device/cuda/Kernels.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <system_error>
#include <thread>

namespace ampc::rt::cuda {

std::string sourceOf(const PlanFile &file, const fb::Kernel &kernel) {
  auto text = file.section(SectionKind::CudaText);
  auto part = [&](uint64_t offset, uint64_t bytes) {
    return std::string_view(
        reinterpret_cast<const char *>(text.data()) + offset, bytes);
  };
  std::string source(part(0, file.plan().prelude_bytes()));
  source += part(kernel.text_offset(), kernel.text_bytes());
  return source;
}

namespace {

/// Blocks launched for each that the device holds at once: some for those that
/// finish early, few enough that starting them costs nothing.
constexpr int kWaves = 4;

/// A source that one or several kernels have.
struct Unit {
  size_t kernel; ///< the first of them
  std::string source;
  std::string name; ///< of its file in the cache
  std::optional<KernelCode> code;
  std::optional<Error> error;
};

/// Where in the model kernel `index` comes from; the plan's name where it does
/// not say.
std::string placeOf(const PlanFile &file, size_t index) {
  const fb::Plan &plan = file.plan();
  for (const fb::Entry *entry : *plan.entries())
    for (unsigned i = 0;
         entry->instructions() && i < entry->instructions()->size(); ++i) {
      const fb::Instruction &instruction = *entry->instructions()->Get(i);
      auto *launch = instruction.op_as_Launch();
      if (!launch || launch->kernel() != index || instruction.source() < 0)
        continue;
      const fb::SourceLoc &loc =
          *plan.sources()->Get(unsigned(instruction.source()));
      return fmt::format("{}:{}:{}", loc.file() ? loc.file()->str() : "",
                         loc.line(), loc.column());
    }
  return file.name();
}

/// The line of `source`, called `name`, that the compiler's log complains of
/// first; or empty.
std::string_view lineIn(std::string_view source, const std::string &name,
                        std::string_view log) {
  size_t begin = log.find(name + "("), number = 0;
  if (begin == log.npos || std::from_chars(log.data() + begin + name.size() + 1,
                                           log.data() + log.size(), number)
                                   .ec != std::errc())
    return "";
  for (size_t at = 0; at < source.size(); --number) {
    size_t stop = std::min(source.find('\n', at), source.size());
    if (number == 1)
      return source.substr(at, stop - at);
    at = stop + 1;
  }
  return "";
}

/// Compiles the units that the cache lacks, on several threads. Gives how many.
size_t compileAll(const Nvrtc &nvrtc, const DiskCache &cache,
                  const PlanFile &file, std::vector<Unit> &units) {
  std::atomic<size_t> next{0}, compiled{0};
  auto work = [&] {
    for (size_t i; (i = next++) < units.size();) {
      Unit &unit = units[i];
      if (std::optional<FileBytes> found = cache.find(unit.name)) {
        unit.code.emplace(found->bytes().begin(), found->bytes().end());
        continue;
      }
      const std::string name =
          file.plan().kernels()->Get(unsigned(unit.kernel))->symbol()->str() +
          ".cu";
      Expected<KernelCode> code = nvrtc.compile(unit.source, name);
      ++compiled;
      if (code) {
        cache.store(unit.name, *code);
        unit.code = std::move(*code);
        continue;
      }
      unit.error = code.error();
      std::string_view line = lineIn(unit.source, name, code.error().message);
      if (!line.empty())
        unit.error->message += fmt::format("\nin the line\n{}", line);
    }
  };
  size_t wanted = std::min<size_t>(
      std::max(1u, std::thread::hardware_concurrency()), units.size());
  std::vector<std::thread> threads;
  try {
    while (threads.size() + 1 < wanted)
      threads.emplace_back(work);
  } catch (const std::system_error &) {
    // The system gives no more threads: those there are do it.
  }
  work();
  for (std::thread &thread : threads)
    thread.join();
  return compiled;
}

/// The sources of a plan's kernels, each once, and which of them each kernel
/// has.
std::vector<Unit> unitsOf(const PlanFile &file, const Nvrtc &nvrtc,
                          std::vector<size_t> &unitOf) {
  std::vector<Unit> units;
  std::map<std::string, size_t> known;
  for (unsigned i = 0; i < file.plan().kernels()->size(); ++i) {
    std::string source = sourceOf(file, *file.plan().kernels()->Get(i));
    std::string name =
        cacheName(source, nvrtc.options(), nvrtc.library().version);
    auto [found, isNew] = known.try_emplace(name, units.size());
    if (isNew)
      units.push_back({i, std::move(source), std::move(name), {}, {}});
    unitOf.push_back(found->second);
  }
  return units;
}

} // namespace

std::string cacheName(std::string_view source,
                      std::span<const std::string> options, Version compiler) {
  std::string version =
      fmt::format("nvrtc {}.{}", compiler.major, compiler.minor);
  std::vector<std::string_view> parts{version};
  parts.insert(parts.end(), options.begin(), options.end());
  parts.push_back(source);
  return DiskCache::nameOf(parts, ".kernel");
}

Expected<Kernels> Kernels::load(const Context &context, const PlanFile &file,
                                const DiskCache &cache) {
  Kernels result;
  auto *list = file.plan().kernels();
  if (!list || list->size() == 0)
    return result;
  AMPC_ASSIGN(Library<NvrtcApi> library, openNvrtc(context.driver().version));
  AMPC_ASSIGN(Nvrtc nvrtc,
              Nvrtc::create(std::move(library), context.device().arch));
  std::vector<size_t> unitOf;
  std::vector<Unit> units = unitsOf(file, nvrtc, unitOf);
  result.compiledNow = compileAll(nvrtc, cache, file, units);
  const DriverApi &api = context.api();
  for (Unit &unit : units) {
    if (unit.error) {
      unit.error->where = placeOf(file, unit.kernel);
      return tl::unexpected(*unit.error);
    }
    Module module = nullptr;
    AMPC_TRY(context.check(api.loadModule(&module, unit.code->data()),
                           "a compiled kernel cannot be loaded"));
    result.modules.emplace_back(module, api.unloadModule);
  }
  for (unsigned i = 0; i < list->size(); ++i) {
    const fb::Kernel &source = *list->Get(i);
    Kernel kernel{nullptr, source.block_threads(), source.shared_bytes(), 1};
    Result found =
        api.function(&kernel.function, result.modules[unitOf[i]].get(),
                     source.symbol()->c_str());
    if (found != 0)
      return fail(Code::BadInput, placeOf(file, i),
                  fmt::format("the plan's source has no kernel '{}'",
                              source.symbol()->string_view()));
    int perProcessor = 0;
    AMPC_TRY(
        context.check(api.occupancy(&perProcessor, kernel.function,
                                    int(kernel.threads), kernel.sharedBytes),
                      "a kernel's occupancy is not told"));
    if (perProcessor < 1)
      return fail(
          Code::Environment, placeOf(file, i),
          fmt::format("{}: kernel '{}' takes blocks of {} threads and {} bytes "
                      "of shared memory, more than the device holds",
                      context.device().text(), source.symbol()->string_view(),
                      kernel.threads, kernel.sharedBytes));
    kernel.mostBlocks =
        unsigned(perProcessor * context.device().multiprocessors * kWaves);
    result.kernels.push_back(kernel);
  }
  return result;
}

} // namespace ampc::rt::cuda
