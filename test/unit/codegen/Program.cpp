// Compiling, loading and running a plan in a test.
#include "test/unit/codegen/Program.h"

#include "codegen/cpu/CpuLevel.h"
#include "codegen/emit/EmitPlan.h"
#include "runtime/core/CpuFeatures.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ampc::test {

using Kernel = void(const void *const *, int64_t, int64_t);

/// Bytes before and after every buffer that nothing may touch.
static constexpr size_t kGuard = 256;
static constexpr uint8_t kGuardByte = 0xa5;

namespace {

/// Aligned bytes between guards.
class Buffer {
public:
  explicit Buffer(size_t bytes) : bytes(bytes) {
    size_t total = (bytes + 2 * kGuard + 63) / 64 * 64;
    memory = static_cast<uint8_t *>(std::aligned_alloc(64, total));
    std::memset(memory, kGuardByte, total);
  }
  explicit Buffer(const std::vector<uint8_t> &contents)
      : Buffer(contents.size()) {
    if (bytes)
      std::memcpy(data(), contents.data(), bytes);
  }
  Buffer(Buffer &&other) noexcept
      : bytes(other.bytes), memory(std::exchange(other.memory, nullptr)) {}
  ~Buffer() {
    if (!memory)
      return;
    for (size_t i = 0; i < kGuard; ++i)
      if (memory[i] != kGuardByte || memory[kGuard + bytes + i] != kGuardByte) {
        ADD_FAILURE() << "a kernel wrote outside of a buffer of " << bytes
                      << " bytes";
        break;
      }
    std::free(memory);
  }
  uint8_t *data() { return memory + kGuard; }
  std::vector<uint8_t> contents() { return {data(), data() + bytes}; }

private:
  size_t bytes;
  uint8_t *memory;
};

} // namespace

std::vector<std::string> levelsHere() {
  const CpuLevel *host = hostCpuLevel();
  std::vector<std::string> names;
  for (const CpuLevel &level : cpuLevels()) {
    if (level.name == kUnitLevel)
      continue;
    if (host && &level <= host)
      names.push_back(level.name.str());
    else
      std::printf("skipped: this machine lacks %s\n", level.name.data());
  }
  return names;
}

bool hasMatrixUnit() {
  const CpuLevel *host = hostCpuLevel();
  bool has = host && host->name == kUnitLevel && rt::request_amx();
  if (!has)
    std::printf("skipped: this machine lacks %s\n", kUnitLevel);
  return has;
}

Program::Program(mlir::ModuleOp module, const std::string &level) {
  compile(module, level);
}

Program::Program(const std::string &text, const std::string &level) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
  compile(*module, level);
}

void Program::compile(mlir::ModuleOp module, const std::string &level) {
  EmitOptions options;
  options.level = level;
  llvm::FailureOr<std::vector<uint8_t>> bytes = emitPlan(module, options);
  if (mlir::failed(bytes))
    die("emitPlan failed");
  rt::Expected<rt::PlanFile> loaded = rt::PlanFile::fromBytes(*bytes);
  if (!loaded)
    die(loaded.error().text());
  file.emplace(std::move(*loaded));
  if (auto *list = plan().variables())
    for (const rt::fb::Variable *variable : *list)
      variables[variable->name()->str()].resize(variable->bytes());
  std::span<const std::byte> object = file->section(rt::SectionKind::Object);
  if (object.empty())
    return;
  int fd = memfd_create("kernels", MFD_CLOEXEC);
  if (fd < 0 ||
      write(fd, object.data(), object.size()) != ssize_t(object.size()))
    die("cannot write the object");
  // The name must stay this object's as long as it is loaded, so the descriptor
  // stays open.
  library = dlopen(("/proc/self/fd/" + std::to_string(fd)).c_str(),
                   RTLD_NOW | RTLD_LOCAL);
  if (!library)
    die(dlerror());
}

Program::~Program() =
    default; // objects stay loaded: a reused descriptor would name an old one

void Program::runTiles(const rt::fb::Launch &launch,
                       const std::vector<const void *> &arguments,
                       int64_t begin, int64_t end) {
  std::string symbol = plan().kernels()->Get(launch.kernel())->symbol()->str();
  auto *kernel = reinterpret_cast<Kernel *>(dlsym(library, symbol.c_str()));
  if (!kernel)
    die("no symbol " + symbol);
  kernel(arguments.data(), begin, end);
}

