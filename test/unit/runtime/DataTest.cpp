// Data: NumPy and safetensors files, hostile ones too; made-up samples; streams
// and their order.
#include "runtime/api/Runtime.h"
#include "runtime/core/Philox.h"
#include "test/unit/runtime/TestPlans.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

namespace ampc::rt::test {
namespace {

std::vector<uint8_t> bytesOf(const std::string &text) {
  return {text.begin(), text.end()};
}

Tensor counting(DType type, std::vector<int64_t> shape) {
  Tensor tensor = must(Tensor::zeros(type, shape));
  for (size_t i = 0; i < tensor.count(); ++i) {
    double value = double(i % 100);
    if (info(type).isFloat)
      must(convert(DType::F64, reinterpret_cast<std::byte *>(&value), type,
                   tensor.bytes().data() + i * sizeOf(type), 1));
    else
      tensor.bytes()[i * sizeOf(type)] =
          std::byte(type == DType::Bool ? i % 2 : i % 100);
  }
  return tensor;
}

TEST(Npy, RoundTripsEveryType) {
  for (DType type : {DType::F64, DType::F32, DType::F16, DType::Bool, DType::I8,
                     DType::I32, DType::I64})
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {5}, {2, 3}, {0, 4}, {1, 2, 3, 4}}) {
      Tensor tensor = counting(type, shape);
      std::string path = temporary("round.npy");
      must(write_npy(path, tensor.view(), true));
      NpyFile file = must(NpyFile::open(path));
      EXPECT_EQ(file.dtype(), type);
      EXPECT_EQ(std::vector<int64_t>(file.shape().begin(), file.shape().end()),
                shape);
      ASSERT_EQ(file.bytes().size(), tensor.bytes().size());
      EXPECT_EQ(std::memcmp(file.bytes().data(), tensor.bytes().data(),
                            file.bytes().size()),
                0);
      EXPECT_EQ((contents(path).size() - tensor.bytes().size()) % 64, 0u);
    }
  Tensor tensor = counting(DType::BF16, {4});
  EXPECT_NE(errorOf(write_npy(temporary("b.npy"), tensor.view(), true))
                .message.find("bf16"),
            std::string::npos);
}

/// An .npy of version `major` with the given header text and `data` bytes.
std::vector<uint8_t> npy(const std::string &header, size_t data,
                         int major = 1) {
  std::string text = "\x93NUMPY";
  text += char(major);
  text += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    text += char(header.size() >> (8 * i) & 255);
  return bytesOf(text + header + std::string(data, '\1'));
}

TEST(Npy, ReadsWhatOthersWrite) {
  std::string path = temporary("other.npy");
  for (int major : {1, 2, 3}) {
    spill(
        path,
        npy("{\"shape\": (2L, 3,), 'fortran_order':False,'descr': '<f4'}   \n",
            24, major));
    EXPECT_EQ(must(NpyFile::open(path)).shape()[1], 3);
  }
  spill(path,
        npy("{'descr': '<f4', 'fortran_order': True, 'shape': (3,), }\n", 12));
  EXPECT_EQ(must(NpyFile::open(path)).shape()[0], 3)
      << "one axis has one order";
}

TEST(Npy, RefusalsNameFileExpectedAndActual) {
  std::string path = temporary("bad.npy");
  auto refuse = [&](std::vector<uint8_t> bytes, const std::string &expected) {
    spill(path, bytes);
    Error error = errorOf(NpyFile::open(path));
    EXPECT_EQ(error.code, Code::BadInput);
    EXPECT_EQ(error.where, path);
    EXPECT_NE(error.message.find(expected), std::string::npos) << error.message;
  };
  const std::string good =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  refuse(bytesOf("hello"), "not a NumPy file");
  refuse({}, "not a NumPy file");
  refuse(bytesOf("\x93NUMPY"), "truncated");
  refuse(npy(good, 24, 4), "version 4, expected 1, 2 or 3");
  refuse(npy(good, 23), "truncated: f32[2, 3] has 24 bytes, the file holds 23");
  refuse(npy(good, 25), "too long: f32[2, 3] has 24 bytes, the file holds 25");
  auto header = npy(good, 0);
  header.resize(30);
  refuse(header, "truncated: expected a header of");
  auto with = [&](std::string from, const std::string &to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return npy(text, 24);
  };
  refuse(with("<f4", ">f4"),
         "big-endian elements '>f4', expected little-endian ('<f4')");
  refuse(with("<f4", "<c8"), "element type '<c8', expected one of");
  refuse(with("'<f4'", "[('a', '<f4')]"), "a record type is not an array");
  refuse(with("False", "True"), "Fortran order, expected C order");
  refuse(with("False", "Maybe"), "expected True or False");
  refuse(with("(2, 3)", "(-2, 3)"), "expected a tuple of extents");
  refuse(with("(2, 3)", "(99999999999999999999, 3)"),
         "expected a tuple of extents");
  refuse(with("(2, 3)", "(281474976710656, 281474976710656)"), "too large");
  refuse(with("'shape': (2, 3), ", ""), "expected the keys");
  refuse(with(", }", ", } x"), "expected nothing more in the header, found 'x");
  refuse(with("{", "{'more': 1, "), "each once");
}

