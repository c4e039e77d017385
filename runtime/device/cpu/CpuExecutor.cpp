// CPU executor.
#include "runtime/device/cpu/CpuExecutor.h"
#include "runtime/core/SystemMemory.h"
#include "runtime/device/FitCheck.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt {

namespace {

template <class T>
unsigned sizeOfVector(const T *vector) {
  return vector ? vector->size() : 0;
}

/// Copies and fills are cut into pieces of this many bytes, a multiple of every
/// pattern's width.
constexpr uint64_t kPieceBytes = 256 * 1024;

struct Move {
  const std::byte *from;
  std::byte *to;
  uint64_t bytes, pattern;
  uint8_t width;
};

void fillPiece(const Move &move, uint64_t begin, uint64_t end) {
  std::byte unit[8];
  std::memcpy(unit, &move.pattern, 8);
  // A pattern of one repeated byte (zero, mostly) is what memset is for.
  bool uniform = std::all_of(unit, unit + move.width,
                             [&](std::byte b) { return b == unit[0]; });
  if (uniform) {
    std::memset(move.to + begin, int(unit[0]), end - begin);
    return;
  }
  for (uint64_t at = begin; at < end; at += move.width)
    std::memcpy(move.to + at, unit, move.width);
}

void movePieces(void *context, int, int64_t first, int64_t last) {
  const Move &move = *static_cast<const Move *>(context);
  uint64_t begin = uint64_t(first) * kPieceBytes;
  uint64_t end = std::min(uint64_t(last) * kPieceBytes, move.bytes);
  if (move.from)
    std::memcpy(move.to + begin, move.from + begin, end - begin);
  else
    fillPiece(move, begin, end);
}

} // namespace

Expected<void> CpuExecutor::checkTarget(const CpuFeatures &features) const {
  const fb::Plan &plan = file.plan();
  std::string level = plan.target_level()->str();
  std::optional<CpuLevel> wanted = cpu_level_by_name(level);
  if (!wanted)
    return fail(Code::BadInput, file.name(),
                fmt::format("unknown target level 'cpu:{}'", level));
  if (*wanted > features.level())
    return fail(Code::BadInput, file.name(),
                fmt::format("the plan is compiled for cpu:{}, this processor "
                            "has cpu:{}; compile "
                            "with --target cpu:{}",
                            level, name_of(features.level()),
                            name_of(features.level())));
  for (unsigned i = 0; i < sizeOfVector(plan.cpu_features()); ++i) {
    std::string name = plan.cpu_features()->Get(i)->str();
    if (!name.empty() && name[0] == '+')
      name.erase(0, 1);
    if (!features.has(name))
      return fail(
          Code::BadInput, file.name(),
          fmt::format(
              "the plan needs the processor feature '{}', which is not here; "
              "compile with --target cpu:{}",
              name, name_of(features.level())));
    if (name == "amx-tile" && !request_amx())
      return fail(Code::Environment, file.name(),
                  "the system refuses AMX tiles to this process");
  }
  return {};
}

Expected<void> CpuExecutor::loadKernels() {
  unsigned count = sizeOfVector(file.plan().kernels());
  if (count == 0)
    return {};
  AMPC_ASSIGN(object, KernelObject::load(file.section(SectionKind::Object),
                                         file.name()));
  for (unsigned i = 0; i < count; ++i) {
    AMPC_ASSIGN(KernelFunction function,
                object.find(file.plan().kernels()->Get(i)->symbol()->str()));
    kernels.push_back(function);
  }
  return {};
}

uint64_t CpuExecutor::plannedBytes() const {
  return file.plan().variable_bytes() + arenaBytes() + portBytes() +
         workspaceBytes;
}

Expected<void> CpuExecutor::allocateBuffers(Allocator &allocator) {
  const fb::Plan &plan = file.plan();
  AMPC_TRY(checkFit(file,
                    {plan.variable_bytes(), arenaBytes(), portBytes(),
                     ThreadPool::instance().size()},
                    availableMemory()));
  AMPC_ASSIGN(variables,
              allocator.allocate(MemoryKind::Variables, plan.variable_bytes()));
  AMPC_ASSIGN(arena, allocator.allocate(MemoryKind::Arena, arenaBytes()));
  AMPC_ASSIGN(batches, allocator.allocate(MemoryKind::Batch, portBytes()));
  std::byte *next = batches.data();
  entries.resize(plan.entries()->size());
  for (unsigned e = 0; e < plan.entries()->size(); ++e) {
    const fb::Entry &source = *plan.entries()->Get(e);
    auto place = [&](const auto *ports, std::vector<std::byte *> &out) {
      for (unsigned i = 0; i < sizeOfVector(ports); ++i) {
        out.push_back(next);
        next += padded(ports->Get(i)->bytes());
      }
    };
    place(source.inputs(), entries[e].inputs);
    place(source.outputs(), entries[e].outputs);
  }
  return {};
}

std::byte *CpuExecutor::address(const Entry &entry,
                                const fb::Place &place) const {
  std::byte *base = nullptr;
  switch (place.space()) {
  case fb::Space::Arena:
    base = arena.data();
    break;
  case fb::Space::Variable:
    base = variables.data();
    break;
  case fb::Space::Input:
    base = entry.inputs[place.index()];
    break;
  case fb::Space::Output:
    base = entry.outputs[place.index()];
    break;
  case fb::Space::Constant: // kernels only read it: the file's mapping is
                            // read-only
    base = const_cast<std::byte *>(file.section(SectionKind::Constants).data());
    break;
  case fb::Space::Scratch:
  case fb::Space::Slice: // of a loop's body, not of an entry
    break;
  }
  return base ? base + place.offset() : nullptr;
}

