// Products that do the launch behind them: a bias, relu. A library says little
// of what its epilogues make of NaN, -0 and subnormals, so the first open of a
// plan on a device tries: both forms run on the same operands, and the library
// has the epilogue only where no bit differs. The answer stands in the tuning
// record.
#include "runtime/core/Tensor.h"
#include "runtime/device/cuda/CudaExecutor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <optional>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ampc::rt::cuda {

namespace {

/// Numbers of every kind that an epilogue may treat in its own way.
constexpr float kSpecial[] = {-0.0f,
                              0.0f,
                              1e-40f,
                              -1e-40f,
                              std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN(),
                              1.0f};

/// What the operands of a trial are: any numbers, or all of A and of B one
/// number each (null: any numbers), so that every sum is of one kind, with one
/// bias or, from `firstBias` on, a bias of every kind.
struct Draw {
  std::optional<float> left, right, bias;
  size_t firstBias = 0;
};

enum Side { kLeft, kRight, kBias, kSides };

/// The draws for operands of `type` and `columns` elements of bias: sums of any
/// kind, that are NaN, infinite, subnormal, -0 (what a product too small for a
/// float leaves) and +0.
std::vector<Draw> drawsFor(DType type, size_t columns) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN(),
                  kInfinite = std::numeric_limits<float>::infinity();
  // f16 has nothing smaller: its own sums are too small for it.
  float tiny = type == DType::F16 ? 0x1p-20f : 0x1p-100f,
        small = type == DType::F16 ? 0x1p-10f : 0x1p-70f;
  std::vector<Draw> draws{{},
                          {kNone, {}, {}, 0},
                          {kInfinite, 1.0f, {}, 0},
                          {-kInfinite, 1.0f, {}, 0},
                          {small, small, 0.0f, 0},
                          {-small, small, -0.0f, 0},
                          {-tiny, tiny, -0.0f, 0},
                          {-tiny, tiny, 0.0f, 0}};
  for (size_t first = 0; first < std::size(kSpecial);
       first += std::max<size_t>(columns, 1))
    draws.push_back({-0.0f, {}, {}, first + 1});
  return draws;
}

float element(const Draw &draw, int side, size_t index) {
  std::optional<float> fixed = side == kLeft    ? draw.left
                               : side == kRight ? draw.right
                                                : draw.bias;
  if (fixed)
    return *fixed;
  if (side == kBias && draw.firstBias)
    return kSpecial[(draw.firstBias - 1 + index) % std::size(kSpecial)];
  uint32_t bits = (uint32_t(index) + 1) * 2654435761u + uint32_t(side) * 40503u;
  bits ^= bits >> 15;
  return float(int32_t(bits * 2246822519u)) * 0x1p-31f;
}

Expected<std::vector<std::byte>> drawn(const Draw &draw, int side, DType type,
                                       size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = element(draw, side, i);
  std::vector<std::byte> bytes(count * sizeOf(type));
  AMPC_TRY(convert(DType::F32, reinterpret_cast<std::byte *>(values.data()),
                   type, bytes.data(), int64_t(count)));
  return bytes;
}

/// Whether two results are the same, whatever bits their NaNs have.
Expected<bool> areSame(DType type, const std::vector<std::byte> &a,
                       const std::vector<std::byte> &b) {
  std::vector<float> values[2];
  for (int i : {0, 1}) {
    const std::vector<std::byte> &bytes = i ? b : a;
    values[i].resize(bytes.size() / sizeOf(type));
    AMPC_TRY(convert(type, bytes.data(), DType::F32,
                     reinterpret_cast<std::byte *>(values[i].data()),
                     int64_t(values[i].size())));
  }
  return std::ranges::equal(values[0], values[1], [](float x, float y) {
    return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y) ||
           (std::isnan(x) && std::isnan(y));
  });
}

bool isAlgorithm(const PinnedAlgorithm &pinned,
                 const BlasAlgorithm &algorithm) {
  return std::memcmp(&pinned.algorithm, &algorithm, sizeof algorithm) == 0;
}

/// Device memory that a trial takes and gives back: it counts as the bytes
/// asked for, though it may begin later in a block than at its first byte.
struct Scratch {
  Charge charge;
  Owned<Address> memory;
  Address address = 0;
};

