// Randomness, to the bit (docs/numerics.md, N17): Philox4x32-10, a function of
// key and counter. Nothing has a state, so no order of evaluation, thread count
// or device changes a number.
//
// From four words w0..w3 of one counter come four values:
//   uniform  u_i = (w_i >> 8) * 2^-24, in [0, 1)
//   normal   pairs by Box-Muller in f64, each rounded once to the element type:
//            r = sqrt(-2 ln(((w0 >> 8) + 1) * 2^-24)),  t = 2 pi u_1,  n_0 = r
//            cos t,  n_1 = r sin t; n_2, n_3 likewise from w2, w3. The + 1
//            keeps the logarithm's argument in (0, 1].
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace ampc::rt {

using PhiloxWords = std::array<uint32_t, 4>;

/// Ten rounds of Philox4x32 on `counter` with the 64-bit `key`.
inline PhiloxWords philox(PhiloxWords counter, uint64_t key) {
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53u) * counter[0];
    uint64_t p1 = uint64_t(0xCD9E8D57u) * counter[2];
    counter = {uint32_t(p1 >> 32) ^ counter[1] ^ k0, uint32_t(p1),
               uint32_t(p0 >> 32) ^ counter[3] ^ k1, uint32_t(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return counter;
}

/// Who draws; part of the counter.
enum class RandomMode : uint32_t {
  TrainStep = 0,
  EvalStep = 1,
  Infer = 2,
  Initialiser = 3
};

/// The counter of the four elements that start at logical element `4 * quad`.
/// `site` is below 2^30, `micro` below 2^16.
inline PhiloxWords randomCounter(uint64_t quad, RandomMode mode, uint32_t site,
                                 uint32_t index, uint32_t micro = 0) {
  return {uint32_t(quad), (micro << 16) | uint32_t((quad >> 32) & 0xffff),
          index, (uint32_t(mode) << 30) | site};
}

/// In [0, 1), a multiple of 2^-24.
inline float uniformOf(uint32_t word) { return float(word >> 8) * 0x1p-24f; }

/// Standard normal numbers from the four words of one counter.
inline std::array<double, 4> normalsOf(const PhiloxWords &words) {
  std::array<double, 4> out;
  for (int i = 0; i < 4; i += 2) {
    double radius =
        std::sqrt(-2.0 * std::log(double((words[i] >> 8) + 1) * 0x1p-24));
    double angle =
        2.0 * std::numbers::pi * (double(words[i + 1] >> 8) * 0x1p-24);
    out[i] = radius * std::cos(angle);
    out[i + 1] = radius * std::sin(angle);
  }
  return out;
}

} // namespace ampc::rt
