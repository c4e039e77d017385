// Contractions by cuBLASLt.
#include "runtime/device/cuda/Contraction.h"

#include <algorithm>
#include <fmt/format.h>

namespace ampc::rt::cuda {

namespace {

int typeOf(DType type) {
  switch (type) {
  case DType::F64:
    return kTypeF64;
  case DType::F16:
    return kTypeF16;
  case DType::BF16:
    return kTypeBF16;
  default:
    return kTypeF32;
  }
}

/// The largest power of two up to 256 that divides the address and the steps
/// from one matrix to the next: what the library may count on.
uint32_t alignmentOf(Address address, int64_t stride, DType type) {
  uint64_t all = address | uint64_t(stride) * sizeOf(type) | 256;
  return uint32_t(all & -all);
}

/// What an algorithm is chosen for.
std::string describe(const ContractionSpec &spec, const Operands &at) {
  std::string init =
      spec.hasInit ? fmt::format(" from {}",
                                 alignmentOf(at.init, spec.strideC, spec.typeC))
                   : "";
  return fmt::format(
      "{}{} {} {} m {} n {} k {} {}{} batch {} strides {} {} {} aligned {} {} "
      "{}{}",
      spec.tf32 ? "tf32 " : "", name_of(spec.typeA), name_of(spec.typeB),
      name_of(spec.typeC), spec.m, spec.n, spec.k, spec.transposeA ? 't' : 'n',
      spec.transposeB ? 't' : 'n', spec.batch, spec.strideA, spec.strideB,
      spec.strideC, alignmentOf(at.a, spec.strideA, spec.typeA),
      alignmentOf(at.b, spec.strideB, spec.typeB),
      alignmentOf(at.c, spec.strideC, spec.typeC), init);
}

tl::unexpected<Error> unsupported(const Context &context, const Blas &blas,
                                  const ContractionSpec &spec) {
  bool isBf16 = spec.typeA == DType::BF16 || spec.typeB == DType::BF16 ||
                spec.typeC == DType::BF16;
  const char *remedy = isBf16 && context.device().arch < 80
                           ? "bf16 begins with sm_80: compile with --precision "
                             "f16 or f32"
                           : "compile with --precision f32";
  return fail(
      Code::BadInput, "",
      fmt::format("{}, sm_{}: cuBLASLt {}.{} does not multiply {} by {} to {} "
                  "(m {}, n {}, k {}, {} matrices); {}",
                  context.device().text(), context.device().arch,
                  blas.version().major, blas.version().minor,
                  name_of(spec.typeA), name_of(spec.typeB), name_of(spec.typeC),
                  spec.m, spec.n, spec.k, spec.batch, remedy));
}

/// Makes and sets the library's descriptions; keeps the first failure.
struct Builder {
  const BlasApi &api;
  Result result = 0;

  void note(Result status) {
    if (result == 0)
      result = status;
  }

  template <class T>
  void set(BlasMatmul matmul, int attribute, T value) {
    note(api.setMatmul(matmul, attribute, &value, sizeof value));
  }
  template <class T>
  void set(BlasPreference preference, int attribute, T value) {
    note(api.setPreference(preference, attribute, &value, sizeof value));
  }

  /// The column-major matrix that a dense row-major one of `rows` by `columns`
  /// is, `batch` times.
  Owned<BlasLayout> layout(DType type, int64_t rows, int64_t columns,
                           int64_t batch, int64_t stride) {
    BlasLayout layout = nullptr;
    note(api.createLayout(&layout, typeOf(type), uint64_t(columns),
                          uint64_t(rows), columns));
    Owned<BlasLayout> owned(layout, api.destroyLayout);
    auto count = int32_t(batch);
    if (result == 0 && batch > 1) {
      note(api.setLayout(layout, kBlasLayoutBatchCount, &count, sizeof count));
      note(api.setLayout(layout, kBlasLayoutBatchStride, &stride,
                         sizeof stride));
    }
    return owned;
  }

