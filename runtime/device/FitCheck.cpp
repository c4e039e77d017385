// Finds the largest tensor of a plan that is too large.
#include "runtime/device/FitCheck.h"

#include <algorithm>
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
  uint64_t threads;
  uint64_t scratch = 0; ///< of all threads, for the loop that needs the most
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

  static std::string_view labelOf(const fb::Instruction &instruction) {
    auto *label = instruction.label();
    return label ? label->string_view() : "";
  }

  /// What an instruction writes into the arena.
  void seeWritten(uint64_t size, const fb::Place &place,
                  const fb::Instruction &instruction) {
    if (place.space() != fb::Space::Arena)
      return;
    see(size, instruction.source(), [&] {
      return fmt::format("what '{}' computes", labelOf(instruction));
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
      std::vector<bool> written = writtenSlices(plan, *loop);
      for (unsigned i = 0; i < sizeOfVector(loop->slices()); ++i)
        if (const fb::Slices &slices = *loop->slices()->Get(i); written[i])
          seeWritten(slices.bytes() * slices.count(), *slices.first(),
                     instruction);
      uint64_t own = loop->scratch_bytes() * threads;
      scratch = std::max(scratch, own);
      see(own, instruction.source(), [&] {
        return fmt::format("the scratch memory of '{}' on {} threads",
                           labelOf(instruction), threads);
      });
    }
  }
};

} // namespace

Expected<void> checkFit(const PlanFile &file, const PlannedBytes &planned,
                        std::optional<uint64_t> available,
                        const std::string &device) {
  if (!available)
    return {};
  const fb::Plan &plan = file.plan();
  Largest largest{plan, uint64_t(planned.threads)};
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
  uint64_t needed =
      planned.variables + planned.arena + planned.batches + largest.scratch;
  if (needed <= *available)
    return {};
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
          "{}{}), {} are available{}; the largest tensor is {}, of {} bytes",
          needed, planned.variables, planned.arena, planned.batches,
          largest.scratch ? fmt::format(", scratch memory {}", largest.scratch)
                          : "",
          *available, device.empty() ? "" : " on " + device, largest.what,
          largest.bytes));
}

} // namespace ampc::rt
