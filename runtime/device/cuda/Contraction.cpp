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
    set(made, kBlasPreferWorkspace, workspaceCap(spec));
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

Result Contraction::describe(const Blas &blas, bool epilogue) {
  bool isWide = spec.typeA == DType::F64;
  Builder builder{blas.api()};
  BlasMatmul handle = nullptr;
  builder.note(blas.api().createMatmul(&handle,
                                       isWide      ? kBlasCompute64F
                                       : spec.tf32 ? kBlasComputeTf32
                                                   : kBlasCompute32F,
                                       isWide ? kTypeF64 : kTypeF32));
  matmul = {handle, blas.api().destroyMatmul};
  auto stored = [&](DType type, bool isTransposed, int64_t rows,
                    int64_t columns, int64_t stride) {
    return isTransposed
               ? builder.layout(type, columns, rows, spec.batch, stride)
               : builder.layout(type, rows, columns, spec.batch, stride);
  };
  a = stored(spec.typeA, spec.transposeA, spec.m, spec.k, spec.strideA);
  b = stored(spec.typeB, spec.transposeB, spec.k, spec.n, spec.strideB);
  c = stored(spec.typeC, false, spec.m, spec.n, spec.strideC);
  if (builder.result != 0)
    return builder.result;
  auto turned = [](bool isTransposed) {
    return int32_t(isTransposed ? kBlasTranspose : kBlasNoTranspose);
  };
  builder.set(handle, kBlasMatmulTransA, turned(spec.transposeB));
  builder.set(handle, kBlasMatmulTransB, turned(spec.transposeA));
  if (epilogue) {
    // The library's rows are C's columns: its bias has one element for each.
    // It is of C's type, as the library takes it where nothing else is said.
    builder.set(handle, kBlasMatmulEpilogue,
                (spec.hasBias ? kBlasEpilogueBias : 0) |
                    (spec.hasRelu ? kBlasEpilogueRelu : 0));
    if (spec.hasBias)
      builder.set(handle, kBlasMatmulBias, at.bias);
  }
  return builder.result;
}

bool Contraction::take(const Blas &blas, const BlasAlgorithm &algorithm) {
  bool isTaken =
      blas.api().checkAlgorithm(blas.handle(), matmul.get(), b.get(), a.get(),
                                c.get(), c.get(), &algorithm, &choice) == 0 &&
      choice.state == 0 && choice.workspaceBytes <= workspaceCap(spec);
  choice.algorithm = algorithm;
  return isTaken;
}

Expected<Contraction> Contraction::create(const Context &context,
                                          const Blas &blas,
                                          const ContractionSpec &spec,
                                          const Operands &at,
                                          TuningRecord &record) {
  Contraction result;
  result.at = at;
  result.spec = spec;
  if (spec.batch > INT32_MAX || result.describe(blas, /*epilogue=*/false) != 0)
    return unsupported(context, blas, spec);
  const std::string product = ampc::rt::cuda::describe(spec, at);
  std::optional<PinnedAlgorithm> pinned = record.find(product);
  // Its words are a file's: the library has to know them.
  if (pinned && pinned->workspaceBytes <= workspaceCap(spec) &&
      result.take(blas, pinned->algorithm))
    return result;
  if (pinned)
    record.refuse();
  Builder builder{blas.api()};
  Owned<BlasPreference> preference = builder.preference(spec, at);
  int found = 0;
  builder.note(blas.api().choose(blas.handle(), result.matmul.get(),
                                 result.b.get(), result.a.get(), result.c.get(),
                                 result.c.get(), preference.get(), 1,
                                 &result.choice, &found));
  if (builder.result != 0 || found < 1 || result.choice.state != 0)
    return unsupported(context, blas, spec);
  record.pin(product, {result.choice.algorithm, result.choice.workspaceBytes});
  return result;
}

std::optional<Contraction> Contraction::withEpilogue(const Blas &blas) const {
  Contraction result;
  result.at = at;
  result.spec = spec;
  if (result.describe(blas, /*epilogue=*/true) != 0 ||
      !result.take(blas, choice.algorithm))
    return std::nullopt;
  return result;
}

std::string Contraction::describeEpilogue() const {
  std::string bias =
      spec.hasBias
          ? fmt::format(" bias aligned {}", alignmentOf(at.bias, 0, spec.typeC))
          : "";
  return ampc::rt::cuda::describe(spec, at) + bias +
         (spec.hasRelu ? " relu" : "");
}

Result Contraction::run(const Blas &blas, Address workspace,
                        Stream stream) const {
  static constexpr float kOne = 1, kZero = 0;
  static constexpr double kWideOne = 1, kWideZero = 0;
  bool isWide = spec.typeA == DType::F64;
  auto scale = [&](bool isOne) {
    return isWide ? static_cast<const void *>(isOne ? &kWideOne : &kWideZero)
                  : static_cast<const void *>(isOne ? &kOne : &kZero);
  };
  auto pointer = [](Address address) {
    return reinterpret_cast<void *>(address);
  };
  return blas.api().multiply(
      blas.handle(), matmul.get(), scale(true), pointer(at.b), b.get(),
      pointer(at.a), a.get(), scale(spec.hasInit),
      pointer(spec.hasInit ? at.init : at.c), c.get(), pointer(at.c), c.get(),
      &choice.algorithm, pointer(workspace), choice.workspaceBytes, stream);
}

} // namespace ampc::rt::cuda
