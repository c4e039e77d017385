// The software cuBLASLt against plain loops: types, transposes, batches,
// epilogues, refusals, and its place in a stream.
#include "test/hostgpu/Harness.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace ampc::hostgpu::test {
namespace {

enum { F32 = 0, F64 = 1, F16 = 2, BF16 = 14 };
enum { Compute32 = 68, Compute64 = 70 };
enum { Default = 1, Relu = 2, Bias = 4, ReluBias = 6, Gelu = 32 };

size_t sizeOf(int type) { return type == F64 ? 8 : type == F32 ? 4 : 2; }

/// Round to nearest even into a narrow type, by arithmetic alone.
double roundTo(int type, double value) {
  if (type == F64 || value == 0 || std::isnan(value))
    return value;
  int mantissa = type == F32 ? 23 : type == F16 ? 10 : 7;
  int least = type == F16 ? -14 : -126;
  int exponent = std::max(std::ilogb(value), least);
  double unit = std::ldexp(1.0, exponent - mantissa);
  double rounded = std::nearbyint(value / unit) * unit;
  double limit = type == F16 ? 65520.0 : INFINITY;
  return std::fabs(rounded) >= limit ? std::copysign(INFINITY, value) : rounded;
}

void store(int type, std::byte *to, size_t index, double value) {
  value = roundTo(type, value);
  if (type == F64) {
    std::memcpy(to + index * 8, &value, 8);
    return;
  }
  float single = float(value);
  uint32_t bits = std::bit_cast<uint32_t>(single);
  if (type == F32) {
    std::memcpy(to + index * 4, &bits, 4);
    return;
  }
  uint16_t half = uint16_t(bits >> 16);
  if (type == F16) {
    // Exact after rounding: the mantissa in units of the least subnormal.
    double magnitude = std::fabs(value);
    int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
    uint32_t units = uint32_t(std::ldexp(magnitude, 10 - exponent));
    half = std::isinf(magnitude)
               ? 0x7c00
               : uint16_t(units + uint32_t(exponent + 14) * 1024);
    half |= std::signbit(value) ? 0x8000 : 0;
  }
  std::memcpy(to + index * 2, &half, 2);
}

double load(int type, const std::byte *from, size_t index) {
  if (type == F64) {
    double value;
    std::memcpy(&value, from + index * 8, 8);
    return value;
  }
  if (type == F32) {
    float value;
    std::memcpy(&value, from + index * 4, 4);
    return double(value);
  }
  uint16_t half;
  std::memcpy(&half, from + index * 2, 2);
  if (type == BF16)
    return double(std::bit_cast<float>(uint32_t(half) << 16));
  int exponent = half >> 10 & 31, mantissa = half & 1023;
  double magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                     : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                    : std::ldexp(mantissa, -24);
  return half & 0x8000 ? -magnitude : magnitude;
}

struct Case {
  int m, n, k;
  int in = F32, out = F32;
  bool transA = false, transB = false;
  int batches = 1;
  double alpha = 1, beta = 0;
  int epilogue = Default;
  /// A is one for all batches.
  bool shareA = false;
  int splits = 1;
};

class Blas : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(lib().cublasLtCreate(&handle), 0);
  }
  void TearDown() override {
    EXPECT_EQ(lib().cublasLtDestroy(handle), 0);
    DeviceTest::TearDown();
  }

  void *layout(int type, int rows, int columns, int leading, int batches = 1,
               int64_t stride = 0) {
    void *made = nullptr;
    EXPECT_EQ(lib().cublasLtMatrixLayoutCreate(&made, type, uint64_t(rows),
                                               uint64_t(columns), leading),
              0);
    EXPECT_EQ(lib().cublasLtMatrixLayoutSetAttribute(made, 5, &batches, 4), 0);
    EXPECT_EQ(lib().cublasLtMatrixLayoutSetAttribute(made, 6, &stride, 8), 0);
    return made;
  }
  void *description(int compute, int scale) {
    void *made = nullptr;
    EXPECT_EQ(lib().cublasLtMatmulDescCreate(&made, compute, scale), 0);
    return made;
  }
  template <class T>
  int set(void *desc, int attribute, T value) {
    return lib().cublasLtMatmulDescSetAttribute(desc, attribute, &value,
                                                sizeof(value));
  }

  /// Numbers whose products and sums are exact in f32, in device memory.
  std::vector<double> numbers(size_t count, unsigned seed) {
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = double(int((i + seed) * 2654435761u >> 20 & 31) - 15) / 8;
    return values;
  }
  CUdeviceptr put(int type, const std::vector<double> &values) {
    std::vector<std::byte> bytes(values.size() * sizeOf(type));
    for (size_t i = 0; i < values.size(); ++i)
      store(type, bytes.data(), i, values[i]);
    CUdeviceptr to = upload(bytes);
    EXPECT_EQ(synchronize(), CUDA_SUCCESS);
    return to;
  }

  void check(const Case &c);

  void *handle = nullptr;
};