TEST(Npy, DamagedHeadersNeverCrash) {
  std::vector<uint8_t> good =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24);
  std::string path = temporary("damaged.npy");
  for (uint32_t i = 0; i < 2000; ++i) {
    std::vector<uint8_t> bytes = good;
    PhiloxWords words = philox({i, 2, 0, 0}, 13);
    bytes[words[0] % bytes.size()] = uint8_t(words[1]);
    bytes.resize(bytes.size() - words[2] % 3);
    spill(path, bytes);
    if (auto file =
            NpyFile::open(path)) { // what passes agrees with its own header
      EXPECT_EQ(file->bytes().size(),
                *countOf(file->shape()) * sizeOf(file->dtype()));
    }
  }
}

TEST(Safetensors, RoundTrip) {
  std::string path = temporary("round.safetensors");
  std::vector<Tensor> tensors;
  std::vector<NamedView> views;
  std::vector<std::string> names = {"b.weight", "a", "quote\"d", "empty",
                                    "scalar"};
  tensors.push_back(counting(DType::F32, {2, 3}));
  tensors.push_back(counting(DType::BF16, {5}));
  tensors.push_back(counting(DType::I64, {2}));
  tensors.push_back(counting(DType::F64, {0, 3}));
  tensors.push_back(counting(DType::Bool, {}));
  for (size_t i = 0; i < tensors.size(); ++i)
    views.push_back({names[i], tensors[i].view()});
  must(write_safetensors(path, views, {{"key", "a \"value\"\n"}}, false));
  EXPECT_EQ(errorOf(write_safetensors(path, views, {}, false)).code,
            Code::Usage);
  Safetensors file = must(Safetensors::open(path));
  EXPECT_EQ(file.metadata().at("key"), "a \"value\"\n");
  EXPECT_EQ(file.tensors().size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Safetensors::Entry *entry = file.find(names[i]);
    ASSERT_TRUE(entry) << names[i];
    EXPECT_EQ(entry->dtype, tensors[i].dtype());
    ASSERT_EQ(entry->bytes.size(), tensors[i].bytes().size());
    EXPECT_EQ(std::memcmp(entry->bytes.data(), tensors[i].bytes().data(),
                          entry->bytes.size()),
              0);
  }
  views.push_back(views[0]);
  EXPECT_EQ(errorOf(write_safetensors(path, views, {}, true)).code, Code::Usage)
      << "a name twice";
}

std::vector<uint8_t> safetensors(const std::string &header, size_t data) {
  uint64_t length = header.size();
  std::string text(reinterpret_cast<char *>(&length), 8);
  return bytesOf(text + header + std::string(data, '\1'));
}

/// Bytes of files that this process has in memory.
size_t fileBytesInMemory() {
  size_t whole = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> whole >> resident >> shared;
  return shared * size_t(::sysconf(_SC_PAGESIZE));
}

// A large file is never in memory as a whole, and its runs are its bytes.
TEST(Safetensors, ReadsRunByRun) {
  std::string path = temporary("runs.safetensors");
  Tensor large =
      must(Tensor::zeros(DType::F32, std::vector<int64_t>{12'000'001}));
  for (size_t i = 0; i < large.as<float>().size(); ++i)
    large.as<float>()[i] = float(i);
  Tensor small = counting(DType::I8, {3}); // runs need not begin with a page
  std::vector<NamedView> views{{"small", small.view()},
                               {"large", large.view()}};
  must(write_safetensors(path, views, {}, true));
  size_t before = fileBytesInMemory(), most = 0, end = 0;
  {
    Safetensors file = must(Safetensors::open(path));
    must(file.read(
        *file.find("large"),
        [&](size_t at, std::span<const std::byte> run) -> Expected<void> {
          EXPECT_EQ(at, end);
          EXPECT_TRUE(
              std::ranges::equal(run, large.bytes().subspan(at, run.size())));
          end = at + run.size();
          most = std::max(most, fileBytesInMemory());
          return {};
        }));
  }
  EXPECT_EQ(end, large.bytes().size());
  EXPECT_LT(most, before + large.bytes().size() / 3);
  std::filesystem::remove(path);
}

