// The data block: lines, sources, options, shuffle, validation.
#include "test/unit/frontend/Load.h"

using namespace ampc::model;

namespace {

const char *const kModel = "model m {\n"
                           "  input x: f32[2, 3]\n"
                           "  input ids: i64[2, 8]\n"
                           "  target labels: i64[2, 8]\n"
                           "}\n";

/// The lines of amp.data without their places, then the attributes of the keys;
/// or the errors. The block starts at line 7.
std::string dataOf(llvm::StringRef block) {
  Loaded loaded((kModel + ("data {\n" + block + "\n}\n")).str());
  if (!loaded.module)
    return loaded.errors();
  mlir::ModuleOp module = *loaded.module;
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto line : module->getAttrOfType<mlir::ArrayAttr>(ampc::amp::kDataAttr)
                       .getAsRange<mlir::DictionaryAttr>()) {
    mlir::NamedAttrList shown(line);
    shown.erase("loc");
    os << shown.getDictionary(module.getContext()) << '\n';
  }
  for (llvm::StringRef key :
       {ampc::amp::kDataShuffleAttr, ampc::amp::kDataValidationAttr})
    if (mlir::Attribute value = module->getAttr(key))
      os << key << " = " << value << '\n';
  return text;
}

TEST(Data, Sources) {
  EXPECT_EQ(dataOf("x = npy(\"x.npy\")"),
            "{names = [\"x\"], spec = \"npy:x.npy\"}\n");
  EXPECT_EQ(dataOf("x = idx(\"x.gz\", scale = 1 / 256, mean = 0.5, std = [1, "
                   "2, 4])"),
            "{names = [\"x\"], options = {mean = array<f64: 5.000000e-01>, "
            "scale = 3.906250e-03 : f64, std = array<f64: 1.000000e+00, "
            "2.000000e+00, 4.000000e+00>}, spec = \"idx:x.gz\"}\n");
  EXPECT_EQ(dataOf("x = npz(\"d.npz#x\")\n"
                   "ids, labels = safetensors(\"d.safetensors\")"),
            "{names = [\"x\"], spec = \"npz:d.npz#x\"}\n"
            "{names = [\"ids\", \"labels\"], spec = "
            "\"safetensors:d.safetensors\"}\n");
  EXPECT_EQ(dataOf("x = csv(\"d.csv#0-2\")"),
            "{names = [\"x\"], spec = \"csv:d.csv#0-2\"}\n");
  EXPECT_EQ(dataOf("ids, labels = text(\"t.txt\", window = 8, stride = 4)"),
            "{names = [\"ids\", \"labels\"], options = {stride = 4 : i64, "
            "window = 8 : i64}, spec = \"text:t.txt\"}\n");
  EXPECT_EQ(dataOf("ids, labels = tokens(\"t.bin\")"),
            "{names = [\"ids\", \"labels\"], spec = \"tokens:t.bin\"}\n");
  EXPECT_EQ(dataOf("x = uniform(3)\nids = randint(1, low = -2, high = 10)\n"
                   "labels = randint(2, high = 3)"),
            "{names = [\"x\"], spec = \"uniform:3\"}\n"
            "{names = [\"ids\"], spec = \"randint:1#-2,10\"}\n"
            "{names = [\"labels\"], spec = \"randint:2#0,3\"}\n");
}

TEST(Data, Keys) {
  EXPECT_EQ(dataOf("x = normal(1)\nshuffle = false\nvalidation = 0.25"),
            "{names = [\"x\"], spec = \"normal:1\"}\n"
            "amp.data_shuffle = false\n"
            "amp.data_validation = 2.500000e-01 : f64\n");
  EXPECT_EQ(dataOf("x = normal(1)\nvalidation { x = normal(2) }"),
            "{names = [\"x\"], spec = \"normal:1\"}\n"
            "{names = [\"x\"], spec = \"normal:2\", validation}\n");
  EXPECT_EQ(dataOf("shuffle = 1\n"
                   "validation = 1\n"
                   "validation { x = normal(2)\n"
                   "  validation { }\n"
                   "  \"x\" = normal(1) }\n"
                   "test { }\n"),
            "7:11 expected a compile-time bool, got int\n"
            "8:14 'data': 'validation' must be at least 0 and less than 1.0, "
            "got 1.0\n"
            "9:1 'validation' given twice\n"
            "  8:1 the first is here\n"
            "12:1 expected the names of a data line, found a block\n");
  EXPECT_EQ(dataOf("validation { x = normal(2)\n"
                   "  validation { }\n"
                   "  \"x\" = normal(1)\n"
                   "  x = npy(\"f\") }\n"),
            "8:3 expected the names of a data line, found a block\n"
            "9:3 expected the names of a data line, found a pattern\n"
            "10:3 data of 'x' given twice\n"
            "  7:14 the first is here\n");
}

TEST(Data, Errors) {
  EXPECT_EQ(dataOf("x = normal()\n"
                   "lables = normal(1)\n"
                   "labels = normal(1)\n"
                   "x = csv(\"f\")\n"
                   "x, labels = npy(\"f\")"),
            "7:5 argument 'seed' of 'normal' is missing\n"
            "8:1 unknown input 'lables'; did you mean 'labels'?\n"
            "9:1 'normal' fills float tensors, 'labels' is i64[2, 8]\n"
            "10:1 data of 'x' given twice\n"
            "  7:1 the first is here\n"
            "11:1 data of 'x' given twice\n"
            "  7:1 the first is here\n");
  EXPECT_EQ(dataOf("x, ids, labels = text(\"f\")"),
            "7:9 'text' holds one sequence, got 3 names\n");
  EXPECT_EQ(dataOf("ids, labels = npy(\"f\")"),
            "7:6 'npy' holds one tensor, got 2 names\n");
  EXPECT_EQ(dataOf("x = normal(-1)"),
            "7:12 'normal': 'seed' must be at least 0, got -1\n");
  EXPECT_EQ(dataOf("x = npy(3)"), "7:9 expected a compile-time string, got "
                                  "int\n");
  EXPECT_EQ(dataOf("x = npyy(\"f\")"),
            "7:5 unknown data source 'npyy'; did you mean 'npy'?\n");
  EXPECT_EQ(dataOf("x = \"f\""),
            "7:5 expected a data source, as in npy(\"x.npy\")\n");
  EXPECT_EQ(dataOf("x = npy(\"f\", window = 3)"),
            "7:14 unknown argument 'window' of 'npy'\n");
  EXPECT_EQ(dataOf("ids = text(\"f\", window = 0)"),
            "7:26 'text': 'window' must be at least 1, got 0\n");
  EXPECT_EQ(dataOf("x = npy(\"f\", std = [1, 0])"),
            "7:20 'npy': 'std' must be above 0, got 0.0\n");
  EXPECT_EQ(dataOf("x = npy(\"f\", scale = [1])"),
            "7:22 expected a compile-time number, got list\n");
  EXPECT_EQ(dataOf("ids = randint(1)"),
            "7:7 argument 'high' of 'randint' is missing\n");
  EXPECT_EQ(dataOf("ids = randint(1, 3, 3)"),
            "7:21 'randint': 'high' must be above 'low' (3), got 3\n");
  EXPECT_EQ(dataOf("ids = randint(1, -1, 2 ** 32 - 1)"),
            "{names = [\"ids\"], spec = \"randint:1#-1,4294967295\"}\n");
  EXPECT_EQ(dataOf("ids = randint(1, -1, 2 ** 32)"),
            "7:24 'randint': 'high' must be above 'low' (-1) by at most 2^32, "
            "got 4294967296\n");
}

} // namespace
