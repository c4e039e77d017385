// Every kernel of whole models on the same made-up operands, for the CPU and as
// CUDA text on the device: the same bits (N10, N29). NaN counts as NaN: which
// one an instruction makes is the processor's.
#include "test/kernels/Device.h"
#include "test/kernels/ModelPlans.h"
#include "test/kernels/Recording.h"

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

using namespace ampc;
using namespace ampc::test;

namespace {

using CpuKernel = void(const void *const *, int64_t, int64_t);

/// The kernels' object, loaded for good.
void *loadObject(const rt::PlanFile &plan) {
  std::span<const std::byte> object = plan.section(rt::SectionKind::Object);
  int file = memfd_create("kernels", MFD_CLOEXEC);
  EXPECT_EQ(write(file, object.data(), object.size()), ssize_t(object.size()));
  return dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(),
                RTLD_NOW | RTLD_LOCAL);
}

/// Bits of a float of 16 or 8 bits (sign, exponent, mantissa) at random,
/// finite.
template <class Word>
Word finiteBits(std::mt19937 &engine, Word top) {
  Word magnitude = Word(engine() % top);
  bool negative = engine() & 1;
  return Word(magnitude | (negative ? Word(1) << (8 * sizeof(Word) - 1) : 0));
}

template <class T, class Draw>
void fillWith(std::vector<uint8_t> &bytes, Draw draw) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value = draw();
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
}

/// Operands: floats around 1, indices that mostly exist, truth values.
void fill(std::vector<uint8_t> &bytes, const std::string &type,
          std::mt19937 &engine) {
  std::normal_distribution<double> normal;
  if (type == "float")
    fillWith<float>(bytes, [&] { return float(normal(engine)); });
  else if (type == "double")
    fillWith<double>(bytes, [&] { return normal(engine); });
  else if (type == "ampc_bf16") // below 4
    fillWith<uint16_t>(bytes,
                       [&] { return finiteBits<uint16_t>(engine, 0x4080); });
  else if (type == "ampc_f16")
    fillWith<uint16_t>(bytes,
                       [&] { return finiteBits<uint16_t>(engine, 0x4400); });
  else if (type == "long long")
    fillWith<int64_t>(bytes, [&] { return int64_t(engine() % 9) - 1; });
  else if (type == "int")
    fillWith<int32_t>(bytes, [&] { return int32_t(engine() % 9) - 1; });
  else
    fillWith<uint8_t>(bytes, [&] { return uint8_t(engine() & 1); });
}

using Parameter = std::tuple<KernelModel, std::string>;

class ModelKernels : public testing::TestWithParam<Parameter> {};

} // namespace

TEST_P(ModelKernels, GiveTheBitsOfTheCpu) {
  const auto &[model, precision] = GetParam();
  ModelPlans plans = compileModel(model, precision);
  void *object = loadObject(plans.cpu);
  ASSERT_TRUE(object) << dlerror();
  std::span<const std::byte> section =
      plans.cuda.section(rt::SectionKind::CudaText);
  std::string whole(reinterpret_cast<const char *>(section.data()),
                    section.size());
  Device &device = Device::get();
  std::mt19937 engine(7);
  std::set<std::pair<unsigned, unsigned>> seen;

  std::span<const std::byte> constants =
      plans.cuda.section(rt::SectionKind::Constants);
  auto compare = [&](const rt::fb::Kernel &cpu, const rt::fb::Kernel &cuda,
                     const rt::fb::Launch &launch) {
    ASSERT_LE(cpu.arg_bytes()->size(), cuda.arg_bytes()->size());
    std::string symbol = cuda.symbol()->str();
    std::vector<std::string> types = parameterTypes(whole, symbol);
    ASSERT_EQ(types.size(), cuda.arg_bytes()->size());
    auto *kernel =
        reinterpret_cast<CpuKernel *>(dlsym(object, cpu.symbol()->c_str()));
    ASSERT_TRUE(kernel);
    std::vector<std::vector<uint8_t>> operands;
    for (unsigned i = 0; i < types.size(); ++i) {
      operands.emplace_back(cuda.arg_bytes()->Get(i));
      fill(operands.back(), types[i], engine);
      // What follows the CPU's arguments is the plan's: words of random ops.
      if (i < cpu.arg_bytes()->size())
        continue;
      const rt::fb::Place *place = launch.args()->Get(i);
      ASSERT_EQ(place->space(), rt::fb::Space::Constant);
      std::memcpy(operands.back().data(), constants.data() + place->offset(),
                  operands.back().size());
    }
    std::vector<DeviceArgument> places;
    for (const auto &bytes : operands) {
      places.push_back({device.allocate(bytes.size()), bytes.size()});
      device.upload(places.back().address, bytes);
    }
    device.launch(device.compile(whole, symbol), unsigned(cuda.tiles()),
                  cuda.block_threads(), cuda.shared_bytes(), places);
    device.synchronize(symbol);
    std::vector<void *> pointers;
    for (const auto &bytes : operands) {
      size_t room = (bytes.size() / 64 + 1) * 64;
      pointers.push_back(std::aligned_alloc(64, room));
      std::memcpy(pointers.back(), bytes.data(), bytes.size());
    }
    kernel(pointers.data(), 0, int64_t(cpu.tiles()));
    for (unsigned i = 0; i < types.size(); ++i) {
      std::vector<uint8_t> expected(operands[i].size());
      std::memcpy(expected.data(), pointers[i], expected.size());
      std::vector<uint8_t> actual =
          device.download(places[i].address, operands[i].size());
      int64_t at = firstDifference(expected, actual, types[i]);
      EXPECT_EQ(at, -1) << symbol << ": element " << at << " of argument " << i
                        << " (" << types[i] << ") differs\n"
                        << whole.substr(cuda.text_offset(), cuda.text_bytes());
      std::free(pointers[i]);
      device.free(places[i].address);
    }
  };
  const rt::fb::Plan &cpu = plans.cpu.plan(), &cuda = plans.cuda.plan();
  for (unsigned e = 0; e < cuda.entries()->size(); ++e) {
    const auto *ours = cuda.entries()->Get(e)->instructions();
    const auto *theirs = cpu.entries()->Get(e)->instructions();
    ASSERT_EQ(ours->size(), theirs->size());
    for (unsigned i = 0; i < ours->size(); ++i) {
      auto *launch = ours->Get(i)->op_as_Launch();
      if (!launch)
        continue;
      unsigned number = theirs->Get(i)->op_as_Launch()->kernel();
      if (seen.insert({number, launch->kernel()}).second)
        compare(*cpu.kernels()->Get(number),
                *cuda.kernels()->Get(launch->kernel()), *launch);
    }
  }
  EXPECT_LE(cuda.kernels()->size(), cpu.kernels()->size());
}

INSTANTIATE_TEST_SUITE_P(Models, ModelKernels,
                         testing::Combine(testing::ValuesIn(kernelModels()),
                                          testing::Values("f32", "bf16",
                                                          "f16")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  "_" + std::get<1>(info.param);
                         });
