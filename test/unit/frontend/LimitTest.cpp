// The limits of elaboration and hostile inputs: each ends soon, with its
// message. The limits of the text itself are in RecoveryTest.cpp.
#include "test/unit/frontend/Load.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <ctime>

using namespace ampc::model;

namespace {

std::string repeated(llvm::StringRef text, unsigned count) {
  std::string result;
  result.reserve(text.size() * count);
  for (unsigned i = 0; i < count; ++i)
    result += text;
  return result;
}

/// Fails if the scope takes more than ten seconds of this process's time: that
/// of a busy machine's clock says little.
struct Deadline {
  std::clock_t start = std::clock();
  ~Deadline() { EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 10); }
};

TEST(Limits, Lists) {
  Deadline deadline;
  EXPECT_EQ(errorsOfBody("a = range(1000000)\nb = len(a)"), "");
  EXPECT_EQ(errorsOfBody("a = range(1000001)"),
            "2:5 a list has at most 1000000 items\n");
  EXPECT_EQ(errorsOfBody("a = range(600000)\nb = a + a"),
            "3:7 a list has at most 1000000 items, this one has 1200000\n");
  EXPECT_EQ(errorsOfBody("a = range(10 ** 18)"),
            "2:5 a list has at most 1000000 items\n");
  // No list is too long, but there are too many.
  EXPECT_EQ(errorsOfBody("a = range(900000)\nrepeat 1000 { b = a[1:] }"),
            "3:20 lists of more than 16000000 items in all are made\n");
}

TEST(Limits, Strings) {
  Deadline deadline;
  EXPECT_EQ(errorsOf("model m { a = \"" + repeated("s", 65536) + "\" }"), "");
  EXPECT_EQ(errorsOf("model m { a = \"" + repeated("s", 65537) + "\" }"),
            "1:15 a string is at most 65536 bytes long\n");
  EXPECT_EQ(errorsOfBody("a = \"s\"\nrepeat 17 { a = a + a }"),
            "3:19 a string is at most 65536 bytes long\n");
}

TEST(Limits, Statements) {
  Deadline deadline;
  EXPECT_EQ(errorsOfBody("repeat 1000000000 { }"),
            "2:1 more than 10000000 statements are evaluated\n");
  EXPECT_EQ(errorsOfBody("repeat 1000000000 { a = 1 }"),
            "2:21 more than 10000000 statements are evaluated\n");
  EXPECT_EQ(errorsOfBody("repeat 100000 { repeat 100000 { } }"),
            "2:17 more than 10000000 statements are evaluated\n");
}

TEST(Limits, Operations) {
  Deadline deadline;
  EXPECT_EQ(
      errorsOfBody("input x: f32[2]\nh = x\nrepeat 1000000000 { h = h + 1 }"),
      "4:27 loop makes more than 1000000 operations\n");
}

TEST(Limits, OperationsOfLayers) {
  Deadline deadline;
  EXPECT_EQ(errorsOfBody("input x: f32[2, 2]\nh = x\n"
                         "repeat 1000000 as b { h = linear(h, 2) }"),
            "4:27 loop makes more than 1000000 operations\n");
}

TEST(Limits, OperationsOutsideALoop) {
  Deadline deadline;
  // 1,000 calls of 1,024 operations each.
  std::string body = "input x: f32[2]\ndef f(x) { return x" +
                     repeated(" + x", 1024) + " }\ny = x\n" +
                     repeated("y = f(y)\n", 1000);
  EXPECT_NE(
      errorsOfBody(body).find("the model has more than 1000000 operations\n"),
      std::string::npos);
}

