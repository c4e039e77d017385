// The accumulation orders of N10, written once for any arithmetic type: for the
// generator, which measures them, and for tests, which hold kernels to them.
#ifndef AMPC_TEST_NUMERICS_ORDERS_H
#define AMPC_TEST_NUMERICS_ORDERS_H

#include <cmath>
#include <cstdint>
#include <vector>

namespace ampc::test {

/// Row order: 64 interleaved partials, then a fixed binary tree.
template <typename T>
T rowSum(const T *terms, size_t count) {
  T partials[64] = {};
  for (size_t i = 0; i < count; ++i)
    partials[i % 64] += terms[i];
  for (size_t width = 32; width > 0; width /= 2)
    for (size_t j = 0; j < width; ++j)
      partials[j] += partials[j + width];
  return partials[0];
}
template <typename T>
T rowSum(const std::vector<T> &terms) {
  return rowSum(terms.data(), terms.size());
}

/// Column order: blocks of 32 summed in order, then neighbouring blocks
/// pairwise, level by level, an odd last block carried up. Terms stand `stride`
/// apart.
template <typename T>
T columnSum(const T *terms, size_t count, size_t stride) {
  std::vector<T> blocks;
  for (size_t i = 0; i < count; ++i) {
    if (i % 32 == 0)
      blocks.push_back(0);
    blocks.back() += terms[i * stride];
  }
  while (blocks.size() > 1) {
    size_t half = blocks.size() / 2;
    for (size_t i = 0; i < half; ++i)
      blocks[i] = blocks[2 * i] + blocks[2 * i + 1];
    if (blocks.size() % 2)
      blocks[half++] = blocks.back();
    blocks.resize(half);
  }
  return blocks.empty() ? T(0) : blocks[0];
}
template <typename T>
T columnSum(const std::vector<T> &terms) {
  return columnSum(terms.data(), terms.size(), 1);
}

/// Contraction order: k ascending in blocks of 32, each added to one
/// accumulator. Inside a block instruction sets differ: products may be
/// rounded or fused into the sum. The sums begin from `sum`.
template <typename T, bool fused>
T blockedDot(const std::vector<T> &a, const std::vector<T> &b, T sum = 0) {
  for (size_t begin = 0; begin < a.size(); begin += 32) {
    T block = 0;
    for (size_t k = begin; k < std::min(begin + 32, a.size()); ++k)
      block = fused ? std::fma(a[k], b[k], block) : block + a[k] * b[k];
    sum += block;
  }
  return sum;
}

/// The other form of a block: its terms go straight into the accumulator.
template <typename T, bool fused>
T straightDot(const std::vector<T> &a, const std::vector<T> &b, T sum = 0) {
  for (size_t k = 0; k < a.size(); ++k)
    sum = fused ? std::fma(a[k], b[k], sum) : sum + a[k] * b[k];
  return sum;
}

/// The form of a matrix unit (AMX): in each block of 32 the even and the odd
/// terms are chains of fused multiply-adds from 0, whose sum goes into the
/// accumulator.
inline float unitDot(const std::vector<float> &a, const std::vector<float> &b,
                     float sum = 0) {
  for (size_t start = 0; start < a.size(); start += 32) {
    float halves[2] = {0, 0};
    for (size_t k = start; k < std::min(start + 32, a.size()); ++k)
      halves[k % 2] = std::fma(a[k], b[k], halves[k % 2]);
    sum += halves[0] + halves[1];
  }
  return sum;
}

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_ORDERS_H