  Owned<BlasPreference> preference(const ContractionSpec &spec,
                                   const Operands &at) {
    BlasPreference made = nullptr;
    note(api.createPreference(&made));
    Owned<BlasPreference> owned(made, api.destroyPreference);
    if (result != 0)
      return owned;
    set(made, kBlasPreferWorkspace, uint64_t(kWorkspaceCap));
    // Partial sums are added in f32: a 16-bit result is rounded once.
    set(made, kBlasPreferReductions, kBlasReduceInComputeType);
    uint32_t d = alignmentOf(at.c, spec.strideC, spec.typeC);
    uint32_t c =
        spec.hasInit ? alignmentOf(at.init, spec.strideC, spec.typeC) : d;
    set(made, kBlasPreferAlignmentA,
        alignmentOf(at.b, spec.strideB, spec.typeB));
    set(made, kBlasPreferAlignmentB,
        alignmentOf(at.a, spec.strideA, spec.typeA));
    set(made, kBlasPreferAlignmentC, c);
    set(made, kBlasPreferAlignmentD, d);
    return owned;
  }
};

} // namespace

Expected<Blas> Blas::open(const Context &context) {
  Blas result;
  AMPC_ASSIGN(result.library, openBlas(context.driver().version));
  BlasHandle handle = nullptr;
  Result status = result.api().create(&handle);
  if (status != 0)
    return fail(Code::Environment, result.library.path,
                fmt::format("{}: the library does not start: status {}",
                            context.device().text(), status));
  result.blas = {handle, result.api().destroy};
  return result;
}

std::string Blas::tuningKey(const DeviceFacts &device) const {
  return fmt::format("{}, sm_{}, cuBLASLt {}.{}.{}", device.name, device.arch,
                     library.version.major, library.version.minor,
                     library.api.version() % 100);
}

Expected<Contraction> Contraction::create(const Context &context,
                                          const Blas &blas,
                                          const ContractionSpec &spec,
                                          const Operands &at,
                                          TuningRecord &record) {
  Contraction result;
  result.at = at;
  result.hasInit = spec.hasInit;
  result.isWide = spec.typeA == DType::F64;
  if (spec.batch > INT32_MAX)
    return unsupported(context, blas, spec);
  Builder builder{blas.api()};
  BlasMatmul matmul = nullptr;
  builder.note(blas.api().createMatmul(&matmul,
                                       result.isWide ? kBlasCompute64F
                                       : spec.tf32   ? kBlasComputeTf32
                                                     : kBlasCompute32F,
                                       result.isWide ? kTypeF64 : kTypeF32));
  result.matmul = {matmul, blas.api().destroyMatmul};
  auto stored = [&](DType type, bool isTransposed, int64_t rows,
                    int64_t columns, int64_t stride) {
    return isTransposed
               ? builder.layout(type, columns, rows, spec.batch, stride)
               : builder.layout(type, rows, columns, spec.batch, stride);
  };
  result.a = stored(spec.typeA, spec.transposeA, spec.m, spec.k, spec.strideA);
  result.b = stored(spec.typeB, spec.transposeB, spec.k, spec.n, spec.strideB);
  result.c = stored(spec.typeC, false, spec.m, spec.n, spec.strideC);
  Owned<BlasPreference> preference = builder.preference(spec, at);
  int found = 0;
  if (builder.result == 0) {
    auto turned = [](bool isTransposed) {
      return int32_t(isTransposed ? kBlasTranspose : kBlasNoTranspose);
    };
    builder.set(matmul, kBlasMatmulTransA, turned(spec.transposeB));
    builder.set(matmul, kBlasMatmulTransB, turned(spec.transposeA));
    const std::string product = describe(spec, at);
    std::optional<PinnedAlgorithm> pinned = record.find(product);
    // Its words are a file's: the library has to know them.
    if (pinned && pinned->workspaceBytes <= kWorkspaceCap &&
        blas.api().checkAlgorithm(blas.handle(), matmul, result.b.get(),
                                  result.a.get(), result.c.get(),
                                  result.c.get(), &pinned->algorithm,
                                  &result.choice) == 0 &&
        result.choice.state == 0 &&
        result.choice.workspaceBytes <= kWorkspaceCap) {
      result.choice.algorithm = pinned->algorithm;
      return result;
    }
    if (pinned)
      record.refuse();
    builder.note(blas.api().choose(
        blas.handle(), matmul, result.b.get(), result.a.get(), result.c.get(),
        result.c.get(), preference.get(), 1, &result.choice, &found));
    if (builder.result == 0 && found > 0 && result.choice.state == 0)
      record.pin(product,
                 {result.choice.algorithm, result.choice.workspaceBytes});
  }
  if (builder.result != 0 || found < 1 || result.choice.state != 0)
    return unsupported(context, blas, spec);
  return result;
}

Result Contraction::run(const Blas &blas, Address workspace,
                        Stream stream) const {
  static constexpr float kOne = 1, kZero = 0;
  static constexpr double kWideOne = 1, kWideZero = 0;
  auto scale = [&](bool isOne) {
    return isWide ? static_cast<const void *>(isOne ? &kWideOne : &kWideZero)
                  : static_cast<const void *>(isOne ? &kOne : &kZero);
  };
  auto pointer = [](Address address) {
    return reinterpret_cast<void *>(address);
  };
  return blas.api().multiply(blas.handle(), matmul.get(), scale(true),
                             pointer(at.b), b.get(), pointer(at.a), a.get(),
                             scale(hasInit), pointer(hasInit ? at.init : at.c),
                             c.get(), pointer(at.c), c.get(), &choice.algorithm,
                             pointer(workspace), choice.workspaceBytes, stream);
}

} // namespace ampc::rt::cuda