Expected<void> CpuExecutor::prepare(const fb::Entry &source,
                                    const CpuFeatures &features, Entry &entry) {
  size_t args = 0;
  for (unsigned i = 0; i < sizeOfVector(source.instructions()); ++i)
    if (auto *launch = source.instructions()->Get(i)->op_as_Launch())
      args += sizeOfVector(launch->args());
  entry.args.reserve(args); // steps point into it
  for (unsigned i = 0; i < sizeOfVector(source.instructions()); ++i) {
    const fb::Instruction &instruction = *source.instructions()->Get(i);
    Step step{};
    if (auto *launch = instruction.op_as_Launch()) {
      step.kind = Kind::Launch;
      step.kernel = kernels[launch->kernel()];
      step.tiles = int64_t(launch->tiles());
      step.grain =
          leastTiles(*file.plan().kernels()->Get(launch->kernel()), threads);
      step.args = entry.args.data() + entry.args.size();
      for (unsigned a = 0; a < sizeOfVector(launch->args()); ++a)
        entry.args.push_back(address(entry, *launch->args()->Get(a)));
    } else if (auto *op = instruction.op_as_Contraction()) {
      step.kind = Kind::Contraction;
      step.index = uint32_t(contractions.size());
      AMPC_ASSIGN(Contraction made, Contraction::create(specOf(*op), *matmuls,
                                                        features, threads));
      workspaceBytes = std::max(workspaceBytes, made.workspaceBytes());
      contractions.push_back(std::move(made));
      step.a = address(entry, *op->a());
      step.b = address(entry, *op->b());
      step.init = op->init() ? address(entry, *op->init()) : nullptr;
      step.to = address(entry, *op->c());
    } else if (auto *op = instruction.op_as_Copy()) {
      step.kind = Kind::Copy;
      step.a = address(entry, *op->src());
      step.to = address(entry, *op->dst());
      step.bytes = op->bytes();
    } else if (auto *op = instruction.op_as_Fill()) {
      step.kind = Kind::Fill;
      step.to = address(entry, *op->dst());
      step.bytes = op->bytes();
      step.pattern = op->pattern();
      step.width = op->width();
    } else if (auto *op = instruction.op_as_Foreach()) {
      step.kind = Kind::Loop;
      step.index = uint32_t(loops.size());
      loops.emplace_back(
          *op, kernels,
          [&](const fb::Place &place) { return address(entry, place); },
          threads);
      workspaceBytes = std::max(workspaceBytes, loops.back().workspaceBytes());
    }
    entry.steps.push_back(step);
  }
  return {};
}

Expected<std::unique_ptr<CpuExecutor>>
CpuExecutor::create(const PlanFile &file, std::span<const size_t> watched,
                    Allocator &allocator, const CpuFeatures &features) {
  std::unique_ptr<CpuExecutor> result(new CpuExecutor(file, watched));
  AMPC_TRY(result->checkTarget(features));
  AMPC_TRY(result->loadKernels());
  AMPC_TRY(result->allocateBuffers(allocator));
  ThreadPool &pool = ThreadPool::instance();
  {
    auto lease =
        pool.lease(); // holds oneDNN to one thread while primitives are made
    result->threads = pool.size();
    AMPC_ASSIGN(result->matmuls,
                MatmulCache::create(result->threads, features));
    for (unsigned i = 0; i < file.plan().entries()->size(); ++i)
      AMPC_TRY(result->prepare(*file.plan().entries()->Get(i), features,
                               result->entries[i]));
  }
  AMPC_ASSIGN(result->workspace, allocator.allocate(MemoryKind::Workspace,
                                                    result->workspaceBytes));
  return result;
}

Expected<Executor::Run> CpuExecutor::begin(size_t number) {
  const Entry &entry = entries[number];
  auto lease = ThreadPool::instance().lease();
  for (size_t i = 0; i < entry.steps.size(); ++i) {
    const Step &step = entry.steps[i];
    switch (step.kind) {
    case Kind::Launch:
      lease.run(
          step.tiles, step.grain, threads,
          [](void *context, int, int64_t begin, int64_t end) {
            auto &step = *static_cast<const Step *>(context);
            step.kernel(step.args, begin, end);
          },
          const_cast<Step *>(&step));
      break;
    case Kind::Contraction:
      if (!contractions[step.index].run(lease, step.a, step.b, step.init,
                                        step.to, workspace.data()))
        return fail(
            Code::Environment, file.name(),
            fmt::format(
                "oneDNN failed in instruction {} of entry '{}'", i,
                file.plan().entries()->Get(unsigned(number))->name()->str()));
      break;
    case Kind::Loop:
      loops[step.index].run(lease, workspace.data());
      break;
    case Kind::Copy:
    case Kind::Fill: {
      Move move{step.kind == Kind::Copy ? step.a : nullptr, step.to, step.bytes,
                step.pattern, step.width};
      lease.run(int64_t((step.bytes + kPieceBytes - 1) / kPieceBytes), 1,
                threads, movePieces, &move);
      break;
    }
    }
  }
  return Run{number, 0};
}

} // namespace ampc::rt
