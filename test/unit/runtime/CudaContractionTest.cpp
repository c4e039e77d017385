// Products on a CUDA device: values against f64 sums, all transposes, types,
// batches, epilogues; what a device does not multiply.
#include "runtime/core/Philox.h"
#include "runtime/core/Tensor.h"
#include "runtime/device/cuda/Contraction.h"
#include "runtime/device/cuda/Memory.h"
#include "test/unit/runtime/Environment.h"
#include "test/unit/runtime/TestPlans.h"

#include <cmath>

namespace ampc::rt::cuda {
namespace {

using test::errorOf;
using test::must;

/// The device, with a stream.
class CudaContractions : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(test::useSoftwareDevice());
    context = must(Context::open(0));
    blas = must(Blas::open(*context));
    Stream handle = nullptr;
    must(context->check(context->api().createStream(&handle, 0), "stream"));
    stream = {handle, context->api().destroyStream};
  }

  DeviceBlock upload(const Tensor &tensor) {
    DeviceBlock block =
        must(DeviceBlock::allocate(*context, stream.get(), allocator,
                                   MemoryKind::Arena, tensor.bytes().size()));
    must(context->check(
        context->api().copyToDevice(block.address(), tensor.bytes().data(),
                                    tensor.bytes().size(), stream.get()),
        "upload"));
    return block;
  }
  /// What the device makes of the drawn operands, with the epilogue or without;
  /// nothing where the library takes none.
  std::optional<Tensor> product(const ContractionSpec &spec, bool epilogue);
  Tensor product(const ContractionSpec &spec) {
    return std::move(*product(spec, /*epilogue=*/false));
  }
  void check(const ContractionSpec &spec);

  std::unique_ptr<Context> context;
  Blas blas;
  TuningRecord record;
  Allocator allocator;
  Owned<Stream> stream;
};

/// Uniform in [-1, 1), the same for the same site.
double draw(uint32_t site, int64_t index) {
  PhiloxWords words = philox({uint32_t(index), 0, 0, site}, 99);
  return 2.0 * uniformOf(words[0]) - 1;
}

Tensor drawn(DType type, int64_t count, uint32_t site) {
  Tensor tensor = must(Tensor::zeros(type, std::vector<int64_t>{count}));
  for (int64_t i = 0; i < count; ++i) {
    double value = draw(site, i);
    must(convert(DType::F64, reinterpret_cast<std::byte *>(&value), type,
                 tensor.bytes().data() + size_t(i) * sizeOf(type), 1));
  }
  return tensor;
}

double at(const Tensor &tensor, int64_t index) {
  double value = 0;
  must(convert(tensor.dtype(),
               tensor.bytes().data() + size_t(index) * sizeOf(tensor.dtype()),
               DType::F64, reinterpret_cast<std::byte *>(&value), 1));
  return value;
}

Tensor operandA(const ContractionSpec &spec) {
  return drawn(spec.typeA, (spec.batch - 1) * spec.strideA + spec.m * spec.k,
               1);
}
Tensor operandB(const ContractionSpec &spec) {
  return drawn(spec.typeB, (spec.batch - 1) * spec.strideB + spec.k * spec.n,
               2);
}

int64_t countOfC(const ContractionSpec &spec) {
  return (spec.batch - 1) * spec.strideC + spec.m * spec.n;
}
Tensor initial(const ContractionSpec &spec) {
  return drawn(spec.typeC, countOfC(spec), 3);
}

Tensor biasOf(const ContractionSpec &spec) {
  return drawn(spec.typeC, spec.n, 4);
}

