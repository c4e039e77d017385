// Kernels of the hand-built plans, as generated ones look: serial over a tile
// range, importing nothing. args[i] is the address of the launch's i-th place.
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/// d = y - t, element by element; a tile is one row of 3. args: y, t, d [rows,
/// 3].
EXPORT void difference(const void *const *args, int64_t begin, int64_t end) {
  const float *y = args[0], *t = args[1];
  float *d = (float *)args[2];
  for (int64_t i = begin * 3; i < end * 3; ++i)
    d[i] = y[i] - t[i];
}

/// Mean of the squares of 24 numbers, in order; one tile. args: d, mean [].
EXPORT void squares(const void *const *args, int64_t begin, int64_t end) {
  const float *d = args[0];
  float sum = 0;
  for (int i = 0; i < 24; ++i)
    sum += d[i] * d[i];
  if (begin < end)
    *(float *)args[1] = sum / 24;
}

/// One number over another; one tile. args: a, b, quotient.
EXPORT void divide(const void *const *args, int64_t begin, int64_t end) {
  if (begin < end)
    *(float *)args[2] = *(const float *)args[0] / *(const float *)args[1];
}

/// w -= lr * 2 / 24 * g; a tile is one element. args: g, w, lr.
EXPORT void sgd(const void *const *args, int64_t begin, int64_t end) {
  const float *g = args[0], *lr = args[2];
  float *w = (float *)args[1];
  for (int64_t i = begin; i < end; ++i)
    w[i] -= *lr * (2.0f / 24.0f) * g[i];
}

/// Adds one to each of two i64 counters; one tile. args: iteration, update.
EXPORT void count(const void *const *args, int64_t begin, int64_t end) {
  if (begin < end) {
    ++*(int64_t *)args[0];
    ++*(int64_t *)args[1];
  }
}

/// x * scale; a tile is one element, the result tells which tiles ran. args: x,
/// scale, y.
EXPORT void scaled(const void *const *args, int64_t begin, int64_t end) {
  const float *x = args[0], *scale = args[1];
  float *y = (float *)args[2];
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] * *scale;
}