// So are two tensors that are compared.
TEST(Safetensors, ComparesRunByRun) {
  std::string path = temporary("same.safetensors");
  const std::vector<int64_t> shape{6'000'001};
  Tensor first = must(Tensor::zeros(DType::F32, shape)),
         other = must(Tensor::zeros(DType::F32, shape));
  other.as<float>().back() = 1;
  std::vector<NamedView> views{
      {"first", first.view()}, {"same", first.view()}, {"other", other.view()}};
  must(write_safetensors(path, views, {}, true));
  size_t before = fileBytesInMemory();
  Safetensors file = must(Safetensors::open(path));
  EXPECT_TRUE(file.haveSameBytes(*file.find("first"), *file.find("same")));
  EXPECT_FALSE(file.haveSameBytes(*file.find("first"), *file.find("other")));
  EXPECT_LT(fileBytesInMemory(), before + first.bytes().size() / 3);
  std::filesystem::remove(path);
}

TEST(Safetensors, RefusalsNameTheTensor) {
  std::string path = temporary("bad.safetensors");
  auto refuse = [&](std::vector<uint8_t> bytes, const std::string &expected) {
    spill(path, bytes);
    Error error = errorOf(Safetensors::open(path));
    EXPECT_EQ(error.code, Code::BadInput);
    EXPECT_NE(error.message.find(expected), std::string::npos)
        << "expected: " << expected << "\nactual:   " << error.message;
  };
  auto one = [](const std::string &dtype, const std::string &shape,
                const std::string &offsets) {
    return "{\"a\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}}";
  };
  const std::string good = one("\"F32\"", "[2]", "[0,8]");
  spill(path, safetensors(good, 8));
  must(Safetensors::open(path));
  refuse({1, 2, 3}, "truncated: expected at least 8 bytes, the file has 3");
  refuse(safetensors(good, 7), "do not lie in the 7 bytes");
  refuse(safetensors(good, 9),
         "the tensors end at byte 8 of the data, the file at 9");
  refuse(bytesOf("\xff\xff\xff\xff\xff\xff\xff\xff{}"), "it names a header of");
  refuse(safetensors("[1]", 0), "the header is not a JSON object");
  refuse(safetensors("{\"a\":", 0), "the header is not a JSON object");
  refuse(safetensors(std::string(100000, '['), 0),
         "the header is not a JSON object");
  refuse(safetensors(one("\"F33\"", "[2]", "[0,8]"), 8),
         "tensor 'a': element type \"F33\"");
  refuse(safetensors(one("7", "[2]", "[0,8]"), 8), "element type 7");
  refuse(safetensors(one("\"F32\"", "[3]", "[0,8]"), 8),
         "f32[3] has 12 bytes, data_offsets span 8");
  refuse(safetensors(one("\"F32\"", "[-2]", "[0,8]"), 8),
         "expected extents from 0 to 2^48");
  refuse(safetensors(one("\"F32\"", "[2.5]", "[0,8]"), 8), "expected extents");
  refuse(safetensors(one("\"F32\"", "[4294967296,4294967296]", "[0,8]"), 8),
         "too large");
  refuse(safetensors(one("\"F32\"", "[2]", "[8,0]"), 8), "data_offsets [8,0]");
  refuse(safetensors(one("\"F32\"", "[2]", "[0,18446744073709551615]"), 8),
         "do not lie in");
  refuse(safetensors("{\"a\":3}", 0), "expected an object with dtype");
  refuse(safetensors("{\"__metadata__\":{\"k\":1}}", 0),
         "metadata 'k' is not a string");
  std::string twice = good.substr(0, good.size() - 1) + "," + good.substr(1);
  refuse(safetensors(twice, 8), "tensor 'a' occurs twice");
  refuse(safetensors(
             "{\"a\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[0,4]},"
             "\"b\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[2,6]}}",
             6),
         "tensor 'b' starts at byte 2 of the data, expected 4");
}