void Blas::check(const Case &c) {
  SCOPED_TRACE(testing::Message()
               << c.m << "x" << c.n << "x" << c.k << " types " << c.in << ", "
               << c.out << " trans " << c.transA << c.transB << " batches "
               << c.batches << " epilogue " << c.epilogue);
  int compute = c.in == F64 ? F64 : F32;
  // Leading dimensions with room behind the columns.
  int rowsA = c.transA ? c.k : c.m, columnsA = c.transA ? c.m : c.k;
  int rowsB = c.transB ? c.n : c.k, columnsB = c.transB ? c.k : c.n;
  int la = rowsA + 3, lb = rowsB + 1, ld = c.m + 2;
  int64_t strideA = c.shareA ? 0 : int64_t(la) * columnsA;
  int64_t strideB = int64_t(lb) * columnsB, strideD = int64_t(ld) * c.n;
  std::vector<double> a = numbers(size_t(la * columnsA * c.batches), 1),
                      b = numbers(size_t(lb * columnsB * c.batches), 7),
                      d = numbers(size_t(ld * c.n * c.batches), 3),
                      bias = numbers(size_t(c.m), 11);
  CUdeviceptr da = put(c.in, a), db = put(c.in, b), dd = put(c.out, d),
              dbias = put(c.out, bias);
  void *desc = description(c.in == F64 ? Compute64 : Compute32, compute);
  EXPECT_EQ(set(desc, 3, int32_t(c.transA)), 0);
  EXPECT_EQ(set(desc, 4, int32_t(c.transB)), 0);
  EXPECT_EQ(set(desc, 7, uint32_t(c.epilogue)), 0);
  EXPECT_EQ(set(desc, 8, uint64_t(dbias)), 0);
  void *layoutA = layout(c.in, rowsA, columnsA, la, c.batches, strideA),
       *layoutB = layout(c.in, rowsB, columnsB, lb, c.batches, strideB),
       *layoutD = layout(c.out, c.m, c.n, ld, c.batches, strideD);
  void *preference = nullptr;
  uint64_t workspaceBytes = 1 << 20;
  ASSERT_EQ(lib().cublasLtMatmulPreferenceCreate(&preference), 0);
  ASSERT_EQ(lib().cublasLtMatmulPreferenceSetAttribute(preference, 1,
                                                       &workspaceBytes, 8),
            0);
  struct {
    uint64_t algorithm[8];
    size_t workspaceBytes;
    int state;
    float waves;
    int reserved[4];
  } results[4];
  int found = 0;
  ASSERT_EQ(lib().cublasLtMatmulAlgoGetHeuristic(handle, desc, layoutA, layoutB,
                                                 layoutD, layoutD, preference,
                                                 4, results, &found),
            0);
  ASSERT_EQ(found, 2);
  EXPECT_EQ(results[0].workspaceBytes, 0u);
  CUdeviceptr workspace = allocate(workspaceBytes);
  double alpha64 = c.alpha, beta64 = c.beta;
  float alpha32 = float(c.alpha), beta32 = float(c.beta);
  auto pointer = [](CUdeviceptr address) {
    return reinterpret_cast<void *>(address);
  };
  ASSERT_EQ(lib().cublasLtMatmul(
                handle, desc,
                compute == F64 ? (void *)&alpha64 : (void *)&alpha32,
                pointer(da), layoutA, pointer(db), layoutB,
                compute == F64 ? (void *)&beta64 : (void *)&beta32, pointer(dd),
                layoutD, pointer(dd), layoutD, results[c.splits - 1].algorithm,
                pointer(workspace), workspaceBytes, nullptr),
            0);
  std::vector<std::byte> got =
      download<std::byte>(dd, d.size() * sizeOf(c.out));
  for (int batch = 0; batch < c.batches; ++batch)
    for (int j = 0; j < c.n; ++j)
      for (int i = 0; i < ld; ++i) {
        size_t at = size_t(batch * strideD + j * ld + i);
        double expected = d[at]; // the room behind a column stays as it was
        if (i < c.m) {
          double sum = 0;
          for (int k = 0; k < c.k; ++k)
            sum += a[size_t(batch * strideA +
                            (c.transA ? i * la + k : k * la + i))] *
                   b[size_t(batch * strideB +
                            (c.transB ? k * lb + j : j * lb + k))];
          expected = c.alpha * sum + (c.beta != 0 ? c.beta * d[at] : 0);
          if (c.epilogue & Bias)
            expected += bias[size_t(i)];
          if ((c.epilogue & Relu) && expected < 0)
            expected = 0;
        }
        ASSERT_EQ(load(c.out, got.data(), at), roundTo(c.out, expected))
            << batch << ", " << i << ", " << j;
      }
  for (void *each : {layoutA, layoutB, layoutD})
    EXPECT_EQ(lib().cublasLtMatrixLayoutDestroy(each), 0);
  EXPECT_EQ(lib().cublasLtMatmulDescDestroy(desc), 0);
  EXPECT_EQ(lib().cublasLtMatmulPreferenceDestroy(preference), 0);
}

