// Describes the target; see Target.h.
#include "tools/libampc/Target.h"

#include "mlir/IR/Builders.h"
#include "runtime/core/CpuFeatures.h"

#include <unistd.h>

using namespace mlir;

namespace ampc {

/// What a core of a server CPU sustains from memory, and what handing a kernel
/// to the team of threads costs.
static constexpr double kBytesPerNanosecond = 12, kLaunchNanoseconds = 2000;

/// Bytes of the last private cache; a common size where the system is silent.
static int64_t privateCacheBytes() {
  long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : int64_t(1) << 20;
}

/// The same of a data-center GPU, whose kernels follow each other in a stream.
static constexpr double kGpuBytesPerNanosecond = 1500,
                        kGpuLaunchNanoseconds = 2500;

/// What a thread reads at once, and the first cache of a processor.
static constexpr int64_t kGpuAccessBytes = 16, kGpuCacheBytes = 128 * 1024;

/// The least level with products of bf16 and tf32, and the one that is meant
/// where none is named.
static constexpr unsigned kAmpere = 80;

std::optional<unsigned> cudaLevel(StringRef target) {
  unsigned level = 0;
  if (target == "cuda")
    return kAmpere;
  if (!target.consume_front("cuda:sm_") || target.getAsInteger(10, level) ||
      level < kLeastCudaLevel || level > 999)
    return std::nullopt;
  return level;
}

static amp::TargetAttr cudaTarget(Builder &builder, unsigned level) {
  SmallVector<Attribute> fast{TypeAttr::get(builder.getF16Type())};
  if (level >= kAmpere) {
    fast.push_back(TypeAttr::get(builder.getBF16Type()));
    fast.push_back(TypeAttr::get(builder.getTF32Type()));
  }
  return amp::TargetAttr::get(builder.getContext(), "cuda",
                              "sm_" + std::to_string(level), kGpuAccessBytes,
                              kGpuCacheBytes,
                              builder.getF64FloatAttr(kGpuBytesPerNanosecond),
                              builder.getF64FloatAttr(kGpuLaunchNanoseconds),
                              builder.getArrayAttr(fast));
}

amp::TargetAttr targetFor(MLIRContext &context, const CompileOptions &options) {
  Builder builder(&context);
  if (std::optional<unsigned> level = cudaLevel(options.target))
    return cudaTarget(builder, *level);
  bool isHost = options.target == "cpu";
  rt::CpuFeatures here = rt::CpuFeatures::probe();
  StringRef level = isHost ? StringRef(rt::name_of(here.level()))
                           : StringRef(options.target).split(':').second;
  SmallVector<Attribute> fast;
  if (level == "amx")
    fast.push_back(TypeAttr::get(builder.getBF16Type()));
  return amp::TargetAttr::get(
      &context, "cpu", level, /*vector_bytes=*/level == "avx2" ? 32 : 64,
      isHost ? privateCacheBytes() : int64_t(1) << 20,
      builder.getF64FloatAttr(kBytesPerNanosecond),
      builder.getF64FloatAttr(kLaunchNanoseconds),
      fast.empty() ? ArrayAttr() : builder.getArrayAttr(fast));
}

rt::Expected<EmitOptions> emitOptions(const CompileOptions &options) {
  EmitOptions emit;
  StringRef target(options.target);
  if (target.starts_with("cuda")) {
    if (!cudaLevel(target))
      return rt::fail(rt::Code::Usage, "--target",
                      "unknown target '" + options.target +
                          "'; expected cuda or cuda:sm_NN from sm_75 on");
    // The level decides on formats; the text is compiled for the device that it
    // then runs on.
    emit.target = "cuda";
    return emit;
  }
  rt::CpuLevel here = rt::CpuFeatures::probe().level();
  bool isCpu = target.consume_front("cpu");
  if (isCpu && target.consume_front(":")) {
    std::optional<rt::CpuLevel> level = rt::cpu_level_by_name(target);
    if (level && *level != rt::CpuLevel::Baseline) {
      emit.level = target.str();
      return emit;
    }
    isCpu = false;
  }
  if (!isCpu || !target.empty())
    return rt::fail(rt::Code::Usage, "--target",
                    "unknown target '" + options.target +
                        "'; expected cpu, cpu:avx2, cpu:avx512, cpu:amx or "
                        "cuda[:sm_NN]");
  if (here == rt::CpuLevel::Baseline)
    return rt::fail(rt::Code::Environment, "--target",
                    "this processor lacks AVX2 and FMA (x86-64-v3), the lowest "
                    "level that code is generated for");
  emit.level = std::string(rt::name_of(here));
  return emit;
}

} // namespace ampc
