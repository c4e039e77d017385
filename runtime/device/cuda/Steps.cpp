// What an entry does, as calls of the driver: made from its instructions when
// the plan is opened, enqueued or captured.
#include "runtime/device/cuda/CudaExecutor.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace ampc::rt::cuda {

template <class T>
static unsigned sizeOfVector(const T *vector) {
  return vector ? vector->size() : 0;
}

Address CudaExecutor::address(const Entry &entry,
                              const fb::Place &place) const {
  Address base = 0;
  switch (place.space()) {
  case fb::Space::Arena:
    base = arena.address();
    break;
  case fb::Space::Variable:
    base = variables.address();
    break;
  case fb::Space::Input:
    base = batches.address() + entry.inputs.begin +
           entry.inputs.offsets[place.index()];
    break;
  case fb::Space::Output:
    base = batches.address() + entry.outputs.begin +
           entry.outputs.offsets[place.index()];
    break;
  case fb::Space::Constant:
    base = constants.address();
    break;
  case fb::Space::Scratch:
  case fb::Space::Slice: // of loops over slices, which run on the CPU alone
    break;
  }
  return base + place.offset();
}

unsigned CudaExecutor::blocksOf(const fb::Launch &op) const {
  return unsigned(
      std::min<uint64_t>(op.tiles(), kernels[op.kernel()].mostBlocks));
}

void CudaExecutor::addLaunch(const fb::Launch &op, Entry &entry, Step step) {
  if (op.tiles() == 0)
    return;
  step.kind = Kind::Launch;
  step.index = op.kernel();
  step.blocks = blocksOf(op);
  step.parameters = entry.parameters.data() + entry.parameters.size();
  for (unsigned a = 0; a < sizeOfVector(op.args()); ++a) {
    entry.arguments.push_back(address(entry, *op.args()->Get(a)));
    entry.parameters.push_back(&entry.arguments.back());
  }
  entry.steps.push_back(step);
}

ContractionSpec CudaExecutor::specificationOf(const fb::Contraction &op) const {
  ContractionSpec spec = specOf(op);
  spec.tf32 = file.plan().tf32() && spec.typeA == DType::F32 &&
              spec.typeB == DType::F32;
  return spec;
}

Operands CudaExecutor::operandsOf(const Entry &entry,
                                  const fb::Contraction &op) const {
  return {address(entry, *op.a()), address(entry, *op.b()),
          address(entry, *op.c()), op.init() ? address(entry, *op.init()) : 0,
          op.bias() ? address(entry, *op.bias()) : 0};
}

Expected<bool> CudaExecutor::addContraction(const fb::Contraction &op,
                                            const fb::Launch *behind,
                                            Entry &entry, Step step,
                                            const std::string &where) {
  ContractionSpec spec = specificationOf(op);
  if (spec.m == 0 || spec.n == 0 || spec.batch == 0)
    return false;
  Operands at = operandsOf(entry, op);
  if (spec.k == 0 && spec.hasInit) {
    step.kind = Kind::Copy;
    step.from = at.init;
    step.to = at.c;
    step.bytes = uint64_t((spec.batch - 1) * spec.strideC + spec.m * spec.n) *
                 sizeOf(spec.typeC);
    if (at.init != at.c)
      entry.steps.push_back(step);
    return false;
  }
  if (spec.k == 0) { // a sum of nothing: +0 is all zero bits in every format
    uint64_t bytes = uint64_t(spec.m * spec.n) * sizeOf(spec.typeC);
    for (int64_t i = 0; i < spec.batch; ++i) {
      step.to = at.c + uint64_t(i * spec.strideC) * sizeOf(spec.typeC);
      step.bytes = bytes;
      addFill(entry, step, 0, 1);
    }
    return false;
  }
  Expected<Contraction> made =
      Contraction::create(*context, blas, spec, at, tuning);
  if (!made) {
    made.error().where = where;
    return tl::unexpected(made.error());
  }
  workspaceBytes = std::max(workspaceBytes, workspaceCap(spec));
  std::optional<Contraction> both;
  if (behind)
    both = withKnownEpilogue(*made, op, *behind);
  if (both) {
    made = std::move(*both);
    ++epiloguesTaken;
  }
  step.kind = Kind::Contraction;
  step.index = uint32_t(contractions.size());
  contractions.push_back(std::move(*made));
  entry.steps.push_back(step);
  return both.has_value();
}

void CudaExecutor::addFill(Entry &entry, Step step, uint64_t pattern,
                           unsigned width) {
  step.kind = Kind::Fill;
  // The driver fills 1, 2 or 4 bytes at a time; 8 bytes of equal halves are 4.
  if (width == 8 && uint32_t(pattern) == uint32_t(pattern >> 32))
    width = 4;
  step.width = uint8_t(std::min(width, 4u));
  step.pattern = uint32_t(pattern);
  if (width < 8) {
    entry.steps.push_back(step);
    return;
  }
  // One pattern from its two halves, then copies of what is there already.
  Step half = step;
  half.bytes = 4;
  entry.steps.push_back(half);
  half.to += 4;
  half.pattern = uint32_t(pattern >> 32);
  entry.steps.push_back(half);
  step.kind = Kind::Copy;
  step.from = step.to;
  uint64_t all = step.bytes;
  for (uint64_t there = 8; there < all; there *= 2) {
    step.to = step.from + there;
    step.bytes = std::min(there, all - there);
    entry.steps.push_back(step);
  }
}