TEST_F(Blas, EveryTypeAndTranspose) {
  for (auto [in, out] : std::vector<std::pair<int, int>>{{F32, F32},
                                                         {F64, F64},
                                                         {F16, F16},
                                                         {F16, F32},
                                                         {BF16, BF16},
                                                         {BF16, F32}})
    for (bool transA : {false, true})
      for (bool transB : {false, true})
        check({17, 9, 23, in, out, transA, transB});
}

TEST_F(Blas, ExtentsAroundTheTiles) {
  for (int m : {1, 15, 16, 33, 130})
    for (int n : {1, 4, 7})
      for (int k : {1, 16, 513})
        check({m, n, k});
}

TEST_F(Blas, BatchesAndScales) {
  check({8, 5, 6, F32, F32, false, true, 3});
  check({8, 5, 6, BF16, F32, false, false, 3, 0.5, 2});
  check({8, 5, 6, F32, F32, false, false, 4, 1, 1, Default, true});
}

TEST_F(Blas, Epilogues) {
  for (int epilogue : {Relu, Bias, ReluBias})
    for (int out : {F32, BF16})
      check({19, 6, 12, BF16, out, true, false, 1, 1, 0, epilogue});
  check({19, 6, 12, F16, F16, true, false, 2, 1, 1, ReluBias});
}

TEST_F(Blas, TheSecondAlgorithmSplitsTheSum) {
  check({20, 6, 31, F32, F32, false, false, 1, 1, 0, Default, false, 2});
}

TEST_F(Blas, WithoutBetaCIsNotRead) {
  // A fresh D is not a number: no trace of it may be left.
  void *desc = description(Compute32, F32), *four = layout(F32, 4, 4, 4);
  CUdeviceptr a = put(F32, std::vector<double>(16, 1.0)), d = allocate(64);
  float one = 1, zero = 0;
  void *pa = reinterpret_cast<void *>(a), *pd = reinterpret_cast<void *>(d);
  ASSERT_EQ(lib().cublasLtMatmul(handle, desc, &one, pa, four, pa, four, &zero,
                                 nullptr, four, pd, four, nullptr, nullptr, 0,
                                 nullptr),
            0);
  for (float value : download<float>(d, 16))
    EXPECT_EQ(value, 4.0f);
}

