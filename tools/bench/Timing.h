// What the benches of kernels share: a clock, the times of something that is
// run again and again, the matrix products of the examples and numbers for
// them.
#pragma once

#include "runtime/core/Float16.h"
#include "runtime/plan/Types.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>
#include <vector>

namespace ampc::bench {

/// Seconds on `clock`.
inline double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// The seconds that each run took; at least one where it is asked.
class Times : public std::vector<double> {
public:
  double best() const { return *std::min_element(begin(), end()); }
  double median() const {
    std::vector<double> sorted = *this;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2,
                     sorted.end());
    return sorted[sorted.size() / 2];
  }
};

/// Fills `count` elements of f32, bf16 or f16 with numbers in [-1, 1).
inline void fillRandom(rt::DType type, std::byte *data, int64_t count) {
  std::minstd_rand engine(1);
  for (int64_t i = 0; i < count; ++i) {
    float value = float(engine()) * 0x1p-30f - 1;
    if (type == rt::DType::F32)
      reinterpret_cast<float *>(data)[i] = value;
    else
      reinterpret_cast<uint16_t *>(data)[i] = type == rt::DType::BF16
                                                  ? rt::floatToBf16(value)
                                                  : rt::floatToF16(value);
  }
}

/// C[m, n] = sum_k A(m, k) B(k, n), `batch` times.
struct Product {
  const char *name;
  int64_t m, n, k;
  bool transposeA, transposeB;
  int64_t batch;
};

/// The forward product of linear layers, the gradients of their inputs and
/// weights, and attention's batches of small matrices.
inline constexpr Product kProducts[] = {
    {"mlp forward", 256, 4096, 1024, false, true, 1},
    {"mlp down forward", 256, 1024, 4096, false, true, 1},
    {"mlp input gradient", 256, 1024, 4096, false, false, 1},
    {"mlp weight gradient", 4096, 1024, 256, true, false, 1},
    {"gpt qkv", 1024, 384, 128, false, true, 1},
    {"gpt up", 1024, 512, 128, false, true, 1},
    {"gpt down", 1024, 128, 512, false, true, 1},
    {"gpt up, input gradient", 1024, 128, 512, false, false, 1},
    {"gpt up, weight gradient", 512, 128, 1024, true, false, 1},
    {"gpt scores", 64, 64, 32, false, true, 64},
    {"gpt values", 64, 32, 64, false, false, 64},
    {"gpt keys' gradient", 64, 32, 64, true, false, 64},
    {"gpt2 qkv", 512, 2304, 768, false, true, 1},
    {"gpt2 up, weight gradient", 3072, 768, 512, true, false, 1},
    {"digits forward", 64, 32, 64, false, true, 1},
    {"digits classes", 64, 10, 32, false, true, 1},
    {"cube", 1024, 1024, 1024, false, false, 1},
};

} // namespace ampc::bench
