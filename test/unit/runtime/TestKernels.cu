// The kernels of TestKernels.c in CUDA, as generated ones look: a prelude up to
// the first mark, then a kernel after each; pointers alone as parameters, and
// any number of blocks gives the same bits.
#define AMPC_EACH(i, count)                                                    \
  (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < (count); \
   i += (long long)gridDim.x * blockDim.x)
// kernel difference
/// d = y - t, element by element [8, 3].
extern "C" __global__ void difference(const float *y, const float *t, float *d) {
  for AMPC_EACH (i, 24)
    d[i] = y[i] - t[i];
}
// kernel squares
/// Mean of the squares of 24 numbers, in order.
extern "C" __global__ void squares(const float *d, float *mean) {
  if (blockIdx.x != 0 || threadIdx.x != 0)
    return;
  float sum = 0;
  for (int i = 0; i < 24; ++i)
    sum += d[i] * d[i];
  *mean = sum / 24;
}
// kernel sgd
/// w -= lr * 2 / 24 * g.
extern "C" __global__ void sgd(const float *g, float *w, const float *lr) {
  for AMPC_EACH (i, 12)
    w[i] -= *lr * (2.0f / 24.0f) * g[i];
}
// kernel count
/// Adds one to each of two counters.
extern "C" __global__ void count(long long *iteration, long long *update) {
  if (blockIdx.x != 0 || threadIdx.x != 0)
    return;
  ++*iteration;
  ++*update;
}
// kernel divide
/// One number over another.
extern "C" __global__ void divide(const float *a, const float *b, float *quotient) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *quotient = *a / *b;
}