TEST_F(Blas, RefusesWhatItDoesNotHave) {
  void *preference = nullptr, *four = layout(F32, 4, 4, 4),
       *five = layout(F32, 5, 5, 5), *eight = layout(28, 4, 4, 4);
  lib().cublasLtMatmulPreferenceCreate(&preference);
  uint64_t result[12 * 2];
  auto ask = [&](void *desc, void *a, void *b, void *d) {
    int found = 0;
    return lib().cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, d, d,
                                                preference, 1, result, &found);
  };
  void *desc = description(Compute32, F32);
  EXPECT_EQ(ask(desc, four, four, four), 0);
  EXPECT_EQ(ask(desc, four, five, four), 7);
  EXPECT_EQ(ask(desc, eight, eight, four), 15);
  EXPECT_EQ(ask(desc, four, four, layout(BF16, 4, 4, 4)), 15);
  EXPECT_EQ(ask(desc, layout(F32, 4, 4, 3), four, four), 7);
  EXPECT_EQ(ask(description(77, F32), four, four, four), 0); // TF32
  EXPECT_EQ(ask(description(78, F32), four, four, four), 15);
  EXPECT_EQ(ask(description(Compute64, F64), four, four, four), 15);
  EXPECT_EQ(set(desc, 7, uint32_t(Gelu)), 0);
  EXPECT_EQ(ask(desc, four, four, four), 15);
  EXPECT_EQ(set(desc, 5, int32_t(1)), 15);
  EXPECT_EQ(set(desc, 17, uint64_t(0)), 15);
  EXPECT_EQ(set(desc, 3, uint64_t(0)), 7); // another size
}

TEST_F(Blas, BrainFloatsBeginWithTheirArchitecture) {
  void *preference = nullptr, *desc = description(Compute32, F32),
       *four = layout(BF16, 4, 4, 4);
  lib().cublasLtMatmulPreferenceCreate(&preference);
  uint64_t result[12];
  int found = 0;
  for (auto [capability, expected] :
       std::vector<std::pair<std::string, int>>{{"7.5", 15}, {"8.0", 0}}) {
    start({{"AMPC_HOSTGPU_CAPABILITY", capability}});
    EXPECT_EQ(lib().cublasLtMatmulAlgoGetHeuristic(handle, desc, four, four,
                                                   four, four, preference, 1,
                                                   result, &found),
              expected);
  }
}

TEST_F(Blas, OperandsAreWithinTheirAllocations) {
  void *desc = description(Compute32, F32), *four = layout(F32, 4, 4, 4);
  CUdeviceptr small = allocate(60), d = allocate(64);
  ASSERT_EQ(synchronize(), CUDA_SUCCESS);
  float one = 1, zero = 0;
  void *ps = reinterpret_cast<void *>(small), *pd = reinterpret_cast<void *>(d);
  lib().cublasLtMatmul(handle, desc, &one, ps, four, pd, four, &zero, pd, four,
                       pd, four, nullptr, nullptr, 0, nullptr);
  EXPECT_EQ(synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(report().find("operand A of 64 bytes"), std::string::npos)
      << report();
}

TEST_F(Blas, ProductsKeepTheOrderOfTheirStreamAndOfGraphs) {
  void *desc = description(Compute32, F32), *one = layout(F32, 1, 1, 1);
  for (int seed = 1; seed <= 4; ++seed) {
    startSeed(seed);
    CUdeviceptr x = put(F32, {3});
    CUstream stream = this->stream();
    float two = 2, zero = 0;
    void *px = reinterpret_cast<void *>(x);
    auto product = [&] { // x = 2 x^2
      ASSERT_EQ(lib().cublasLtMatmul(handle, desc, &two, px, one, px, one,
                                     &zero, px, one, px, one, nullptr, nullptr,
                                     0, stream),
                0);
    };
    product();
    lib().cuMemsetD32Async(x, 0x40000000, 1, stream); // 2
    product();
    ASSERT_EQ(lib().cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(download<float>(x, 1)[0], 8.0f);
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    lib().cuStreamBeginCapture_v2(stream, 0);
    product();
    ASSERT_EQ(lib().cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    ASSERT_EQ(lib().cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    for (int i = 0; i < 2; ++i)
      lib().cuGraphLaunch(exec, stream);
    ASSERT_EQ(lib().cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(download<float>(x, 1)[0], 32768.0f);
  }
}

} // namespace
} // namespace ampc::hostgpu::test