TEST(Safetensors, DamagedFilesNeverCrash) {
  Tensor tensor = counting(DType::F32, {4, 4});
  NamedView view{"layer.weight", tensor.view()};
  std::string path = temporary("damaged.safetensors");
  must(write_safetensors(path, {&view, 1}, {{"k", "v"}}, true));
  std::vector<uint8_t> good = contents(path);
  for (size_t size = 0; size < good.size(); ++size) {
    spill(path, std::span(good).first(size));
    EXPECT_FALSE(Safetensors::open(path).has_value()) << "cut at " << size;
  }
  for (uint32_t i = 0; i < 3000; ++i) {
    std::vector<uint8_t> bytes = good;
    PhiloxWords words = philox({i, 3, 0, 0}, 14);
    for (int flip = 0; flip < 2; ++flip)
      bytes[words[flip] % 192] = uint8_t(words[2] >> (8 * flip));
    spill(path, bytes);
    if (auto file = Safetensors::open(path)) {
      for (const Safetensors::Entry &entry : file->tensors())
        EXPECT_EQ(entry.bytes.size(),
                  *countOf(entry.shape) * sizeOf(entry.dtype));
    }
  }
}

const std::vector<Port> kPorts = {{"x", PortKind::Input, DType::F32, {4, 3}},
                                  {"t", PortKind::Target, DType::F32, {4, 2}}};

std::vector<float> taken(DataSource &source, uint64_t index, const char *name) {
  const Batch *batch = must(source.batch(index));
  auto bytes = batch->find(name)->bytes;
  std::vector<float> out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

TEST(Streams, MadeUpSamplesAreAFunctionOfTheirNumber) {
  DataLine line{{"x", "t"}, "normal:3", false};
  auto a = must(open_data({&line, 1}, kPorts, {}));
  auto b = must(open_data({&line, 1}, kPorts, {}));
  EXPECT_FALSE(a->batches());
  EXPECT_EQ(a->describe(), "x,t=normal:3");
  std::vector<float> seventh = taken(*a, 7, "x");
  EXPECT_NE(taken(*a, 0, "x"), seventh);
  EXPECT_EQ(taken(*b, 7, "x"), seventh) << "in any order";

  // Another batch size cuts the same samples differently.
  std::vector<Port> wide = {{"x", PortKind::Input, DType::F32, {8, 3}}};
  auto c = must(open_data({&line, 1}, wide, {}));
  std::vector<float> both = taken(*c, 3, "x"); // samples 24 to 31
  EXPECT_EQ(std::vector<float>(both.begin() + 12, both.end()), seventh);

  std::vector<float> x = taken(*a, 0, "x"), t = taken(*a, 0, "t");
  EXPECT_FALSE(std::equal(t.begin(), t.begin() + 2, x.begin()))
      << "names differ";
  DataLine other{{"x", "t"}, "normal:4", false};
  EXPECT_NE(taken(*must(open_data({&other, 1}, kPorts, {})), 0, "x"), x);
  DataLine flat{{"x", "t"}, "uniform:3", false};
  for (float value : taken(*must(open_data({&flat, 1}, kPorts, {})), 5, "x")) {
    EXPECT_GE(value, 0.0f);
    EXPECT_LT(value, 1.0f);
  }
}

TEST(Streams, FilesWrapShuffleAndDrop) {
  Tensor x = must(Tensor::zeros(DType::F32, std::vector<int64_t>{10, 3}));
  Tensor t = must(Tensor::zeros(DType::I32, std::vector<int64_t>{10, 2}));
  for (int i = 0; i < 10; ++i) {
    x.as<float>()[i * 3] = float(i);
    t.as<int32_t>()[i * 2] = i;
  }
  must(write_npy(temporary("x.npy"), x.view(), true));
  must(write_npy(temporary("t.npy"), t.view(), true));
  std::vector<DataLine> lines = {{{"x"}, "npy:x.npy", false},
                                 {{"t"}, "npy:t.npy", false}};
  DataOptions options;
  options.directory = temporary("");
  options.shuffle = false;
  auto plain = must(open_data(lines, kPorts, options));
  EXPECT_EQ(plain->batches(), 2u);
  EXPECT_EQ(plain->left_over(), 2u);
  EXPECT_EQ(taken(*plain, 1, "x")[3], 5.0f);
  EXPECT_EQ(taken(*plain, 2, "x"), taken(*plain, 0, "x")) << "wraps";
  EXPECT_EQ(taken(*plain, 1, "t")[2], 5.0f) << "integers widen to floats";

  options.shuffle = true;
  options.seed = 5;
  auto mixed = must(open_data(lines, kPorts, options));
  std::set<float> seen;
  bool moved = false;
  for (int index : {0, 1}) {
    std::vector<float> xs = taken(*mixed, uint64_t(index), "x"),
                       ts = taken(*mixed, uint64_t(index), "t");
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(xs[size_t(i) * 3], ts[size_t(i) * 2]) << "lines stay together";
      EXPECT_TRUE(seen.insert(xs[size_t(i) * 3]).second)
          << "no sample twice an epoch";
      moved |= xs[size_t(i) * 3] != float(index * 4 + i);
    }
  }
  EXPECT_TRUE(moved);
  EXPECT_NE(taken(*mixed, 2, "x"), taken(*mixed, 0, "x"))
      << "a new order each epoch";
}

