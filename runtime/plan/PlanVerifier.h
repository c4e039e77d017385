// The verifier of plans, in three files: the plan as a whole (PlanVerify.cpp),
// what an entry does (VerifyEntry.cpp) and its loops (VerifyLoop.cpp). Private
// to runtime/plan.
#pragma once

#include "runtime/plan/PlanFile.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ampc::rt {

template <class T>
size_t sizeOfVector(const T *vector) {
  return vector ? vector->size() : 0;
}

/// The entries that write variables, and the others.
inline constexpr std::array<std::string_view, 4> kStepEntries = {
    "train_step", "window", "micro_step", "apply_step"};
inline constexpr std::array<std::string_view, 4> kOtherEntries = {
    "eval_step", "eval_finish", "infer", "gradient"};

inline bool contains(std::span<const std::string_view> names,
                     std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Bytes of a region, or a failure: product and sum never wrap.
inline std::optional<uint64_t> product(uint64_t a, uint64_t b) {
  if (a != 0 && b > kMaxBytes / a)
    return std::nullopt;
  return a * b;
}

/// Whether `aBytes` bytes from `a` on and `bBytes` from `b` on share one. Both
/// lie in their regions.
inline bool overlap(const fb::Place &a, uint64_t aBytes, const fb::Place &b,
                    uint64_t bBytes) {
  return a.space() == b.space() && a.index() == b.index() &&
         a.offset() < b.offset() + bBytes && b.offset() < a.offset() + aBytes;
}

class PlanVerifier {
public:
  PlanVerifier(const fb::Plan &plan, const SectionLengths &sections,
               const std::string &where)
      : plan(plan), sections(sections), where(where) {}

  Expected<void> run();

private:
  tl::unexpected<Error> error(std::string text) const {
    return fail(Code::BadInput, where, std::move(text));
  }
  Expected<uint64_t> bytesOf(const fb::TensorType *type,
                             std::string_view what) const;
  Expected<void> source(int index, std::string_view what) const;
  Expected<void> variables() const;
  /// A 16-bit copy, and only one, names an f32 parameter of its shape.
  Expected<void> copyOf(const fb::Variable &variable,
                        std::string_view what) const;
  Expected<void> kernels() const;
  /// Source and block of a CUDA kernel.
  Expected<void> cudaKernel(const fb::Kernel &kernel,
                            std::string_view what) const;
  Expected<void>
  ports(const fb::Entry &entry,
        const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *list,
        bool inputs) const;
  /// A probe says what it shows, and nothing else does; what it is made of is
  /// among the `before` probes before it.
  Expected<void> probe(const fb::Port &port, unsigned before,
                       std::string_view what) const;
  /// The elements that a check looks at lie in the input.
  Expected<void> check(const fb::Port &port, const fb::IndexCheck &check,
                       std::string_view what) const;
  /// A fault's check tells the extents of a tensor, for messages.
  Expected<void> computedCheck(const fb::IndexCheck &check,
                               std::string_view what) const;
  Expected<void> entry(const fb::Entry &entry) const;
  /// `bytes` bytes from `place` on lie in its region; `written` places may not
  /// be read-only. `loop`: in whose body the place stands, if in any.
  Expected<void> place(const fb::Entry &entry, const fb::Place *place,
                       uint64_t bytes, bool written, std::string_view what,
                       const fb::Foreach *loop = nullptr) const;
  /// A place in the scratch memory or in a slice of `loop`.
  Expected<void> placeInLoop(const fb::Foreach *loop, const fb::Place &place,
                             uint64_t bytes, bool written,
                             std::string_view what) const;
  /// `entry` may write every variable of which `bytes` bytes from `offset` on,
  /// in their block, have a part.
  Expected<void> writtenVariable(std::string_view entry, uint64_t offset,
                                 uint64_t bytes, std::string_view what) const;
  Expected<void> launch(const fb::Entry &entry, const fb::Launch &op,
                        std::string_view at,
                        const fb::Foreach *loop = nullptr) const;
  Expected<void> foreach (const fb::Entry &entry, const fb::Foreach &op,
                          std::string_view at) const;
  /// The `written` slices of `op` share no byte with others, nor with an
  /// argument of its body: iterations run in any order and at once.
  Expected<void> apart(const fb::Foreach &op, const std::vector<bool> &written,
                       std::string_view at) const;
  /// `next`: the instruction behind it, null at the end.
  Expected<void> contraction(const fb::Entry &entry, const fb::Contraction &op,
                             const fb::Instruction *next,
                             std::string_view at) const;
  /// Of a contraction with `bias` or `relu`.
  Expected<void> contractionEpilogue(const fb::Entry &entry,
                                     const fb::Contraction &op,
                                     const fb::Instruction *next,
                                     std::string_view at) const;
  /// Of a contraction with `init`, whose C has `bytes`.
  Expected<void> contractionInit(const fb::Entry &entry,
                                 const fb::Contraction &op, uint64_t bytes,
                                 std::string_view at) const;
  Expected<void> copy(const fb::Entry &entry, const fb::Copy &op,
                      std::string_view at) const;
  Expected<void> fill(const fb::Entry &entry, const fb::Fill &op,
                      std::string_view at) const;

  const fb::Plan &plan;
  SectionLengths sections;
  const std::string &where;
};

} // namespace ampc::rt
