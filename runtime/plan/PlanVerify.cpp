// The meaning of a plan, checked before anything runs: after this, an executor
// may index and offset without looking. What a kernel touches behind its
// pointers is what the plan declares of it; the code itself cannot be seen
// here.
#include "runtime/plan/PlanVerifier.h"

#include <fmt/format.h>
#include <unordered_set>

namespace ampc::rt {

/// A random op's counter has 16 bits for the micro-batch.
static constexpr uint64_t kMaxMicroBatches = 1 << 16;

Expected<uint64_t> PlanVerifier::bytesOf(const fb::TensorType *type,
                                         std::string_view what) const {
  if (!type)
    return error(fmt::format("{} has no type", what));
  if (type->dtype() > fb::DType::MAX)
    return error(
        fmt::format("{}: unknown element type {}", what, int(type->dtype())));
  std::span<const int64_t> shape;
  if (type->shape())
    shape = {type->shape()->data(), type->shape()->size()};
  std::optional<uint64_t> count = countOf(shape);
  std::optional<uint64_t> bytes;
  if (count)
    bytes = product(*count, sizeOf(DType(type->dtype())));
  if (!bytes)
    return error(fmt::format(
        "{}: the extents of {} are negative or their product is over 2^48",
        what, typeText(DType(type->dtype()), shape)));
  return *bytes;
}

Expected<void> PlanVerifier::source(int index, std::string_view what) const {
  if (index < -1 || index >= int64_t(sizeOfVector(plan.sources())))
    return error(fmt::format("{}: source location {} of {}", what, index,
                             sizeOfVector(plan.sources())));
  return {};
}

Expected<void> PlanVerifier::variables() const {
  if (plan.variable_bytes() > kMaxBytes)
    return error(fmt::format("variable block of {} bytes, at most 2^52",
                             plan.variable_bytes()));
  if (!plan.variables())
    return {};
  std::unordered_set<std::string_view> names;
  std::vector<const fb::Variable *> order;
  for (const fb::Variable *variable : *plan.variables()) {
    std::string what =
        fmt::format("variable '{}'", variable->name()->string_view());
    if (!names.insert(variable->name()->string_view()).second)
      return error(fmt::format("{} occurs twice", what));
    AMPC_ASSIGN(uint64_t bytes, bytesOf(variable->type(), what));
    if (variable->bytes() < bytes)
      return error(fmt::format("{} has {} bytes, its type needs {}", what,
                               variable->bytes(), bytes));
    if (variable->offset() % 64)
      return error(
          fmt::format("{} starts at byte {}, expected a multiple of 64", what,
                      variable->offset()));
    if (variable->bytes() > plan.variable_bytes() ||
        variable->offset() > plan.variable_bytes() - variable->bytes())
      return error(fmt::format(
          "{} (bytes {} + {}) leaves the variable block of {} bytes", what,
          variable->offset(), variable->bytes(), plan.variable_bytes()));
    if (variable->role() > fb::Role::MAX)
      return error(
          fmt::format("{}: unknown role {}", what, int(variable->role())));
    const fb::Init &init = *variable->init();
    if (init.kind() > fb::InitKind::MAX)
      return error(
          fmt::format("{}: unknown initialiser {}", what, int(init.kind())));
    if (init.kind() == fb::InitKind::Data &&
        (bytes > sections.constants ||
         init.data_offset() > sections.constants - bytes))
      return error(fmt::format(
          "{}: initial data (bytes {} + {}) leaves the constants of {} bytes",
          what, init.data_offset(), bytes, sections.constants));
    if (init.kind() >= fb::InitKind::Uniform &&
        init.kind() != fb::InitKind::Data &&
        (!info(DType(variable->type()->dtype())).isFloat ||
         init.site() >= (1u << 30)))
      return error(fmt::format(
          "{}: a random initialiser needs a float type and a site below "
          "2^30, got {} and {}",
          what, name_of(DType(variable->type()->dtype())), init.site()));
    AMPC_TRY(copyOf(*variable, what));
    AMPC_TRY(source(variable->source(), what));
    order.push_back(variable);
  }
  for (const fb::Variable *variable : order)
    for (unsigned i = 0; i < sizeOfVector(variable->aliases()); ++i)
      if (std::string_view alias = variable->aliases()->Get(i)->string_view();
          !names.insert(alias).second)
        return error(fmt::format("variable '{}': its alias '{}' is a name "
                                 "already",
                                 variable->name()->string_view(), alias));
  std::sort(order.begin(), order.end(),
            [](auto *a, auto *b) { return a->offset() < b->offset(); });
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i - 1]->offset() + order[i - 1]->bytes() > order[i]->offset())
      return error(fmt::format("variables '{}' and '{}' overlap at byte {}",
                               order[i - 1]->name()->string_view(),
                               order[i]->name()->string_view(),
                               order[i]->offset()));
  return {};
}