TEST(Limits, Extents) {
  EXPECT_EQ(errorsOfBody("dim n = 2 ** 48 - 1\ninput x: f32[n]"), "");
  EXPECT_EQ(errorsOfBody("dim n = 2 ** 48"),
            "2:11 dim 'n' must be below 2^48, got 281474976710656\n");
  EXPECT_EQ(errorsOfBody("input x: f32[2 ** 24, 2 ** 24]"),
            "2:10 the shape f32[16777216, 16777216] has 2^48 elements "
            "or more\n");
  EXPECT_EQ(errorsOfBody("input x: f32[2 ** 47]\ny = expand(x, [2, 2 ** 47])"),
            "3:15 the shape f32[2, 140737488355328] has 2^48 elements "
            "or more\n");
  EXPECT_EQ(errorsOfBody("input x: f32[2 ** 30, 1]\ninput y: f32[2 ** 30]\n"
                         "z = x + y"),
            "4:7 the shape f32[1073741824, 1073741824] has 2^48 elements "
            "or more\n");
}

TEST(Limits, CallsThatGrowExponentially) {
  Deadline deadline;
  std::string body = "input x: f32[2]\ndef g_0(x) { return x + x }\n";
  for (int i = 1; i < 60; ++i) {
    std::string inner = "g_" + std::to_string(i - 1);
    body += "def g_" + std::to_string(i) + "(x) { return " + inner + "(" +
            inner + "(x)) }\n";
  }
  EXPECT_NE(errorsOfBody(body + "y = g_59(x)").find("more than"),
            std::string::npos);
}

TEST(Hostile, ListsThatShareWhatTheyHold) {
  Deadline deadline;
  const std::string twins = "input x: f32[2]\n"
                            "a, b = [1], [1]\n"
                            "repeat 60 { a, b = [a, a], [b, b] }\n";
  EXPECT_EQ(
      errorsOfBody(twins + "c = a == b"),
      "5:7 lists of more than 1000000 values in all cannot be compared\n");
  EXPECT_EQ(errorsOfBody(twins + "const c = a\nd = sum(x, axis = a)"),
            "6:19 expected a compile-time int, got list\n");
  EXPECT_EQ(errorsOfBody(twins + "c = tensor(a)"),
            "5:12 'tensor' takes lists of at most 16000000 values in all\n");
}

TEST(Hostile, ListsUsedInLoops) {
  Deadline deadline;
  EXPECT_EQ(errorsOfBody("a = range(1000000)\n"
                         "repeat 10000000 { b = tensor(a) }"),
            "3:19 more than 50000000 expressions are evaluated\n");
}

TEST(Hostile, LongStatementsInLoops) {
  Deadline deadline;
  EXPECT_EQ(
      errorsOfBody("repeat 10000000 { a = 1" + repeated(" + 1", 4000) + " }"),
      "2:19 more than 50000000 expressions are evaluated\n");
}

TEST(Hostile, ComparisonsOfListsInLoops) {
  Deadline deadline;
  EXPECT_EQ(errorsOfBody("xs = range(999000)\n"
                         "repeat 10000000 { a = xs == xs }"),
            "3:19 more than 50000000 expressions are evaluated\n");
}

TEST(Hostile, LongAssignmentsInLoops) {
  Deadline deadline;
  EXPECT_EQ(errorsOfBody("xs = range(1000)\nrepeat 10000000 { " +
                         repeated("_, ", 999) + "_ = xs }"),
            "3:19 more than 50000000 expressions are evaluated\n");
  // The block that is not taken because of an error is passed over each time.
  EXPECT_EQ(errorsOfBody("repeat 10000000 { if q { " +
                         repeated("a = 1\n", 10000) + " } }"),
            "2:22 unknown name 'q'\n");
}

TEST(Hostile, SharesAndScopes) {
  Deadline deadline;
  EXPECT_EQ(errorsOfBody("input x: f32[2]\ndef f(x) { return relu(x) }\n"
                         "repeat 100000 as b { y = f(x, share = \"s\") }"),
            "");
}

TEST(Hostile, Patterns) {
  Deadline deadline;
  std::string text =
      "model m {\n" + std::string("  repeat 1000 as ") + repeated("a", 5000) +
      " { param p: f32[] = 0 }\n}\ninit {\n" +
      repeated("  \"" + repeated("*a", 2000) + "*\" = 0\n", 300) + "}\n";
  std::string errors = errorsOf(text);
  EXPECT_EQ(errors.substr(errors.find(' ')),
            " the patterns are compared with too many names\n");
}