TEST(Streams, ShuffleIsAPermutation) {
  for (uint64_t count : {1, 2, 3, 7, 64, 100, 1000}) {
    std::set<uint64_t> seen;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t place = shuffled(i, count, 3, 9);
      EXPECT_LT(place, count);
      seen.insert(place);
    }
    EXPECT_EQ(seen.size(), count);
  }
}

TEST(Streams, RefusalsNameTheInput) {
  auto refuse = [](std::vector<DataLine> lines, const std::string &expected,
                   std::vector<Port> ports = kPorts) {
    DataOptions options;
    options.directory = temporary("");
    options.known = {"x", "t"};
    Error error = errorOf(open_data(lines, ports, options));
    EXPECT_NE(error.text().find(expected), std::string::npos) << error.text();
  };
  must(write_npy(temporary("ten.npy"), counting(DType::F32, {10, 3}).view(),
                 true));
  must(write_npy(temporary("nine.npy"), counting(DType::F32, {9, 2}).view(),
                 true));
  must(write_npy(temporary("three.npy"), counting(DType::F32, {3, 3}).view(),
                 true));
  must(write_npy(temporary("scalar.npy"), counting(DType::F32, {}).view(),
                 true));
  refuse({{{"x"}, "normal:1", false}}, "no data for input 't'");
  refuse({{{"x", "y"}, "normal:1", false}},
         "the model has no input 'y'; it has x, t");
  refuse({{{"x"}, "npy:ten.npy", false}, {{"t"}, "npy:nine.npy", false}},
         "samples of 'x' (10) and 't' (9) differ");
  // A model's lines and inputs have their places.
  refuse({{{"x"}, "npy:ten.npy", false, {}, "m.amp:8:3"},
          {{"t"}, "npy:nine.npy", false, {}, "m.amp:9:3"}},
         "m.amp:9:3: samples of 'x' (10) and 't' (9) differ");
  refuse({{{"x", "y"}, "normal:1", false, {}, "m.amp:8:3"}},
         "m.amp:8:3: the model has no input 'y'; it has x, t");
  refuse({}, "m.amp:2:9: no data for input 'x'",
         {{"x", PortKind::Input, DType::F32, {4}, {}, "m.amp:2:9"}});
  refuse({{{"x"}, "npy:nine.npy", false}},
         "'x' expects f32[3], the file holds f32[2]");
  refuse({{{"x"}, "npy:three.npy", false}},
         "'x' has 3 samples, one batch takes 4");
  refuse({{{"x"}, "npy:scalar.npy", false}}, "holds a scalar");
  refuse({{{"x"}, "npy:absent.npy", false}}, "cannot open the file");
  refuse({{{"x", "t"}, "npy:ten.npy", false}}, "an npy file holds one array");
  refuse({{{"x"}, "magic:1", false}}, "unknown data source 'magic'");
  refuse({{{"x"}, "normal:one", false}}, "expected normal:SEED");
  refuse({{{"x"}, "normal:1", false}, {{"x", "t"}, "normal:1", false}},
         "'x' has data already");
  refuse({{{"x"}, "normal:1", false}},
         "'x' is of i32; normal data is for float inputs",
         {{"x", PortKind::Input, DType::I32, {4}}});
  refuse({{{"x"}, "npy:ten.npy", false}},
         "'x' expects i32[3], the file holds f32[3]",
         {{"x", PortKind::Input, DType::I32, {4, 3}}});
  refuse({{{"x"}, "normal:1", false}}, "has no axis of samples",
         {{"x", PortKind::Input, DType::F32, {}}});
}

TEST(DataLines, CommandLineWins) {
  DataLine line = must(parse_data_line("a,b=npy:x=y.npy"));
  EXPECT_EQ(line.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(line.spec, "npy:x=y.npy");
  for (const char *text : {"", "a", "=b", "a=", "a,,b=c", ",=c"})
    EXPECT_EQ(errorOf(parse_data_line(text)).code, Code::Usage) << text;
  std::vector<DataLine> model = {{{"a", "b"}, "one", false},
                                 {{"c"}, "two", false}};
  std::vector<DataLine> merged = replace_lines(model, {&line, 1});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].spec, "npy:x=y.npy");
  EXPECT_EQ(merged[1].spec, "two");
}

} // namespace
} // namespace ampc::rt::test