Expected<void> CudaExecutor::prepare(const fb::Entry &source, Entry &entry) {
  unsigned count = sizeOfVector(source.instructions());
  size_t arguments = 0;
  for (unsigned i = 0; i < count; ++i)
    if (auto *launch = source.instructions()->Get(i)->op_as_Launch())
      arguments += sizeOfVector(launch->args());
  // Steps point into these: they do not grow again.
  entry.arguments.reserve(arguments);
  entry.parameters.reserve(arguments);
  for (unsigned i = 0; i < count; ++i) {
    const fb::Instruction &instruction = *source.instructions()->Get(i);
    Step step{};
    step.instruction = i;
    if (auto *launch = instruction.op_as_Launch()) {
      addLaunch(*launch, entry, step);
    } else if (auto *op = instruction.op_as_Contraction()) {
      std::string where = file.name();
      if (instruction.source() >= 0) {
        const fb::SourceLoc &loc =
            *file.plan().sources()->Get(unsigned(instruction.source()));
        where = fmt::format("{}:{}:{}", loc.file() ? loc.file()->str() : "",
                            loc.line(), loc.column());
      }
      auto *behind = i + 1 < count
                         ? source.instructions()->Get(i + 1)->op_as_Launch()
                         : nullptr;
      AMPC_ASSIGN(bool isBoth, addContraction(*op, behind, entry, step, where));
      i += isBoth; // past the launch
    } else if (auto *copy = instruction.op_as_Copy()) {
      step.kind = Kind::Copy;
      step.from = address(entry, *copy->src());
      step.to = address(entry, *copy->dst());
      step.bytes = copy->bytes();
      if (step.bytes)
        entry.steps.push_back(step);
    } else if (auto *fill = instruction.op_as_Fill()) {
      step.to = address(entry, *fill->dst());
      step.bytes = fill->bytes();
      if (step.bytes)
        addFill(entry, step, fill->pattern(), fill->width());
    }
  }
  for (size_t i = 0; i < watchedVariables.size(); ++i) {
    Step step{};
    step.kind = Kind::Copy;
    step.instruction = count;
    step.from = variables.address() + variableOffset(watchedVariables[i]);
    step.to =
        batches.address() + entry.outputs.begin + entry.watchedOffset + 8 * i;
    step.bytes = std::min<uint64_t>(valueBytes(watchedVariables[i]), 8);
    entry.steps.push_back(step);
  }
  return {};
}

Expected<void> CudaExecutor::enqueue(const Entry &entry,
                                     const Step &step) const {
  const DriverApi &api = context->api();
  Result result = 0;
  switch (step.kind) {
  case Kind::Launch: {
    const Kernel &kernel = kernels[step.index];
    result =
        api.launch(kernel.function, step.blocks, 1, 1, kernel.threads, 1, 1,
                   kernel.sharedBytes, stream.get(), step.parameters, nullptr);
    break;
  }
  case Kind::Contraction:
    result =
        contractions[step.index].run(blas, workspace.address(), stream.get());
    if (result != 0)
      return fail(Code::Environment, file.name(),
                  fmt::format("{}: cuBLASLt fails in instruction {} of entry "
                              "'{}': status {}",
                              context->device().text(), step.instruction,
                              entry.name, result));
    break;
  case Kind::Copy:
    result = api.copy(step.to, step.from, step.bytes, stream.get());
    break;
  case Kind::Fill:
    if (step.width == 1)
      result = api.fill8(step.to, static_cast<unsigned char>(step.pattern),
                         step.bytes, stream.get());
    else if (step.width == 2)
      result = api.fill16(step.to, static_cast<unsigned short>(step.pattern),
                          step.bytes / 2, stream.get());
    else
      result = api.fill32(step.to, step.pattern, step.bytes / 4, stream.get());
    break;
  }
  if (result != 0)
    return tl::unexpected(context->error(
        result, fmt::format("instruction {} of entry '{}' cannot be enqueued",
                            step.instruction, entry.name)));
  return {};
}

Expected<void> CudaExecutor::enqueue(const Entry &entry) const {
  for (const Step &step : entry.steps)
    AMPC_TRY(enqueue(entry, step));
  return {};
}

Expected<std::vector<double>>
CudaExecutor::timeInstructions(size_t number, int repeats) const {
  const Entry &entry = entries[number];
  AMPC_TRY(context->enter());
  std::vector<double> seconds(sizeOfVector(
      file.plan().entries()->Get(unsigned(number))->instructions()));
  for (const Step &step : entry.steps) {
    AMPC_TRY(enqueue(entry, step)); // what a first launch loads is not counted
    AMPC_TRY(synchronize());
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i)
      AMPC_TRY(enqueue(entry, step));
    AMPC_TRY(synchronize());
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    seconds.resize(std::max<size_t>(seconds.size(), step.instruction + 1));
    seconds[step.instruction] += taken.count() / repeats;
  }
  return seconds;
}

void CudaExecutor::capture(Entry &entry) {
  if (entry.steps.empty())
    return;
  const DriverApi &api = context->api();
  // Relaxed: a library may load its kernels while it is captured.
  if (api.beginCapture(stream.get(), kCaptureRelaxed) != 0)
    return;
  bool good = enqueue(entry).has_value();
  Graph graph = nullptr;
  good = api.endCapture(stream.get(), &graph) == 0 && graph && good;
  GraphExec exec = nullptr;
  if (good && api.instantiate(&exec, graph, 0) == 0)
    entry.graph = {exec, api.destroyGraphExec};
  if (graph)
    (void)api.destroyGraph(graph);
}

} // namespace ampc::rt::cuda
