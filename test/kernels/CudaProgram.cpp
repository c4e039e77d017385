// The test programs of test/unit/codegen on a CUDA device: the plan's kernels
// are compiled one by one, and run by as many blocks as they have tiles, then
// by two, which must give the same bits.
#include "codegen/emit/EmitPlan.h"
#include "test/kernels/Device.h"
#include "test/unit/codegen/Program.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ampc::test {

namespace {

/// Memory of the device, for one run.
class DeviceBuffer {
public:
  explicit DeviceBuffer(size_t bytes)
      : bytes(bytes), at(Device::get().allocate(bytes)) {}
  explicit DeviceBuffer(std::span<const uint8_t> contents)
      : DeviceBuffer(contents.size()) {
    Device::get().upload(at, contents);
  }
  DeviceBuffer(DeviceBuffer &&other) noexcept
      : bytes(other.bytes), at(std::exchange(other.at, 0)) {}
  ~DeviceBuffer() { Device::get().free(at); }

  uint64_t address() const { return at; }
  std::vector<uint8_t> contents() const {
    return Device::get().download(at, bytes);
  }

private:
  size_t bytes;
  uint64_t at;
};

/// Fewer blocks than any kernel has work for: threads take several points.
constexpr unsigned kFewBlocks = 2;

} // namespace

std::vector<std::string> levelsHere() { return {"cuda"}; }

Program::Program(mlir::ModuleOp module, const std::string &level) {
  compile(module, level);
}

Program::Program(const std::string &text, const std::string &level) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
  compile(*module, level);
}

Program::~Program() = default;

/// Levels of the CPU mean nothing here.
void Program::compile(mlir::ModuleOp module, const std::string & /*level*/) {
  EmitOptions options;
  options.target = "cuda";
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
  std::span<const std::byte> constantBytes =
      file->section(rt::SectionKind::Constants);
  DeviceBuffer storage(block), arena(entry->arena_bytes()),
      constants({reinterpret_cast<const uint8_t *>(constantBytes.data()),
                 constantBytes.size()});
  std::vector<DeviceBuffer> in, out;
  for (const auto &bytes : inputs)
    in.emplace_back(bytes);
  if (auto *ports = entry->outputs())
    for (const rt::fb::Port *port : *ports)
      out.emplace_back(size_t(port->bytes()));
  auto address = [&](const rt::fb::Place *place) -> uint64_t {
    switch (place->space()) {
    case rt::fb::Space::Arena:
      return arena.address() + place->offset();
    case rt::fb::Space::Variable:
      return storage.address() + place->offset();
    case rt::fb::Space::Input:
      return in[place->index()].address() + place->offset();
    case rt::fb::Space::Output:
      return out[place->index()].address() + place->offset();
    case rt::fb::Space::Constant:
      return constants.address() + place->offset();
    default:
      break;
    }
    die("unknown space");
  };
  std::span<const std::byte> section = file->section(rt::SectionKind::CudaText);
  std::string_view text(reinterpret_cast<const char *>(section.data()),
                        section.size());
  Device &device = Device::get();
  for (unsigned i = 0;
       entry->instructions() && i < entry->instructions()->size(); ++i) {
    const rt::fb::Instruction *instruction = entry->instructions()->Get(i);
    if (auto *launch = instruction->op_as_Launch()) {
      const rt::fb::Kernel *kernel = plan().kernels()->Get(launch->kernel());
      std::string source(text.substr(0, plan().prelude_bytes()));
      source += text.substr(kernel->text_offset(), kernel->text_bytes());
      std::vector<DeviceArgument> arguments;
      for (unsigned a = 0; launch->args() && a < launch->args()->size(); ++a)
        arguments.push_back({address(launch->args()->Get(a)),
                             size_t(kernel->arg_bytes()->Get(a))});
      unsigned blocks = unsigned(launch->tiles());
      if (backwards)
        blocks = std::min(blocks, kFewBlocks);
      std::string symbol = kernel->symbol()->str();
      device.launch(device.compile(source, symbol), blocks,
                    kernel->block_threads(), kernel->shared_bytes(), arguments);
      device.synchronize(symbol);
    } else if (auto *copy = instruction->op_as_Copy()) {
      std::vector<uint8_t> moved =
          device.download(address(copy->src()), copy->bytes());
      device.upload(address(copy->dst()), moved);
      device.synchronize("a copy");
    } else if (auto *fill = instruction->op_as_Fill()) {
      uint64_t pattern = fill->pattern();
      std::vector<uint8_t> bytes(fill->bytes());
      for (uint64_t at = 0; at < fill->bytes(); at += fill->width())
        std::memcpy(bytes.data() + at, &pattern, fill->width());
      device.upload(address(fill->dst()), bytes);
      device.synchronize("a fill");
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
  for (DeviceBuffer &buffer : out)
    results.push_back(buffer.contents());
  return results;
}

std::vector<std::vector<uint8_t>>
runGroup(const std::string &text, const std::string &level,
         const std::vector<std::vector<uint8_t>> &inputs) {
  Program program(text, level);
  std::vector<std::vector<uint8_t>> many = program.run("infer", inputs);
  EXPECT_EQ(many, program.run("infer", inputs, /*backwards=*/true))
      << "bits depend on the number of blocks";
  return many;
}

} // namespace ampc::test