std::vector<std::vector<uint8_t>>
Program::run(const std::string &name,
             const std::vector<std::vector<uint8_t>> &inputs, bool backwards) {
  const rt::fb::Entry *entry = nullptr;
  for (const rt::fb::Entry *candidate : *plan().entries())
    if (candidate->name()->str() == name)
      entry = candidate;
  if (!entry)
    die("no entry " + name);
  std::vector<uint8_t> block(plan().variable_bytes());
  auto eachVariable = [&](auto move) {
    if (auto *list = plan().variables())
      for (const rt::fb::Variable *variable : *list)
        move(variable, block.data() + variable->offset());
  };
  eachVariable([&](const rt::fb::Variable *variable, uint8_t *at) {
    std::memcpy(at, variables[variable->name()->str()].data(),
                variable->bytes());
  });
  Buffer storage(block), arena(entry->arena_bytes());
  std::vector<Buffer> in, out;
  for (const auto &bytes : inputs)
    in.emplace_back(bytes);
  if (auto *ports = entry->outputs())
    for (const rt::fb::Port *port : *ports)
      out.emplace_back(port->bytes());
  auto constants = file->section(rt::SectionKind::Constants);
  auto address = [&](const rt::fb::Place *place) -> uint8_t * {
    switch (place->space()) {
    case rt::fb::Space::Arena:
      return arena.data() + place->offset();
    case rt::fb::Space::Variable:
      return storage.data() + place->offset();
    case rt::fb::Space::Input:
      return in[place->index()].data() + place->offset();
    case rt::fb::Space::Output:
      return out[place->index()].data() + place->offset();
    case rt::fb::Space::Constant:
      return reinterpret_cast<uint8_t *>(
                 const_cast<std::byte *>(constants.data())) +
             place->offset();
    default:
      break;
    }
    die("unknown space");
  };
  // One launch; `at` says where a place is.
  auto runLaunch = [&](const rt::fb::Launch &launch, auto at) {
    std::vector<const void *> arguments;
    for (unsigned a = 0; launch.args() && a < launch.args()->size(); ++a)
      arguments.push_back(at(launch.args()->Get(a)));
    int64_t tiles = launch.tiles();
    if (backwards) // in pieces of 1 to 5
      for (int64_t end = tiles, piece = 1; end > 0; piece = piece % 5 + 1) {
        int64_t begin = std::max<int64_t>(end - piece, 0);
        runTiles(launch, arguments, begin, end);
        end = begin;
      }
    else
      runTiles(launch, arguments, 0, tiles);
  };
  auto runLoop = [&](const rt::fb::Foreach &loop) {
    Buffer scratch(loop.scratch_bytes());
    for (uint64_t i = 0; i < loop.count(); ++i) {
      uint64_t number = backwards ? loop.count() - 1 - i : i;
      for (const rt::fb::Launch *launch : *loop.body())
        runLaunch(*launch, [&](const rt::fb::Place *place) -> uint8_t * {
          if (place->space() == rt::fb::Space::Scratch)
            return scratch.data() + place->offset();
          if (place->space() != rt::fb::Space::Slice)
            return address(place);
          const rt::fb::Slices &slices = *loop.slices()->Get(place->index());
          return address(slices.first()) + place->offset() +
                 number / slices.divisor() % slices.count() * slices.bytes();
        });
    }
  };
  for (unsigned i = 0;
       entry->instructions() && i < entry->instructions()->size(); ++i) {
    const rt::fb::Instruction *instruction = entry->instructions()->Get(i);
    if (auto *launch = instruction->op_as_Launch()) {
      runLaunch(*launch, address);
    } else if (auto *loop = instruction->op_as_Foreach()) {
      runLoop(*loop);
    } else if (auto *copy = instruction->op_as_Copy()) {
      std::memcpy(address(copy->dst()), address(copy->src()), copy->bytes());
    } else if (auto *fill = instruction->op_as_Fill()) {
      uint64_t pattern = fill->pattern();
      for (uint64_t at = 0; at < fill->bytes(); at += fill->width())
        std::memcpy(address(fill->dst()) + at, &pattern, fill->width());
    } else {
      die("an instruction that this executor does not know");
    }
  }
  block = storage.contents();
  eachVariable([&](const rt::fb::Variable *variable, uint8_t *at) {
    std::memcpy(variables[variable->name()->str()].data(), at,
                variable->bytes());
  });
  std::vector<std::vector<uint8_t>> results;
  for (Buffer &buffer : out)
    results.push_back(buffer.contents());
  return results;
}

std::vector<std::vector<uint8_t>>
runGroup(const std::string &text, const std::string &level,
         const std::vector<std::vector<uint8_t>> &inputs) {
  Program program(text, level);
  std::vector<std::vector<uint8_t>> forwards = program.run("infer", inputs);
  EXPECT_EQ(forwards, program.run("infer", inputs, /*backwards=*/true))
      << "bits depend on the order of tiles";
  return forwards;
}

} // namespace ampc::test