/// A product, the launch behind it and memory for them.
class Trial {
public:
  Trial(const Context &context, Stream stream, const Blas &blas,
        const ContractionSpec &spec)
      : context(context), stream(stream), blas(blas), spec(spec) {}

  /// What the operands take.
  uint64_t bytes() const {
    return bytesOf(kLeft) + bytesOf(kRight) + bytesOf(kBias) + bytesOfC();
  }

  /// Takes memory that lies as `like` does to the library's eyes; none: false.
  bool allocate(Allocator &allocator, const Operands &like) {
    auto take = [&](Scratch &to, Address like, uint64_t bytes) {
      if (bytes == 0)
        return true;
      Expected<Charge> charge = allocator.charge(MemoryKind::Workspace, bytes);
      Address base = 0, behind = like % 256;
      if (!charge ||
          context.api().allocate(&base, (behind + bytes + 255) / 256 * 256))
        return false;
      to = {std::move(*charge), {base, context.api().free}, base + behind};
      return true;
    };
    return take(in[kLeft], like.a, bytesOf(kLeft)) &&
           take(in[kRight], like.b, bytesOf(kRight)) &&
           take(in[kBias], like.bias, bytesOf(kBias)) &&
           take(c, like.c, bytesOfC());
  }
  bool allocateWorkspace(Allocator &allocator, uint64_t bytes) {
    Expected<DeviceBlock> block = DeviceBlock::allocate(
        context, stream, allocator, MemoryKind::Workspace, bytes);
    if (block)
      workspace = std::move(*block);
    return block.has_value();
  }

  Operands operands() const {
    return {in[kLeft].address, in[kRight].address, c.address, 0,
            in[kBias].address};
  }

  /// Whether `both` gives the bits of `apart` and `launch`, which enqueues the
  /// launch; nothing where one of them does not run.
  template <class Launch>
  Expected<std::optional<bool>> areSameBits(const Contraction &apart,
                                            const Contraction &both,
                                            Launch launch) const {
    for (const Draw &draw : drawsFor(spec.typeA, countOf(kBias))) {
      AMPC_TRY(fill(draw));
      if (apart.run(blas, workspace.address(), stream) != 0 || launch() != 0)
        return std::nullopt;
      AMPC_ASSIGN(std::vector<std::byte> expected, result());
      if (both.run(blas, workspace.address(), stream) != 0)
        return std::nullopt;
      AMPC_ASSIGN(std::vector<std::byte> actual, result());
      AMPC_ASSIGN(bool isSame, areSame(spec.typeC, expected, actual));
      if (!isSame)
        return std::optional(false);
    }
    return std::optional(true);
  }

private:
  DType typeOf(int side) const {
    return side == kLeft    ? spec.typeA
           : side == kRight ? spec.typeB
                            : spec.typeC;
  }
  size_t countOf(int side) const {
    int64_t counts[] = {spec.m * spec.k, spec.k * spec.n,
                        spec.hasBias ? spec.n : 0};
    return size_t(counts[side]);
  }
  uint64_t bytesOf(int side) const {
    return countOf(side) * sizeOf(typeOf(side));
  }
  uint64_t bytesOfC() const {
    return uint64_t(spec.m * spec.n) * sizeOf(spec.typeC);
  }

  Expected<void> fill(const Draw &draw) const {
    for (int side = 0; side < kSides; ++side) {
      if (countOf(side) == 0)
        continue;
      AMPC_ASSIGN(std::vector<std::byte> bytes,
                  drawn(draw, side, typeOf(side), countOf(side)));
      AMPC_TRY(context.check(context.api().copyToDevice(in[side].address,
                                                        bytes.data(),
                                                        bytes.size(), stream),
                             "operands cannot be copied"));
      AMPC_TRY(wait());
    }
    return {};
  }

  Expected<std::vector<std::byte>> result() const {
    std::vector<std::byte> bytes(bytesOfC());
    AMPC_TRY(context.check(
        context.api().copyToHost(bytes.data(), c.address, bytes.size(), stream),
        "a result cannot be copied"));
    AMPC_TRY(wait());
    return bytes;
  }

  Expected<void> wait() const {
    return context.check(context.api().synchronize(stream),
                         "a product tried with its epilogue fails");
  }

  const Context &context;
  Stream stream;
  const Blas &blas;
  const ContractionSpec &spec;
  Scratch in[kSides], c;
  DeviceBlock workspace;
};

} // namespace

