// Finds the largest tensor of a plan that is too large.
#include "runtime/device/FitCheck.h"

#include <fmt/format.h>

namespace ampc::rt {

namespace {

template <class T>
unsigned sizeOfVector(const T *vector) {
  return vector ? vector->size() : 0;
}

/// The largest thing seen so far.
struct Largest {
  const fb::Plan &plan;
  uint64_t bytes = 0;
  std::string what = {};
  int source = -1;

  void see(uint64_t size, int place, auto &&describe) {
    if (size <= bytes)
      return;
    bytes = size;
    what = describe();
    source = place;
  }

  /// A variable, input or output.
  void seeNamed(uint64_t size, const auto &tensor) {
    see(size, tensor.source(), [&] {
      auto *shape = tensor.type()->shape();
      return fmt::format("'{}', {}", tensor.name()->string_view(),
                         typeText(DType(tensor.type()->dtype()),
                                  shape
                                      ? std::span(shape->data(), shape->size())
                                      : std::span<const int64_t>()));
    });
  }

  /// What an instruction writes into the arena.
  void seeWritten(uint64_t size, const fb::Place &place,
                  const fb::Instruction &instruction) {
    if (place.space() != fb::Space::Arena)
      return;
    see(size, instruction.source(), [&] {
      auto *label = instruction.label();
      return fmt::format("what '{}' computes",
                         label ? label->string_view() : "");
    });
  }

  void seeInstruction(const fb::Instruction &instruction) {
    if (auto *launch = instruction.op_as_Launch()) {
      const fb::Kernel &kernel = *plan.kernels()->Get(launch->kernel());
      for (unsigned i = 0; i < sizeOfVector(launch->args()); ++i)
        if (kernel.arg_written()->Get(i))
          seeWritten(kernel.arg_bytes()->Get(i), *launch->args()->Get(i),
                     instruction);
    } else if (auto *op = instruction.op_as_Contraction()) {
      seeWritten(op->batch() * op->m() * op->n() * sizeOf(DType(op->dtype_c())),
                 *op->c(), instruction);
    } else if (auto *copy = instruction.op_as_Copy()) {
      seeWritten(copy->bytes(), *copy->dst(), instruction);
    } else if (auto *fill = instruction.op_as_Fill()) {
      seeWritten(fill->bytes(), *fill->dst(), instruction);
    } else if (auto *loop = instruction.op_as_Foreach()) {
      for (unsigned i = 0; i < sizeOfVector(loop->slices()); ++i)
        seeWritten(loop->slices()->Get(i)->bytes() *
                       loop->slices()->Get(i)->count(),
                   *loop->slices()->Get(i)->first(), instruction);
    }
  }
};

} // namespace

Expected<void> checkFit(const PlanFile &file, const PlannedBytes &planned,
                        std::optional<uint64_t> available,
                        const std::string &device) {
  uint64_t needed = planned.variables + planned.arena + planned.batches;
  if (!available || needed <= *available)
    return {};
  const fb::Plan &plan = file.plan();
  Largest largest{plan};
  for (unsigned i = 0; i < sizeOfVector(plan.variables()); ++i)
    largest.seeNamed(plan.variables()->Get(i)->bytes(),
                     *plan.variables()->Get(i));
  for (const fb::Entry *entry : *plan.entries()) {
    for (auto *ports : {entry->inputs(), entry->outputs()})
      for (unsigned i = 0; i < sizeOfVector(ports); ++i)
        largest.seeNamed(ports->Get(i)->bytes(), *ports->Get(i));
    for (unsigned i = 0; i < sizeOfVector(entry->instructions()); ++i)
      largest.seeInstruction(*entry->instructions()->Get(i));
  }
  std::string where = file.name();
  if (largest.source >= 0) {
    const fb::SourceLoc &loc = *plan.sources()->Get(unsigned(largest.source));
    where = fmt::format("{}:{}:{}", loc.file() ? loc.file()->str() : "",
                        loc.line(), loc.column());
  }
  return fail(
      Code::DoesNotFit, where,
      fmt::format(
          "the model needs {} bytes (variables {}, arena {}, batches "
          "{}), {} are available{}; the largest tensor is {}, of {} bytes",
          needed, planned.variables, planned.arena, planned.batches, *available,
          device.empty() ? "" : " on " + device, largest.what, largest.bytes));
}

} // namespace ampc::rt
