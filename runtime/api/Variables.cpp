// A session's variables.
#include "runtime/api/Variables.h"
#include "runtime/core/Initialise.h"

#include <cstring>
#include <fmt/format.h>

namespace ampc::rt {

static_assert(int(VariableRole::Rate) == int(fb::Role::Rate));
static_assert(int(VariableRole::Copy16) == int(fb::Role::Copy16));
static_assert(int(VariableRole::Accumulator) == int(fb::Role::Accumulator));

VariableRole Variables::role(size_t i) const {
  return VariableRole(file->plan().variables()->Get(unsigned(i))->role());
}

Expected<Variables> Variables::create(const PlanFile &file,
                                      Executor &executor) {
  Variables result(file, executor);
  auto *list = file.plan().variables();
  for (unsigned i = 0; list && i < list->size(); ++i) {
    const fb::Variable &source = *list->Get(i);
    VariableSlot slot{
        source.name()->str(), DType(source.type()->dtype()), {}, {}, i};
    if (auto *shape = source.type()->shape())
      slot.shape.assign(shape->begin(), shape->end());
    for (unsigned a = 0; source.aliases() && a < source.aliases()->size(); ++a)
      slot.aliases.push_back(source.aliases()->Get(a)->str());
    result.index[slot.name] = i;
    result.slots.push_back(std::move(slot));
  }
  struct Known {
    const char *name;
    DType type;
  };
  for (Known known :
       {Known{state::kIteration, DType::I64}, Known{state::kUpdate, DType::I64},
        Known{state::kMicro, DType::I64}, Known{state::kSeed, DType::I64},
        Known{state::kEvalIndex, DType::I64}, Known{state::kMicros, DType::I64},
        Known{state::kRate, DType::F32}, Known{state::kScale, DType::F32}})
    if (const VariableSlot *slot = result.find(known.name))
      if (slot->dtype != known.type || !slot->shape.empty())
        return fail(Code::BadInput, file.name(),
                    fmt::format("variable '{}' is {}, expected {}", known.name,
                                typeText(slot->dtype, slot->shape),
                                typeText(known.type, {})));
  return result;
}

Expected<void> Variables::startValue(const VariableSlot &slot, uint64_t seed,
                                     std::span<std::byte> to) const {
  const fb::Init &init =
      *file->plan().variables()->Get(unsigned(slot.number))->init();
  if (to.empty())
    return {};
  if (init.kind() == fb::InitKind::Data) {
    std::memcpy(to.data(),
                file->section(SectionKind::Constants).data() +
                    init.data_offset(),
                to.size());
    return {};
  }
  auto done = rt::initialise(
      InitKind(init.kind()), {init.a(), init.b(), init.c(), init.d()},
      init.site(), seed, slot.dtype, to.size() / sizeOf(slot.dtype), to.data());
  if (!done)
    return fail(
        done.error().code, file->name(),
        fmt::format("variable '{}': {}", slot.name, done.error().message));
  return {};
}

Expected<void> Variables::initialise(uint64_t seed) {
  for (const VariableSlot &slot : slots)
    AMPC_TRY(fill(slot, [&](std::span<std::byte> to) {
      return startValue(slot, seed, to);
    }));
  AMPC_TRY(setInteger(state::kSeed, int64_t(seed)));
  return refreshCopies();
}

Expected<void> Variables::write(const VariableSlot &slot,
                                std::span<const std::byte> bytes) {
  return fill(slot, [&](std::span<std::byte> to) -> Expected<void> {
    if (!to.empty())
      std::memcpy(to.data(), bytes.data(), to.size());
    return {};
  });
}

const VariableSlot *Variables::find(std::string_view name) const {
  auto found = index.find(name);
  return found == index.end() ? nullptr : &slots[found->second];
}

std::vector<VariableSlot> Variables::saved() const {
  std::vector<VariableSlot> out;
  for (size_t i = 0; i < slots.size(); ++i)
    if (is_saved(role(i), slots[i].name))
      out.push_back(slots[i]);
  return out;
}

std::vector<VariableSlot> Variables::weights() const {
  std::vector<VariableSlot> out;
  for (size_t i = 0; i < slots.size(); ++i)
    if (is_weight(role(i), slots[i].name))
      out.push_back(slots[i]);
  return out;
}

const VariableSlot *Variables::sourceOf(const VariableSlot &slot) const {
  int base = file->plan().variables()->Get(unsigned(slot.number))->copy_of();
  return base < 0 ? nullptr : &slots[size_t(base)];
}

Expected<void> Variables::refreshCopies(const VariableSlot *written) {
  for (const VariableSlot &slot : slots)
    if (const VariableSlot *base = sourceOf(slot);
        base && (!written || base == written))
      AMPC_TRY(look(*base, [&](std::span<const std::byte> from) {
        return fill(slot, [&](std::span<std::byte> to) {
          return convert(base->dtype, from.data(), slot.dtype, to.data(),
                         to.size() / sizeOf(slot.dtype));
        });
      }));
  return {};
}

int64_t Variables::integer(std::string_view name, int64_t otherwise) const {
  const VariableSlot *slot = find(name);
  int64_t value = otherwise;
  if (slot)
    (void)look(*slot, [&](std::span<const std::byte> from) -> Expected<void> {
      std::memcpy(&value, from.data(), sizeof value);
      return {};
    });
  return value;
}

Expected<void> Variables::setInteger(std::string_view name, int64_t value) {
  const VariableSlot *slot = find(name);
  return slot ? write(*slot, std::as_bytes(std::span(&value, 1)))
              : Expected<void>();
}

} // namespace ampc::rt