/// Names `product` and what the launch behind it does: its source, and which of
/// its arguments is C.
static std::string nameOf(const PlanFile &file, const Contraction &product,
                          const fb::Contraction &op, const fb::Launch &behind) {
  std::string source =
      sourceOf(file, *file.plan().kernels()->Get(behind.kernel()));
  for (const fb::Place *place : *behind.args())
    source += isSamePlace(*place, *op.c()) ? 'c' : 'b';
  return fmt::format("{} by {:016x}", product.describeEpilogue(),
                     XXH3_64bits(source.data(), source.size()));
}

std::optional<Contraction>
CudaExecutor::withKnownEpilogue(const Contraction &product,
                                const fb::Contraction &op,
                                const fb::Launch &behind) const {
  if (!product.mayHaveEpilogue())
    return std::nullopt;
  std::optional<PinnedAlgorithm> known =
      tuning.find(nameOf(file, product, op, behind));
  return known && isAlgorithm(*known, product.algorithm())
             ? product.withEpilogue(blas)
             : std::nullopt;
}

Expected<void> CudaExecutor::tryEpilogue(const fb::Contraction &op,
                                         const fb::Launch &behind,
                                         const Operands &places,
                                         Allocator &allocator) {
  ContractionSpec spec = specificationOf(op);
  if (spec.m == 0 || spec.n == 0 || spec.k == 0)
    return {};
  // What cannot be multiplied at all is said where the entry is prepared.
  Expected<Contraction> chosen =
      Contraction::create(*context, blas, spec, places, tuning);
  if (!chosen)
    return {};
  const std::string name = nameOf(file, *chosen, op, behind);
  std::optional<PinnedAlgorithm> known = tuning.find(name);
  // No algorithm at all: the bits differ.
  if (known && (isAlgorithm(*known, chosen->algorithm()) ||
                isAlgorithm(*known, BlasAlgorithm{})))
    return {};
  // Where there is no room, nothing is noted: another open may have it. Tensors
  // that stand in one place in the plan are two here.
  Trial trial(*context, stream.get(), blas, spec);
  const fb::Plan &plan = file.plan();
  uint64_t room = plan.variable_bytes() + plan.constant_bytes() + arenaBytes() +
                  batchBytes();
  if (trial.bytes() > room || !trial.allocate(allocator, places))
    return {};
  Expected<Contraction> apart =
      Contraction::create(*context, blas, spec, trial.operands(), tuning);
  if (!apart || nameOf(file, *apart, op, behind) != name)
    return {};
  std::optional<Contraction> both = apart->withEpilogue(blas);
  if (!both ||
      !trial.allocateWorkspace(
          allocator, std::max(apart->workspaceBytes(), both->workspaceBytes())))
    return {};
  // Its arguments are C and the bias alone: the plan was verified.
  std::vector<Address> arguments;
  std::vector<void *> parameters;
  for (const fb::Place *place : *behind.args())
    arguments.push_back(isSamePlace(*place, *op.c()) ? trial.operands().c
                                                     : trial.operands().bias);
  for (Address &argument : arguments)
    parameters.push_back(&argument);
  AMPC_ASSIGN(std::optional<bool> isSame, trial.areSameBits(*apart, *both, [&] {
    const Kernel &kernel = kernels[behind.kernel()];
    return context->api().launch(kernel.function, blocksOf(behind), 1, 1,
                                 kernel.threads, 1, 1, kernel.sharedBytes,
                                 stream.get(), parameters.data(), nullptr);
  }));
  if (isSame)
    tuning.pin(name, *isSame ? PinnedAlgorithm{apart->algorithm(),
                                               both->workspaceBytes()}
                             : PinnedAlgorithm{});
  return {};
}

Expected<void> CudaExecutor::tryEpilogues(Allocator &allocator) {
  for (unsigned e = 0; e < file.plan().entries()->size(); ++e) {
    auto *instructions = file.plan().entries()->Get(e)->instructions();
    for (unsigned i = 0; instructions && i + 1 < instructions->size(); ++i) {
      auto *op = instructions->Get(i)->op_as_Contraction();
      auto *behind = instructions->Get(i + 1)->op_as_Launch();
      if (op && behind && (op->bias() || op->relu()))
        AMPC_TRY(
            tryEpilogue(*op, *behind, operandsOf(entries[e], *op), allocator));
    }
  }
  return {};
}

} // namespace ampc::rt::cuda