std::optional<Tensor> CudaContractions::product(const ContractionSpec &spec,
                                                bool epilogue) {
  Tensor a = operandA(spec), b = operandB(spec), init = initial(spec),
         bias = biasOf(spec);
  Tensor c =
      must(Tensor::zeros(spec.typeC, std::vector<int64_t>{countOfC(spec)}));
  DeviceBlock onA = upload(a), onB = upload(b), onC = upload(c),
              onInit = upload(init), onBias = upload(bias);
  Contraction made =
      must(Contraction::create(*context, blas, spec,
                               {onA.address(), onB.address(), onC.address(),
                                spec.hasInit ? onInit.address() : 0,
                                spec.hasBias ? onBias.address() : 0},
                               record));
  if (epilogue) {
    std::optional<Contraction> both = made.withEpilogue(blas);
    if (!both)
      return std::nullopt;
    made = std::move(*both);
  }
  DeviceBlock workspace =
      must(DeviceBlock::allocate(*context, stream.get(), allocator,
                                 MemoryKind::Workspace, made.workspaceBytes()));
  EXPECT_EQ(made.run(blas, workspace.address(), stream.get()), 0);
  must(context->check(context->api().copyToHost(c.bytes().data(), onC.address(),
                                                c.bytes().size(), stream.get()),
                      "download"));
  must(context->check(context->api().synchronize(stream.get()), "wait"));
  return c;
}

void CudaContractions::check(const ContractionSpec &spec) {
  SCOPED_TRACE(testing::Message()
               << name_of(spec.typeA) << " " << name_of(spec.typeC) << " "
               << spec.m << "x" << spec.n << "x" << spec.k << " "
               << spec.transposeA << spec.transposeB << " batch "
               << spec.batch);
  Tensor a = operandA(spec), b = operandB(spec), init = initial(spec),
         c = product(spec);
  // f32 sums of k products of numbers below 1, then one rounding to C's type.
  double unit = spec.typeC == DType::BF16  ? 0x1p-8
                : spec.typeC == DType::F16 ? 0x1p-11
                : spec.typeC == DType::F32 ? 0x1p-24
                                           : 0x1p-53;
  double sums = spec.typeA == DType::F64 ? 0x1p-53 : 0x1p-24;
  // Each product of two operands that are off by a unit of tf32.
  double operands = spec.tf32 ? 2.01 * 0x1p-11 : 0;
  for (int64_t s = 0; s < spec.batch; ++s)
    for (int64_t i = 0; i < spec.m; ++i)
      for (int64_t j = 0; j < spec.n; ++j) {
        double sum =
            spec.hasInit ? at(init, s * spec.strideC + i * spec.n + j) : 0;
        double size = std::fabs(sum);
        for (int64_t k = 0; k < spec.k; ++k) {
          double left =
              at(a, s * spec.strideA +
                        (spec.transposeA ? k * spec.m + i : i * spec.k + k));
          double right =
              at(b, s * spec.strideB +
                        (spec.transposeB ? j * spec.k + k : k * spec.n + j));
          sum += left * right;
          size += std::fabs(left * right);
        }
        ASSERT_NEAR(at(c, s * spec.strideC + i * spec.n + j), sum,
                    size * (double(spec.k + 1) * sums + operands) +
                        std::fabs(sum) * unit)
            << s << " " << i << " " << j;
      }
}

TEST_F(CudaContractions, AllTransposesAndTypes) {
  struct {
    DType in, out;
  } types[] = {{DType::F32, DType::F32},  {DType::BF16, DType::BF16},
               {DType::BF16, DType::F32}, {DType::F16, DType::F16},
               {DType::F16, DType::F32},  {DType::F64, DType::F64}};
  for (auto [in, out] : types)
    for (bool ta : {false, true})
      for (bool tb : {false, true})
        check({in, in, out, 7, 5, 11, ta, tb, 1, 0, 0, 0});
}

TEST_F(CudaContractions, BatchesAndBroadcasts) {
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      check(
          {DType::F32, DType::F32, DType::F32, 3, 4, 5, ta, tb, 6, 15, 20, 12});
      check(
          {DType::F32, DType::F32, DType::F32, 3, 4, 5, ta, tb, 6, 15, 0, 14});
      check({DType::BF16, DType::BF16, DType::BF16, 1, 9, 3, ta, tb, 2, 0, 27,
             9});
    }
}

