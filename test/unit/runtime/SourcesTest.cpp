// The sources of data: each kind of file read back to the number, its options,
// the split for validation, and what is refused with which words.
#include "runtime/api/Runtime.h"
#include "test/unit/runtime/TestPlans.h"

#include <cstdlib>
#include <cstring>
#include <zip.h>
#include <zlib.h>

namespace ampc::rt::test {
namespace {

std::vector<uint8_t> bytesOf(std::string_view text) {
  return {text.begin(), text.end()};
}

void write(const std::string &name, std::string_view text) {
  spill(temporary(name), bytesOf(text));
}

/// Writes `bytes` compressed.
void writeGz(const std::string &name, std::span<const uint8_t> bytes) {
  gzFile file = gzopen(temporary(name).c_str(), "wb");
  ASSERT_TRUE(file);
  ASSERT_EQ(gzwrite(file, bytes.data(), unsigned(bytes.size())),
            int(bytes.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

Port port(const char *name, DType type, std::vector<int64_t> shape) {
  return {name, PortKind::Input, type, std::move(shape)};
}

DataOptions plainOptions() {
  DataOptions options;
  options.directory = temporary("");
  options.shuffle = false;
  return options;
}

template <class T>
std::vector<T> batchOf(DataSource &source, uint64_t index, const char *name) {
  const TensorView *view = must(source.batch(index))->find(name);
  std::vector<T> out(view->bytes.size() / sizeof(T));
  std::memcpy(out.data(), view->bytes.data(), view->bytes.size());
  return out;
}

/// The first batch of one line for one port.
template <class T>
std::vector<T> readBack(const std::string &spec, const Port &to,
                        const SampleOptions &options = {}) {
  DataLine line{{to.name}, spec, false, options};
  auto source = must(open_data({&line, 1}, {&to, 1}, plainOptions()));
  return batchOf<T>(*source, 0, to.name.c_str());
}

void refuse(const std::string &spec, const Port &to, const std::string &where,
            const std::string &expected, const SampleOptions &options = {},
            Code code = Code::BadInput) {
  DataLine line{{to.name}, spec, false, options};
  Error error = errorOf(open_data({&line, 1}, {&to, 1}, plainOptions()));
  EXPECT_EQ(error.code, code) << error.text();
  EXPECT_NE(error.where.find(where), std::string::npos) << error.text();
  EXPECT_NE(error.message.find(expected), std::string::npos)
      << "expected: " << expected << "\nactual:   " << error.message;
}

/// An idx file: type, extents, elements.
std::vector<uint8_t> idx(uint8_t type, std::vector<uint32_t> extents,
                         std::vector<uint8_t> data) {
  std::vector<uint8_t> out = {0, 0, type, uint8_t(extents.size())};
  for (uint32_t extent : extents)
    for (int shift = 24; shift >= 0; shift -= 8)
      out.push_back(uint8_t(extent >> shift));
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

TEST(Idx, ReadsImagesAndLabels) {
  std::vector<uint8_t> images =
      idx(0x08, {3, 2, 2}, {0, 1, 2, 255, 4, 5, 6, 7, 8, 9, 10, 11});
  spill(temporary("images.idx"), images);
  writeGz("images.idx.gz", images);
  for (const char *spec : {"idx:images.idx", "idx:images.idx.gz"})
    EXPECT_EQ(readBack<float>(spec, port("x", DType::F32, {2, 2, 2})),
              (std::vector<float>{0, 1, 2, 255, 4, 5, 6, 7}));
  SampleOptions scaled;
  scaled.scale = 1.0 / 255;
  scaled.mean = {0.5, 1};
  scaled.std = {0.5, 2};
  std::vector<float> x = readBack<float>(
      "idx:images.idx", port("x", DType::F32, {1, 2, 2}), scaled);
  EXPECT_EQ(x[1], float((1.0 / 255 - 0.5) / 0.5));
  EXPECT_EQ(x[3], float((255 * (1.0 / 255) - 1) / 2)) << "the second channel";

  spill(temporary("labels.idx"), idx(0x08, {4}, {7, 0, 255, 3}));
  EXPECT_EQ(readBack<int32_t>("idx:labels.idx", port("y", DType::I32, {4})),
            (std::vector<int32_t>{7, 0, 255, 3}));
  EXPECT_EQ(readBack<int64_t>("idx:labels.idx", port("y", DType::I64, {2})),
            (std::vector<int64_t>{7, 0}));
  spill(temporary("wide.idx"), idx(0x0c, {1}, {0x81, 2, 3, 4}));
  EXPECT_EQ(readBack<int32_t>("idx:wide.idx", port("y", DType::I32, {1}))[0],
            int32_t(0x81020304))
      << "big-endian";
  spill(temporary("float.idx"), idx(0x0d, {1}, {0x3f, 0xc0, 0, 0}));
  EXPECT_EQ(readBack<float>("idx:float.idx", port("x", DType::F32, {1}))[0],
            1.5f);
}

TEST(Idx, RefusalsNameExpectedAndActual) {
  Port x = port("x", DType::F32, {2, 2, 2});
  auto bad = [&](std::vector<uint8_t> bytes, const std::string &expected) {
    spill(temporary("bad.idx"), bytes);
    refuse("idx:bad.idx", x, "bad.idx", expected);
  };
  bad({}, "not an idx file");
  bad({1, 2, 3, 4}, "not an idx file");
  bad({0, 0, 7, 1}, "element type 0x07, expected 0x08");
  bad({0, 0, 8, 3, 0, 0}, "truncated: 3 extents need 16 bytes, the file has 6");
  bad(idx(8, {2, 2, 2}, {1}), "truncated: u8[2, 2, 2] has 8 bytes, the file "
                              "holds 1");
  bad(idx(8, {1}, {1, 2}), "too long");
  bad(idx(8, {0xffffffff, 0xffffffff, 0xffffffff}, {}), "too large");
  bad(idx(8, {2, 2, 3}, std::vector<uint8_t>(12)),
      "'x' expects f32[2, 2], the file holds u8[2, 3]");
  spill(temporary("float2.idx"), idx(0x0d, {2}, std::vector<uint8_t>(8)));
  refuse("idx:float2.idx", port("y", DType::I32, {2}), "float2.idx",
         "'y' expects i32[], the file holds f32[]");
  spill(temporary("big.idx"), idx(0x0c, {2}, {0, 0, 0, 1, 0, 0, 1, 0}));
  Port narrow = port("y", DType::I8, {2});
  DataLine line{{"y"}, "idx:big.idx", false, {}};
  auto source = must(open_data({&line, 1}, {&narrow, 1}, plainOptions()));
  EXPECT_EQ(errorOf(source->batch(0)).message,
            "samples from 0: sample 1 of those read holds 256, outside i8");
}

TEST(Npz, ReadsStoredAndDeflatedMembers) {
  Tensor tensor = must(Tensor::zeros(DType::I64, std::vector<int64_t>{4, 300}));
  for (size_t i = 0; i < tensor.count(); ++i)
    tensor.as<int64_t>()[i] = int64_t(i) << 33;
  must(write_npy(temporary("member.npy"), tensor.view(), true));
  std::vector<uint8_t> npy = contents(temporary("member.npy"));
  std::string path = temporary("two.npz");
  std::remove(path.c_str());
  int code = 0;
  zip_t *archive = zip_open(path.c_str(), ZIP_CREATE, &code);
  ASSERT_TRUE(archive);
  for (const char *name : {"stored.npy", "packed.npy"}) {
    zip_int64_t index =
        zip_file_add(archive, name,
                     zip_source_buffer(archive, npy.data(), npy.size(), 0), 0);
    zip_set_file_compression(archive, zip_uint64_t(index),
                             name[0] == 's' ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0);
  }
  ASSERT_EQ(zip_close(archive), 0);
  Port y = port("y", DType::I64, {2, 300});
  for (const char *spec : {"npz:two.npz#stored", "npz:two.npz#packed.npy"})
    EXPECT_EQ(readBack<int64_t>(spec, y)[599], int64_t(599) << 33) << spec;
  refuse("npz:two.npz#other", y, "two.npz",
         "no array 'other' in the file; it has stored, packed");
  refuse("npz:two.npz", y, "npz:two.npz", "expected npz:FILE#KEY");
  refuse("npz:member.npy#a", y, "member.npy", "not a zip file");
  std::vector<uint8_t> good = contents(path);
  for (size_t size = 0; size < good.size(); size += 97) {
    spill(temporary("cut.npz"), std::span(good).first(size));
    refuse("npz:cut.npz#stored", y, "cut.npz", "");
  }
  for (size_t at = 60; at < good.size(); at += 101) {
    std::vector<uint8_t> flipped = good;
    flipped[at] ^= 0x10;
    spill(temporary("flip.npz"), flipped);
    DataLine line{{"y"}, "npz:flip.npz#packed", false, {}};
    // Damage is found, or was not in what is read.
    if (auto source = open_data({&line, 1}, {&y, 1}, plainOptions())) {
      EXPECT_EQ(batchOf<int64_t>(**source, 0, "y")[599], int64_t(599) << 33);
    }
  }
}

TEST(Npy, UnsignedElementsAreData) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': "
                       "(2, 3), }";
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(header.size());
  text += '\0';
  write("u1.npy", text + header + "\xff\x01\x02\x03\x04\x05");
  EXPECT_EQ(readBack<float>("npy:u1.npy", port("x", DType::F32, {1, 3})),
            (std::vector<float>{255, 1, 2}));
  EXPECT_NE(errorOf(NpyFile::open(temporary("u1.npy"))).message.find("u8"),
            std::string::npos)
      << "a tensor has no such elements";
}

TEST(SafetensorsSource, ReadsATensorByName) {
  Tensor tensor = must(Tensor::zeros(DType::F32, std::vector<int64_t>{3, 2}));
  tensor.as<float>()[2] = 7;
  NamedView view{"a.b", tensor.view()};
  must(write_safetensors(temporary("s.safetensors"), {&view, 1}, {}, true));
  writeGz("s.safetensors.gz", contents(temporary("s.safetensors")));
  Port x = port("x", DType::F64, {2, 2});
  for (const char *spec :
       {"safetensors:s.safetensors#a.b", "safetensors:s.safetensors.gz#a.b"})
    EXPECT_EQ(readBack<double>(spec, x)[2], 7.0);
  refuse("safetensors:s.safetensors#c", x, "s.safetensors",
         "no tensor 'c' in the file; it has a.b");
}

TEST(Csv, ColumnsByNumberNameAndRange) {
  write("plain.csv", "1,2.5,3\n4,5e-1,6\r\n\n-7, +8 ,\"9\"");
  Port x = port("x", DType::F32, {3, 2}), y = port("y", DType::I64, {3});
  EXPECT_EQ(readBack<float>("csv:plain.csv#0-1", x),
            (std::vector<float>{1, 2.5, 4, 0.5, -7, 8}));
  EXPECT_EQ(readBack<float>("csv:plain.csv#2,0", x),
            (std::vector<float>{3, 1, 6, 4, 9, -7}));
  EXPECT_EQ(readBack<int64_t>("csv:plain.csv#2", y),
            (std::vector<int64_t>{3, 6, 9}));
  EXPECT_EQ(readBack<float>("csv:plain.csv", port("x", DType::F32, {3, 3}))[8],
            9.0f)
      << "no columns named: all";
  SampleOptions scaled;
  scaled.scale = 0.5;
  scaled.mean = {0, 1};
  EXPECT_EQ(readBack<float>("csv:plain.csv#0-1", x, scaled),
            (std::vector<float>{0.5, 0.25, 2, -0.75, -3.5, 3}));

  write("named.csv", "p-0,p-1,label\n1,2,9223372036854775807\n4,5,6\n7,8,9\n");
  writeGz("named.csv.gz", contents(temporary("named.csv")));
  for (const char *file : {"named.csv", "named.csv.gz"}) {
    std::string spec = std::string("csv:") + file;
    EXPECT_EQ(readBack<float>(spec + "#p-0-p-1", x)[3], 5.0f);
    EXPECT_EQ(readBack<float>(spec + "#p-1,0", x)[0], 2.0f);
    EXPECT_EQ(readBack<int64_t>(spec + "#label", y)[0], INT64_MAX) << "exact";
  }
}

TEST(Csv, AMarkOfUtf8IsNoPartOfTheFirstField) {
  Port x = port("x", DType::F32, {1, 2});
  write("marked.csv", "\xEF\xBB\xBF"
                      "a,b\n1,2\n");
  EXPECT_EQ(readBack<float>("csv:marked.csv#b,a", x),
            (std::vector<float>{2, 1}));
  write("marked.csv", "\xEF\xBB\xBF"
                      "1,2\n");
  EXPECT_EQ(readBack<float>("csv:marked.csv", x), (std::vector<float>{1, 2}));
}

TEST(Csv, RefusesWhatIsNoText) {
  Port x = port("x", DType::F32, {1, 2});
  auto bad = [&](std::string_view text, const std::string &expected) {
    write("bad.csv", text);
    refuse("csv:bad.csv", x, "bad.csv", expected);
  };
  bad({"a,b\n1,\0002\n", 9}, "line 2: not a text file (byte 0x00 at offset 6)");
  bad({"\0a,b\n1,2\n", 9}, "line 1: not a text file (byte 0x00 at offset 0)");
  bad({"\xFF\xFE"
       "1\0,\0002\0",
       8},
      "expected UTF-8 text, the file is UTF-16");
  bad({"\xFE\xFF\0001\0,\0002", 8}, "expected UTF-8 text, the file is UTF-16");
}

TEST(Csv, RefusalsNameLineAndColumn) {
  Port x = port("x", DType::F32, {1, 2}), y = port("y", DType::I32, {1});
  auto bad = [&](std::string_view text, const std::string &columns,
                 const Port &to, const std::string &expected) {
    write("bad.csv", text);
    refuse("csv:bad.csv" + columns, to, "bad.csv", expected);
  };
  bad("", "", x, "expected lines of numbers, the file has none");
  bad("a,b\n", "", x, "the file has a header alone");
  bad("1,2\n3\n", "", x, "line 2: 1 fields, expected 2 as in the first line");
  bad("a,b\n1,2\n3,x\x1b\n", "", x,
      "line 3, column 1 ('b'): 'x' expects a number, found 'x?'");
  bad("1,2\n3,\n", "", x, "line 2, column 1: 'x' expects a number, found ''");
  bad("1,2.0\n", "#1", y,
      "line 1, column 1: 'y' expects a whole number of i32, found '2.0'");
  bad("1,3000000000\n", "#1", y, "expects a whole number of i32, found");
  bad("1,2\n", "#2", y, "no column 2: the file has columns 0 to 1");
  bad("1,2\n", "#c", y, "no column 'c'; the file has no header");
  bad("a,b\n1,2\n", "#c", y, "no column 'c' in the header");
  bad("1,2\n", "#1-0", x, "columns '1-0': 0 comes before 1");
  bad("1,2\n", "#0-1", y,
      "a sample of 'y' takes 1 numbers, 2 columns are "
      "chosen");
}

TEST(Text, WindowsMoveByOne) {
  write("text.txt", "abcdefghij");
  std::vector<Port> ports = {port("tokens", DType::I32, {2, 3}),
                             port("labels", DType::I64, {2, 3})};
  DataLine line{{"tokens", "labels"}, "text:text.txt", false, {}};
  auto source = must(open_data({&line, 1}, ports, plainOptions()));
  EXPECT_EQ(source->batches(), 1u);
  EXPECT_EQ(source->left_over(), 1u) << "windows at 0, 3 and 6";
  EXPECT_EQ(batchOf<int32_t>(*source, 0, "tokens"),
            (std::vector<int32_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_EQ(batchOf<int64_t>(*source, 0, "labels"),
            (std::vector<int64_t>{'b', 'c', 'd', 'e', 'f', 'g'}));
  line.options.stride = 1;
  source = must(open_data({&line, 1}, ports, plainOptions()));
  EXPECT_EQ(source->batches(), 3u) << "7 windows, the last at 6";
  EXPECT_EQ(batchOf<int32_t>(*source, 2, "tokens")[5], 'h');

  writeGz("text.txt.gz", contents(temporary("text.txt")));
  line.spec = "text:text.txt.gz";
  source = must(open_data({&line, 1}, ports, plainOptions()));
  EXPECT_EQ(batchOf<int32_t>(*source, 2, "tokens")[5], 'h');

  const uint16_t tokens[] = {1, 50000, 3, 4, 5, 6, 7};
  spill(temporary("tokens.bin"),
        {reinterpret_cast<const uint8_t *>(tokens), sizeof tokens});
  EXPECT_EQ(
      readBack<int32_t>("tokens:tokens.bin", port("t", DType::I32, {2, 3})),
      (std::vector<int32_t>{1, 50000, 3, 4, 5, 6}));
}

TEST(Text, TheShareIsTheEndOfTheFile) {
  write("hundred.txt", std::string(80, 'a') + std::string(20, 'b'));
  std::vector<Port> ports = {port("tokens", DType::I32, {1, 4}),
                             port("labels", DType::I32, {1, 4})};
  DataLine line{{"tokens", "labels"}, "text:hundred.txt", false, {}};
  DataOptions options = plainOptions();
  options.held_out = 0.2;
  options.part = DataPart::Train;
  auto train = must(open_data({&line, 1}, ports, options));
  options.part = DataPart::Held;
  auto held = must(open_data({&line, 1}, ports, options));
  EXPECT_EQ(train->batches(), 19u) << "80 bytes, the last moved by one";
  EXPECT_EQ(held->batches(), 4u);
  for (uint64_t i = 0; i < 19; ++i)
    EXPECT_EQ(batchOf<int32_t>(*train, i, "labels")[3], 'a');
  for (uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(batchOf<int32_t>(*held, i, "tokens")[0], 'b');
  options.held_out = 1;
  EXPECT_NE(errorOf(open_data({&line, 1}, ports, options))
                .message.find("validation is 1, expected a share"),
            std::string::npos);
}

TEST(Text, Refusals) {
  write("short.txt", "abc");
  write("odd.bin", "abc");
  write("empty.txt", "");
  Port x = port("x", DType::I32, {1, 4});
  refuse("text:short.txt", x, "short.txt",
         "a window takes 4 bytes, there are "
         "3");
  refuse("text:empty.txt", x, "empty.txt", "there are 0");
  refuse("tokens:odd.bin", x, "odd.bin", "3 bytes are no whole number");
  refuse("text:absent.txt", x, "absent.txt", "cannot open the file");
  refuse("text:", x, "text:", "expected text:FILE");
  SampleOptions wide;
  wide.window = 8;
  refuse("text:short.txt", x, "short.txt",
         "window is 8, a sample of 'x' takes 4 bytes", wide);
  SampleOptions scaled;
  scaled.scale = 2;
  refuse("text:short.txt", x, "short.txt", "are for float inputs", scaled);
  write("plain.gz", "hello");
  refuse("text:plain.gz", x, "plain.gz", "not a gzip file");
  writeGz("cut.gz", bytesOf(std::string(5000, 'q') + "end"));
  std::vector<uint8_t> cut = contents(temporary("cut.gz"));
  cut.resize(cut.size() - 9);
  spill(temporary("cut.gz"), cut);
  refuse("text:cut.gz", x, "cut.gz", "damaged or truncated");
}

TEST(Sources, OptionsAreChecked) {
  spill(temporary("o.idx"), idx(0x08, {2, 3}, {1, 2, 3, 4, 5, 6}));
  Port x = port("x", DType::F32, {2, 3});
  auto with = [](auto set) {
    SampleOptions options;
    set(options);
    return options;
  };
  refuse("idx:o.idx", x, "o.idx", "mean has 2 numbers, expected 1 or 3",
         with([](auto &o) {
           o.mean = {1, 2};
         }));
  refuse("idx:o.idx", x, "o.idx", "std is 0, expected a finite number but 0",
         with([](auto &o) { o.std = {0}; }));
  std::vector<float> drawn = readBack<float>("normal:1", x);
  std::vector<float> moved = readBack<float>("normal:1", x, with([](auto &o) {
                                               o.mean = {0, 0, -4};
                                             }));
  EXPECT_EQ(moved[1], drawn[1]);
  EXPECT_NEAR(moved[5], drawn[5] + 4, 1e-6);
  refuse("randint:1#0,5", port("y", DType::I32, {2}), "randint:1",
         "are for float inputs", with([](auto &o) { o.scale = 2; }));
}

TEST(Sources, MadeUpIntegers) {
  std::vector<int64_t> y =
      readBack<int64_t>("randint:3#-2,3", port("y", DType::I64, {1000}));
  std::vector<int> seen(5);
  for (int64_t value : y) {
    ASSERT_TRUE(value >= -2 && value < 3);
    ++seen[size_t(value + 2)];
  }
  for (int times : seen)
    EXPECT_GT(times, 120);
  EXPECT_EQ(readBack<float>("randint:3#-2,3", port("y", DType::F32, {1000}))[5],
            float(y[5]));
  Port to = port("y", DType::I32, {2});
  for (const char *spec : {"randint:3#3,3", "randint:3#1", "randint:3#a,b",
                           "randint:3#0,9999999999"})
    refuse(spec, to, "randint:3", "LOW below HIGH");
  refuse("randint:3", to, "randint:3", "expected randint:SEED#LOW,HIGH");
}

TEST(Sources, WrapTakesTheNextEpoch) {
  spill(temporary("five.idx"), idx(0x08, {5}, {0, 1, 2, 3, 4}));
  Port x = port("x", DType::I32, {2});
  DataLine line{{"x"}, "idx:five.idx", false, {}};
  DataOptions options = plainOptions();
  options.wrap = true;
  auto source = must(open_data({&line, 1}, {&x, 1}, options));
  EXPECT_EQ(batchOf<int32_t>(*source, 2, "x"), (std::vector<int32_t>{4, 0}));
  EXPECT_EQ(batchOf<int32_t>(*source, 3, "x"), (std::vector<int32_t>{1, 2}));
  options.wrap = false;
  source = must(open_data({&line, 1}, {&x, 1}, options));
  EXPECT_EQ(batchOf<int32_t>(*source, 2, "x"), (std::vector<int32_t>{0, 1}))
      << "the fifth is left out";
  options.wrap = options.shuffle = true;
  source = must(open_data({&line, 1}, {&x, 1}, options));
  std::vector<int> seen(5);
  for (uint64_t i = 0; i < 5; ++i)
    for (int32_t value : batchOf<int32_t>(*source, i, "x"))
      ++seen[size_t(value)];
  EXPECT_EQ(seen, (std::vector<int>{2, 2, 2, 2, 2})) << "two whole epochs";
}

TEST(Sources, TheRemainderIsABatchOfItsOwnSize) {
  spill(temporary("seven.idx"), idx(0x08, {7}, {0, 1, 2, 3, 4, 5, 6}));
  std::vector<Port> ports = {port("x", DType::I32, {4}),
                             port("t", DType::F32, {4, 2})};
  std::vector<DataLine> lines = {{{"x"}, "idx:seven.idx", false, {}},
                                 {{"t"}, "uniform:1", false, {}}};
  auto source = must(open_data(lines, ports, plainOptions()));
  std::vector<float> second = batchOf<float>(*source, 1, "t");
  const Batch *rest = must(source->remainder());
  const TensorView *x = rest->find("x"), *t = rest->find("t");
  EXPECT_EQ(x->shape[0], 3);
  ASSERT_EQ(x->bytes.size(), 12u);
  EXPECT_EQ(x->bytes[8], std::byte(6));
  EXPECT_EQ(typeText(t->dtype, t->shape), "f32[3, 2]");
  EXPECT_EQ(std::memcmp(t->bytes.data(), second.data(), 24), 0);
  spill(temporary("eight.idx"), idx(0x08, {8}, std::vector<uint8_t>(8)));
  lines[0].spec = "idx:eight.idx";
  source = must(open_data(lines, ports, plainOptions()));
  EXPECT_EQ(errorOf(source->remainder()).code, Code::Usage);
}

TEST(Sources, ACommandLineKeepsTheLinesOptions) {
  DataLine given = must(parse_data_line("tokens,labels=text:other.txt"));
  std::vector<DataLine> model = {
      {{"tokens", "labels"}, "text:a.txt", false, {}}};
  model[0].options.window = 64;
  std::vector<DataLine> merged = replace_lines(model, {&given, 1});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].spec, "text:other.txt");
  EXPECT_EQ(merged[0].options.window, 64u);
}

} // namespace
} // namespace ampc::rt::test
