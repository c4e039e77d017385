// Files that appear whole or not at all.
#include "runtime/plan/FileIO.h"
#include "test/unit/runtime/TestPlans.h"

#include <atomic>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

namespace ampc::rt::test {
namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string textOf(const std::string &path) {
  std::vector<uint8_t> bytes = contents(path);
  return {bytes.begin(), bytes.end()};
}

/// Names in `folder` that begin as `path` does.
size_t filesBeside(const std::string &path) {
  std::filesystem::path name(path);
  size_t count = 0;
  for (auto &entry : std::filesystem::directory_iterator(name.parent_path()))
    count +=
        entry.path().filename().string().starts_with(name.filename().string());
  return count;
}

TEST(AtomicFile, HasTheModeOfAnOrdinaryFile) {
  mode_t before = ::umask(027);
  std::string path = temporary("mode.bin");
  {
    AtomicFile file = must(AtomicFile::create(path, false));
    must(file.write(bytesOf("x")));
    must(file.commit());
  }
  EXPECT_EQ(::umask(before), mode_t(027)) << "the mask is the process's own";
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, mode_t(0640));
}

TEST(AtomicFile, GoesWhereALinkLeads) {
  namespace fs = std::filesystem;
  std::string folder = temporary("links");
  fs::remove_all(folder);
  fs::create_directories(folder + "/far");
  fs::create_symlink("far/next", folder + "/link"); // relative to the link
  fs::create_symlink(folder + "/far/file", folder + "/far/next");
  for (std::string text : {"new", "newer"}) {
    AtomicFile file =
        must(AtomicFile::create(folder + "/link", text == "newer"));
    must(file.write(bytesOf(text)));
    must(file.commit());
    EXPECT_TRUE(fs::is_symlink(folder + "/link"));
    EXPECT_TRUE(fs::is_symlink(folder + "/far/next"));
    EXPECT_FALSE(fs::is_symlink(folder + "/far/file"));
    EXPECT_EQ(textOf(folder + "/far/file"), text);
  }
  EXPECT_EQ(errorOf(AtomicFile::create(folder + "/link", false)).code,
            Code::Usage);
  fs::create_symlink("circle", folder + "/circle");
  EXPECT_EQ(errorOf(AtomicFile::create(folder + "/circle", true)).message,
            "expected a file name, found links in a circle");
}

TEST(AtomicFile, NeverReplacesWhatAppearedMeanwhile) {
  std::string path = temporary("meanwhile.bin");
  {
    AtomicFile file = must(AtomicFile::create(path, false));
    must(file.write(bytesOf("new")));
    std::string_view old = "old";
    spill(path, {reinterpret_cast<const uint8_t *>(old.data()), old.size()});
    Error error = errorOf(file.commit());
    EXPECT_EQ(error.code, Code::Usage);
    EXPECT_EQ(error.message, "the file exists; give --force to replace it");
  }
  EXPECT_EQ(textOf(path), "old");
  EXPECT_EQ(filesBeside(path), 1u) << "the temporary file is gone";
  AtomicFile file = must(AtomicFile::create(path, true));
  must(file.write(bytesOf("newer")));
  must(file.commit());
  EXPECT_EQ(textOf(path), "newer");
}

TEST(AtomicFile, OneOfManyThreadsGetsTheName) {
  std::string path = temporary("race.bin");
  std::atomic<int> named = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, text = std::to_string(i)] {
      Expected<AtomicFile> file = AtomicFile::create(path, false);
      bool good = file && file->write(bytesOf(text)) && file->commit();
      (good ? named : refused)++;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(named, 1);
  EXPECT_EQ(refused, 7);
  EXPECT_EQ(textOf(path).size(), 1u);
  EXPECT_EQ(filesBeside(path), 1u);
}

TEST(AtomicFile, AFolderThatIsNotThereIsAnError) {
  Error error =
      errorOf(AtomicFile::create(temporary("absent/file.bin"), false));
  EXPECT_EQ(error.code, Code::Environment);
  EXPECT_NE(error.message.find("cannot create the file"), std::string::npos);
}

} // namespace
} // namespace ampc::rt::test
