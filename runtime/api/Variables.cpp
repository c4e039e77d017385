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

int Variables::copyOf(size_t i) const {
  return file->plan().variables()->Get(unsigned(i))->copy_of();
}

Expected<Variables> Variables::create(const PlanFile &file,
                                      CpuExecutor &executor) {
  Variables result(file);
  auto *list = file.plan().variables();
  for (unsigned i = 0; list && i < list->size(); ++i) {
    const fb::Variable &source = *list->Get(i);
    VariableSlot slot{
        source.name()->str(), DType(source.type()->dtype()), {}, {}};
    if (auto *shape = source.type()->shape())
      slot.shape.assign(shape->begin(), shape->end());
    for (unsigned a = 0; source.aliases() && a < source.aliases()->size(); ++a)
      slot.aliases.push_back(source.aliases()->Get(a)->str());
    // The plan may pad a variable; its value is what the type says.
    slot.bytes = {executor.variable(i),
                  size_t(*countOf(slot.shape)) * sizeOf(slot.dtype)};
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

Expected<void> Variables::initialise(uint64_t seed) {
  for (size_t i = 0; i < slots.size(); ++i) {
    const fb::Init &init = *file->plan().variables()->Get(unsigned(i))->init();
    VariableSlot &slot = slots[i];
    if (slot.bytes.empty())
      continue;
    if (init.kind() == fb::InitKind::Data) {
      std::memcpy(slot.bytes.data(),
                  file->section(SectionKind::Constants).data() +
                      init.data_offset(),
                  slot.bytes.size());
      continue;
    }
    auto done = rt::initialise(
        InitKind(init.kind()), {init.a(), init.b(), init.c(), init.d()},
        init.site(), seed, slot.dtype, slot.bytes.size() / sizeOf(slot.dtype),
        slot.bytes.data());
    if (!done)
      return fail(
          done.error().code, file->name(),
          fmt::format("variable '{}': {}", slot.name, done.error().message));
  }
  setInteger(state::kSeed, int64_t(seed));
  return refreshCopies();
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
  int base = copyOf(size_t(&slot - slots.data()));
  return base < 0 ? nullptr : &slots[size_t(base)];
}

Expected<void> Variables::refreshCopies(const VariableSlot *written) {
  for (const VariableSlot &slot : slots)
    if (const VariableSlot *base = sourceOf(slot);
        base && (!written || base == written))
      AMPC_TRY(convert(base->dtype, base->bytes.data(), slot.dtype,
                       slot.bytes.data(),
                       slot.bytes.size() / sizeOf(slot.dtype)));
  return {};
}

int64_t Variables::integer(std::string_view name, int64_t otherwise) const {
  const VariableSlot *slot = find(name);
  if (!slot)
    return otherwise;
  int64_t value;
  std::memcpy(&value, slot->bytes.data(), sizeof value);
  return value;
}

void Variables::setInteger(std::string_view name, int64_t value) {
  if (const VariableSlot *slot = find(name))
    std::memcpy(slot->bytes.data(), &value, sizeof value);
}

} // namespace ampc::rt