TEST(Hostile, ManyNamesAndErrors) {
  Deadline deadline;
  std::string body;
  for (int i = 0; i < 200000; ++i)
    body += "name_of_some_length_that_is_long_enough_" + std::to_string(i) +
            " = 1\n";
  for (int i = 0; i < 30; ++i)
    body += "a = name_of_some_length_that_is_long_enough_x" +
            std::to_string(i) + "\n";
  Loaded loaded("model m {\n" + body + "}\n");
  EXPECT_EQ(loaded.diagnostics.errors().size(), 20u);
}

TEST(Hostile, DeepAndLongExpressions) {
  Deadline deadline;
  EXPECT_NE(
      errorsOfBody("a = " + repeated("(", 200000) + "1" + repeated(")", 200000))
          .find("nested more than 256 deep\n"),
      std::string::npos);
  EXPECT_NE(errorsOfBody("a = 1" + repeated(" + 1", 200000))
                .find("an expression has at most 4096 operators\n"),
            std::string::npos);
  EXPECT_NE(errorsOfBody("a = " + repeated("-", 200000) + "1")
                .find("an expression has at most 4096 operators\n"),
            std::string::npos);
}

TEST(Hostile, Recursion) {
  Deadline deadline;
  EXPECT_EQ(errorsOfBody("def f(x) { return g(x) }\n"
                         "def g(x) { return f(x) }\n"
                         "a = f(1)"),
            "2:19 unknown function 'g'\n  3:5 declared after its use\n");
  EXPECT_EQ(errorsOfBody("def f(x, g = f(1)) { return x }\na = f(1)"),
            "2:14 'f' calls itself\n  2:5 declared here\n");
}

TEST(Hostile, Truncated) {
  Deadline deadline;
  const std::string model = "model m {\n"
                            "  dim n = 4\n"
                            "  input x: f32[n, 2]\n"
                            "  def f(x, k = 2) { return linear(x[:, none, 0], "
                            "k, name = \"a\") }\n"
                            "  eval { metric m2 = mean(x) }\n"
                            "  loss = mean(f(x))\n"
                            "}\n"
                            "train { optimizer = sgd(lr = 1)\n"
                            "  group \"*\" { frozen = true } }\n"
                            "data { x = normal(1, scale = 2) }\n";
  EXPECT_EQ(errorsOf(model), "");
  for (size_t size = 0; size < model.size(); ++size) {
    Loaded loaded(llvm::StringRef(model).take_front(size));
    EXPECT_EQ(bool(loaded.module), !loaded.diagnostics.failed()) << size;
  }
}

TEST(Hostile, FilesThatAreNoText) {
  Deadline deadline;
  llvm::SmallString<128> path;
  int file;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("limit", "amp", file, path));
  // 100 MB with nothing in them: they must not be read.
  std::error_code resized = llvm::sys::fs::resize_file_sparse(file, 100000000);
  llvm::raw_fd_ostream(file, /*shouldClose=*/true).flush();
  ASSERT_FALSE(resized);
  mlir::MLIRContext context;
  Diagnostics diagnostics;
  EXPECT_FALSE(loadModelFile(context, path, {}, diagnostics));
  EXPECT_EQ(diagnostics.str(),
            (path + ":1:1: error: the file is larger than 16 MiB (100000000 "
                    "bytes)\n")
                .str());
  llvm::sys::fs::remove(path);

  Diagnostics folder;
  EXPECT_FALSE(loadModelFile(context, AMPC_SOURCE_DIR, {}, folder));
  EXPECT_EQ(folder.str(),
            "error: cannot read '" AMPC_SOURCE_DIR "': Is a directory\n");
  Diagnostics device;
  EXPECT_FALSE(loadModelFile(context, "/dev/zero", {}, device));
  EXPECT_EQ(device.str(),
            "/dev/zero:1:1: error: the file is larger than 16 MiB\n");
}

} // namespace
