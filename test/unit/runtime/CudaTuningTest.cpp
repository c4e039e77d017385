// The tuning record beside a plan: what is chosen first is what runs from then
// on, and what is wrong with a record is said.
#include "runtime/api/Runtime.h"
#include "runtime/device/cuda/TuningRecord.h"
#include "test/unit/runtime/Environment.h"
#include "test/unit/runtime/TestPlans.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ampc::rt::cuda {
namespace {

namespace fs = std::filesystem;
using test::Environment;
using test::must;
using test::temporary;

class TuningRecords : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(test::useSoftwareDevice());
    fs::remove_all(path);
    fs::remove_all(record);
    PlanSections sections;
    sections.cudaText = test::kernelText();
    must(writePlanFile(path, test::regression(), sections, true));
  }
  void TearDown() override {
    fs::remove_all(path);
    fs::remove_all(record);
  }

  /// What the model gives after a few steps of a session on the plan's file.
  std::vector<std::byte> trained() {
    notes.clear();
    SessionOptions options;
    options.note = [&](const std::string &text) { notes += text + "\n"; };
    Session session = must(Session::open(must(Plan::load(path)), options));
    Tensor x = must(Tensor::zeros(DType::F32, std::vector<int64_t>{8, 4}));
    Tensor t = must(Tensor::zeros(DType::F32, std::vector<int64_t>{8, 3}));
    for (size_t i = 0; i < x.as<float>().size(); ++i)
      x.as<float>()[i] = 1.0f / float(i * i % 29 + 3);
    for (float &value : t.as<float>())
      value = 0.1f;
    Batch batch;
    batch.set("x", x);
    batch.set("t", t);
    for (int i = 0; i < 5; ++i)
      must(session.step(batch));
    Tensor out = std::move(must(session.infer(batch))[0].tensor);
    return {out.bytes().begin(), out.bytes().end()};
  }

  std::string text() const {
    std::ifstream file(record);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void setText(const std::string &text) const {
    std::ofstream(record, std::ios::trunc) << text;
  }

  /// Every choice of the record with the word of its algorithm that says which
  /// one the software library runs (1 or 2), or its mark, changed.
  void setWord(size_t word, uint64_t value) {
    std::istringstream lines(text());
    std::string line, device;
    std::vector<std::string> products;
    while (std::getline(lines, line)) {
      if (line.starts_with("device "))
        device = line.substr(7);
      if (line.starts_with("pin "))
        products.push_back(
            line.substr(line.find(' ', line.find(' ', 4) + 1) + 1));
    }
    TuningRecord kept = TuningRecord::open(record, device, {});
    ASSERT_FALSE(products.empty());
    for (const std::string &product : products) {
      std::optional<PinnedAlgorithm> pinned = kept.find(product);
      ASSERT_TRUE(pinned) << product;
      pinned->algorithm.data[word] = value;
      kept.pin(product, *pinned);
    }
    kept.write({});
  }

  std::string path = temporary("tuned.ampx"), record = path + ".tune";
  std::string notes;
};

TEST_F(TuningRecords, TheFirstOpenPinsAndSaysSo) {
  std::vector<std::byte> bits = trained();
  EXPECT_EQ(notes, record + ": there is no such tuning record yet; the "
                            "algorithms of matrix products are chosen anew and "
                            "kept there\n");
  std::string first = text();
  EXPECT_NE(
      first.find("device ampc software CUDA device, sm_80, cuBLASLt 13.0"),
      first.npos)
      << first;
  EXPECT_EQ(trained(), bits);
  EXPECT_EQ(notes, "");
  EXPECT_EQ(text(), first);
}

TEST_F(TuningRecords, ThePinnedAlgorithmRuns) {
  std::vector<std::byte> bits = trained();
  setWord(1, 2);
  std::vector<std::byte> other = trained();
  EXPECT_EQ(notes, "");
  EXPECT_TRUE(other != bits) << "the software library's second differs";
  EXPECT_EQ(trained(), other);
  setWord(1, 1);
  EXPECT_EQ(trained(), bits);
}

TEST_F(TuningRecords, ARefusedAlgorithmIsReplaced) {
  std::vector<std::byte> bits = trained();
  std::string first = text();
  setWord(0, 7);
  EXPECT_EQ(trained(), bits);
  EXPECT_NE(notes.find("cuBLASLt 13.0.0 refuses 4 of the algorithms"),
            notes.npos)
      << notes;
  EXPECT_EQ(text(), first);
}

TEST_F(TuningRecords, DamageIsSaidAndMended) {
  std::vector<std::byte> bits = trained();
  std::string whole = text();
  auto changed = [&](size_t at) {
    std::string damaged = whole;
    damaged[at] = damaged[at] == '0' ? '1' : '0';
    return damaged;
  };
  for (const std::string &damaged :
       {std::string(), whole.substr(0, whole.size() / 2),
        whole.substr(0, whole.size() - 1), changed(3), changed(70),
        changed(whole.size() - 3), whole + "pin", std::string(1000, 'x')}) {
    setText(damaged);
    EXPECT_EQ(trained(), bits);
    EXPECT_EQ(notes, record + ": the file is damaged or no tuning record; the "
                              "algorithms of matrix products are chosen anew "
                              "and kept there\n");
    EXPECT_EQ(text(), whole);
  }
}

TEST_F(TuningRecords, DevicesStandBesideEachOther) {
  trained();
  std::string first = text();
  {
    Environment another("AMPC_HOSTGPU_CAPABILITY", "9.0");
    trained();
    EXPECT_NE(notes.find("has nothing of ampc software CUDA device, sm_90"),
              notes.npos)
        << notes;
    trained();
    EXPECT_EQ(notes, "");
  }
  std::string both = text();
  EXPECT_NE(both.find("sm_80"), both.npos);
  EXPECT_NE(both.find("sm_90"), both.npos);
  trained();
  EXPECT_EQ(notes, "");
  EXPECT_EQ(text(), both);
}

TEST_F(TuningRecords, WhereItCannotBeKeptIsSaid) {
  fs::create_directory(record);
  std::vector<std::byte> bits = trained();
  EXPECT_NE(notes.find(record + ": the tuning record cannot be kept: "),
            notes.npos)
      << notes;
  EXPECT_EQ(trained(), bits);
}

TEST_F(TuningRecords, APlanInMemoryKeepsNone) {
  PlanSections sections;
  sections.cudaText = test::kernelText();
  std::string said;
  SessionOptions options;
  options.note = [&](const std::string &text) { said += text; };
  must(Session::open(must(Plan::from_bytes(
                         must(writePlan(test::regression(), sections)), path)),
                     options));
  EXPECT_EQ(said, "");
  EXPECT_FALSE(fs::exists(record));
}

} // namespace
} // namespace ampc::rt::cuda