TEST_F(CudaContractions, SumsBeginFromInit) {
  for (auto [in, out] : {std::pair(DType::F32, DType::F32),
                         {DType::BF16, DType::F32},
                         {DType::F16, DType::F32},
                         {DType::F64, DType::F64}}) {
    check({in, in, out, 7, 5, 11, true, false, 1, 0, 0, 0, true});
    check({in, in, out, 3, 4, 5, false, true, 2, 15, 20, 12, true});
  }
}

ContractionSpec withEpilogue(DType in, DType out, bool hasBias, bool hasRelu) {
  ContractionSpec spec{in, in, out, 7, 5, 11, false, true, 1, 77, 55, 35};
  spec.hasBias = hasBias;
  spec.hasRelu = hasRelu;
  return spec;
}

TEST_F(CudaContractions, EpiloguesGiveTheBitsOfSeparateOps) {
  struct {
    DType in, out;
    bool hasBias, hasRelu;
  } kinds[] = {{DType::F32, DType::F32, true, false},
               {DType::F32, DType::F32, false, true},
               {DType::F32, DType::F32, true, true},
               {DType::BF16, DType::F32, true, true},
               {DType::BF16, DType::BF16, false, true},
               {DType::F16, DType::F16, false, true}};
  for (auto [in, out, hasBias, hasRelu] : kinds) {
    ContractionSpec spec = withEpilogue(in, out, hasBias, hasRelu);
    Tensor apart = product(spec), bias = biasOf(spec);
    std::optional<Tensor> both = product(spec, /*epilogue=*/true);
    ASSERT_TRUE(both);
    bool isClipped = false;
    for (int64_t i = 0; i < countOfC(spec); ++i) {
      float expected = float(at(apart, i));
      if (hasBias)
        expected += float(at(bias, i % spec.n));
      isClipped |= expected < 0;
      if (hasRelu && expected < 0)
        expected = 0;
      ASSERT_EQ(float(at(*both, i)), expected)
          << name_of(in) << " " << name_of(out) << " " << i;
    }
    EXPECT_TRUE(isClipped) << "relu changes something";
  }
}

TEST_F(CudaContractions, EpiloguesThatTheLibraryLacksAreNone) {
  // A bias has the type of the result; there is nothing in f64.
  EXPECT_FALSE(
      product(withEpilogue(DType::F64, DType::F64, false, true), true));
  test::Environment none("AMPC_HOSTGPU_EPILOGUE", "none");
  EXPECT_FALSE(product(withEpilogue(DType::F32, DType::F32, true, true), true));
  product(withEpilogue(DType::F32, DType::F32, true, true));
}

TEST_F(CudaContractions, ExtentsOfOne) {
  for (auto [m, n, k] : {std::array{1, 1, 1}, {1, 8, 3}, {8, 1, 3}, {8, 3, 1}})
    check({DType::F32, DType::F32, DType::F32, m, n, k, false, false, 1, 0, 0,
           0});
}

TEST_F(CudaContractions, Tf32RoundsOperands) {
  ContractionSpec plain{DType::F32, DType::F32, DType::F32, 7, 5, 11,
                        false,      true,       1,          0, 0, 0};
  ContractionSpec tf32 = plain;
  tf32.tf32 = true;
  check(tf32);
  Tensor exact = product(plain), rounded = product(tf32);
  EXPECT_FALSE(std::ranges::equal(exact.bytes(), rounded.bytes()));
}

TEST_F(CudaContractions, WhatTheLibraryLacksIsSaid) {
  ContractionSpec mixed{DType::F32, DType::BF16, DType::F32, 2, 2, 2,
                        false,      false,       1,          4, 4, 4};
  Tensor any = drawn(DType::F32, 4, 1);
  DeviceBlock block = upload(any);
  Operands same{block.address(), block.address(), block.address()};
  Error error =
      errorOf(Contraction::create(*context, blas, mixed, same, record));
  EXPECT_EQ(error.code, Code::BadInput);
  EXPECT_NE(error.message.find("does not multiply f32 by bf16 to f32 (m 2, n "
                               "2, k 2, 1 matrices); compile with"),
            std::string::npos)
      << error.message;
}

} // namespace
} // namespace ampc::rt::cuda