Expected<void> PlanVerifier::copyOf(const fb::Variable &variable,
                                    std::string_view what) const {
  int index = variable.copy_of();
  if (variable.role() != fb::Role::Copy16) {
    if (index != -1)
      return error(fmt::format("{} has role {}, only a Copy16 is a copy", what,
                               fb::EnumNameRole(variable.role())));
    return {};
  }
  if (index < 0 || index >= int64_t(sizeOfVector(plan.variables())))
    return error(fmt::format("{} is a copy of variable {} of {}", what, index,
                             sizeOfVector(plan.variables())));
  const fb::Variable &base = *plan.variables()->Get(unsigned(index));
  AMPC_TRY(bytesOf(base.type(), what));
  auto shapeOf = [](const fb::Variable &of) {
    auto *shape = of.type()->shape();
    return shape ? std::span(shape->data(), shape->size())
                 : std::span<const int64_t>();
  };
  std::span<const int64_t> shape = shapeOf(variable), baseShape = shapeOf(base);
  DType type = DType(variable.type()->dtype()),
        baseType = DType(base.type()->dtype());
  bool narrow = type == DType::BF16 || type == DType::F16;
  if (!narrow || baseType != DType::F32 || base.role() != fb::Role::Parameter ||
      !std::equal(shape.begin(), shape.end(), baseShape.begin(),
                  baseShape.end()))
    return error(fmt::format(
        "{} is {} and a copy of '{}', which is {} of role {}; expected bf16 or "
        "f16 and an f32 parameter of the same shape",
        what, typeText(type, shape), base.name()->string_view(),
        typeText(baseType, baseShape), fb::EnumNameRole(base.role())));
  return {};
}

/// Threads of the largest block of any device, and dynamic shared memory that
/// every one gives a block.
static constexpr uint32_t kMaxBlockThreads = 1024;
static constexpr uint32_t kMaxSharedBytes = 48 * 1024;

Expected<void> PlanVerifier::cudaKernel(const fb::Kernel &kernel,
                                        std::string_view what) const {
  if (kernel.text_bytes() == 0 || kernel.text_bytes() > sections.text ||
      kernel.text_offset() > sections.text - kernel.text_bytes())
    return error(fmt::format(
        "{}: its source (bytes {} + {}) leaves the text section of {} bytes",
        what, kernel.text_offset(), kernel.text_bytes(), sections.text));
  if (kernel.block_threads() == 0 || kernel.block_threads() % 32 != 0 ||
      kernel.block_threads() > kMaxBlockThreads)
    return error(fmt::format(
        "{}: blocks of {} threads, expected a multiple of 32 up to {}", what,
        kernel.block_threads(), kMaxBlockThreads));
  if (kernel.shared_bytes() > kMaxSharedBytes)
    return error(fmt::format("{}: {} bytes of shared memory, at most {}", what,
                             kernel.shared_bytes(), kMaxSharedBytes));
  return {};
}

Expected<void> PlanVerifier::kernels() const {
  for (size_t i = 0; i < sizeOfVector(plan.kernels()); ++i) {
    const fb::Kernel &kernel = *plan.kernels()->Get(unsigned(i));
    if (kernel.symbol()->size() == 0)
      return error(fmt::format("kernel {} has no symbol", i));
    std::string what =
        fmt::format("kernel '{}'", kernel.symbol()->string_view());
    if (sizeOfVector(kernel.arg_bytes()) != sizeOfVector(kernel.arg_written()))
      return error(fmt::format(
          "{} gives the bytes of {} arguments, but which are written of {}",
          what, sizeOfVector(kernel.arg_bytes()),
          sizeOfVector(kernel.arg_written())));
    if (kernel.tiles() > kMaxExtent)
      return error(
          fmt::format("{}: {} tiles, at most 2^48", what, kernel.tiles()));
    if (plan.target_kind()->string_view() == "cuda")
      AMPC_TRY(cudaKernel(kernel, what));
  }
  return {};
}

Expected<void> PlanVerifier::run() {
  if (plan.constant_bytes() != sections.constants)
    return error(
        fmt::format("the metadata names {} constant bytes, the section has {}",
                    plan.constant_bytes(), sections.constants));
  if (plan.train() && plan.train()->nonfinite() > fb::Nonfinite::MAX)
    return error(fmt::format("unknown rule {} for non-finite windows",
                             int(plan.train()->nonfinite())));
  if (plan.train() && (plan.train()->accumulate() < 1 ||
                       plan.train()->accumulate() > kMaxMicroBatches))
    return error(fmt::format("windows of {} micro-batches, expected 1 to {}",
                             plan.train()->accumulate(), kMaxMicroBatches));
  if (plan.prelude_bytes() > sections.text)
    return error(fmt::format("a prelude of {} bytes, the text section has {}",
                             plan.prelude_bytes(), sections.text));
  AMPC_TRY(variables());
  AMPC_TRY(kernels());
  if (sizeOfVector(plan.entries()) == 0)
    return error("the plan has no entry");
  std::unordered_set<std::string_view> names;
  for (const fb::Entry *item : *plan.entries()) {
    std::string_view name = item->name()->string_view();
    if (!contains(kStepEntries, name) && !contains(kOtherEntries, name))
      return error(fmt::format("entry '{}', expected one of {}, {}", name,
                               fmt::join(kStepEntries, ", "),
                               fmt::join(kOtherEntries, ", ")));
    if (!names.insert(name).second)
      return error(fmt::format("entry '{}' occurs twice", name));
    AMPC_TRY(entry(*item));
  }
  size_t windowed = 0;
  for (std::string_view name : kStepEntries)
    windowed += name != "train_step" && names.contains(name);
  if (windowed != 0 && (windowed != 3 || names.contains("train_step")))
    return error("window, micro_step and apply_step stand together, in the "
                 "place of train_step");
  return {};
}

Expected<void> verifyPlan(const fb::Plan &plan, const SectionLengths &sections,
                          const std::string &where) {
  return PlanVerifier(plan, sections, where).run();
}

} // namespace ampc::rt
