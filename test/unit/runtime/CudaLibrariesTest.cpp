// Finding NVIDIA's libraries, and compiling with the real NVRTC where it is.
#include "runtime/device/cuda/Nvrtc.h"
#include "test/unit/runtime/Environment.h"
#include "test/unit/runtime/TestPlans.h"

#include <filesystem>
#include <set>

namespace ampc::rt::cuda {
namespace {

using test::Environment;
using test::errorOf;
using test::must;
using test::temporary;

constexpr const char *kSwitch = "AMPC_CUDA_LIBRARIES";
constexpr Version kDriver{13, 0};

std::string emptyFolder(const std::string &name) {
  std::string folder = temporary(name);
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(CudaLibraries, AMissingOneIsSaidWithThePlacesAndTheRemedy) {
  std::string folder = emptyFolder("no-libraries");
  Environment only(kSwitch, folder.c_str());
  Error error = errorOf(openDriver());
  EXPECT_EQ(error.code, Code::Environment);
  EXPECT_EQ(error.text(),
            "cuda: NVIDIA's driver, libcuda.so.1, is not found; looked in " +
                folder + "; install NVIDIA's driver for CUDA 12.0 or newer");
  EXPECT_EQ(errorOf(openNvrtc(kDriver)).text(),
            "cuda: CUDA's run-time compiler, libnvrtc.so, is not found; looked "
            "in " +
                folder +
                "; install the CUDA toolkit 12.0 to 13.x, or its package "
                "cuda-nvrtc, or set CUDA_HOME");
  EXPECT_NE(errorOf(openBlas(kDriver)).message.find("libcublasLt.so, is not"),
            std::string::npos);
}

TEST(CudaLibraries, AnotherFileUnderTheNameIsNotTaken) {
  std::string folder = emptyFolder("false-libraries");
  // A library without the functions, and a file that is none.
  std::filesystem::copy_file(AMPC_TEST_KERNELS, folder + "/libcuda.so.1",
                             std::filesystem::copy_options::overwrite_existing);
  test::spill(folder + "/libnvrtc.so.13", std::vector<uint8_t>(100, 'x'));
  // Another build of the compiler, which is never the one.
  std::filesystem::copy_file(AMPC_TEST_KERNELS,
                             folder + "/libcublasLt.alt.so.13",
                             std::filesystem::copy_options::overwrite_existing);
  Environment only(kSwitch, folder.c_str());
  EXPECT_NE(errorOf(openDriver()).message.find("lacks the function 'cuInit'"),
            std::string::npos);
  std::string text = errorOf(openNvrtc(kDriver)).message;
  EXPECT_NE(text.find("cannot be used: " + folder + "/libnvrtc.so.13: "),
            std::string::npos)
      << text;
  EXPECT_NE(errorOf(openBlas(kDriver)).message.find("is not found"),
            std::string::npos);
}

TEST(CudaLibraries, TheToolkitMustFitTheDriver) {
  if (!test::useSoftwareDevice())
    GTEST_SKIP() << "no software CUDA device";
  EXPECT_EQ(must(openDriver()).version.major, 13);
  EXPECT_EQ(must(openNvrtc(kDriver)).version.major, 13);
  EXPECT_EQ(must(openBlas(kDriver)).version.major, 13);
  std::string text = errorOf(openNvrtc({12, 4})).message;
  EXPECT_NE(text.find("is of CUDA 13."), std::string::npos) << text;
  EXPECT_NE(text.find(", the driver serves up to 12.4"), std::string::npos)
      << text;
}

/// The toolkit's own NVRTC, where it is installed.
class RealNvrtc : public ::testing::Test {
protected:
  RealNvrtc() : anywhere(kSwitch, nullptr) {}
  void SetUp() override {
    auto found = openNvrtc(kDriver);
    if (!found)
      GTEST_SKIP() << found.error().message;
    library = *found;
  }

  Environment anywhere;
  Library<NvrtcApi> library;
};

constexpr const char *kSource =
    "extern \"C\" __global__ void twice(float *x) {\n"
    "  x[threadIdx.x] += x[threadIdx.x];\n}\n";

std::string_view textOf(const KernelCode &code) {
  return {reinterpret_cast<const char *>(code.data()), code.size()};
}

TEST_F(RealNvrtc, CompilesForEveryArchitecture) {
  std::set<std::string> codes;
  for (Arch arch : {75, 80, 86, 89, 90, 100, 120}) {
    Nvrtc nvrtc = must(Nvrtc::create(library, arch));
    EXPECT_EQ(nvrtc.options()[0],
              "--gpu-architecture=sm_" + std::to_string(arch));
    KernelCode code = must(nvrtc.compile(kSource, "twice.cu"));
    EXPECT_EQ(textOf(code).substr(1, 3), "ELF") << arch;
    codes.emplace(textOf(code));
    EXPECT_EQ(must(nvrtc.compile(kSource, "twice.cu")), code)
        << "the same source gives the same code";
  }
  EXPECT_EQ(codes.size(), 7u);
}

TEST_F(RealNvrtc, GivesNewerDevicesPtx) {
  Nvrtc nvrtc = must(Nvrtc::create(library, 999));
  EXPECT_EQ(nvrtc.options()[0].rfind("--gpu-architecture=compute_", 0), 0u)
      << nvrtc.options()[0];
  KernelCode code = must(nvrtc.compile(kSource, "twice.cu"));
  EXPECT_NE(textOf(code).find(".visible .entry twice"), std::string::npos);
  EXPECT_EQ(code.back(), std::byte(0)) << "the driver reads it as text";
  // A device between two known ones takes the code of the older.
  EXPECT_EQ(must(Nvrtc::create(library, 81)).options()[0],
            "--gpu-architecture=sm_80");
  EXPECT_NE(errorOf(Nvrtc::create(library, 30))
                .message.find("the device is sm_30; CUDA 13."),
            std::string::npos);
}

TEST_F(RealNvrtc, ShowsTheLogOfWhatDoesNotCompile) {
  Nvrtc nvrtc = must(Nvrtc::create(library, 80));
  Error error = errorOf(nvrtc.compile(
      "extern \"C\" __global__ void bad() { nothing(); }\n", "bad.cu"));
  EXPECT_EQ(error.code, Code::BadInput);
  EXPECT_NE(error.message.find("bad.cu does not compile with "
                               "--gpu-architecture=sm_80 --std=c++17"),
            std::string::npos)
      << error.message;
  EXPECT_NE(error.message.find("bad.cu(1): error: identifier \"nothing\""),
            std::string::npos)
      << error.message;
}

} // namespace
} // namespace ampc::rt::cuda
