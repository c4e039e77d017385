// The cache of compiled kernels: what it finds, what it throws away, who may
// share it.
#include "runtime/core/DiskCache.h"
#include "runtime/device/cuda/Kernels.h"
#include "test/unit/runtime/Environment.h"
#include "test/unit/runtime/TestPlans.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ampc::rt {
namespace {

namespace fs = std::filesystem;
using test::errorOf;
using test::must;
using test::temporary;

using Bytes = std::vector<std::byte>;

Bytes codeOf(char letter, size_t bytes = 1000) {
  return Bytes(bytes, std::byte(letter));
}

/// What the cache has under a name.
std::optional<Bytes> found(const DiskCache &cache, const std::string &name) {
  std::optional<FileBytes> file = cache.find(name);
  if (!file)
    return std::nullopt;
  return Bytes(file->bytes().begin(), file->bytes().end());
}

std::string fresh(const std::string &name) {
  std::string folder = temporary(name);
  fs::remove_all(folder);
  return folder;
}

TEST(DiskCache, NamesDependOnEverything) {
  std::vector<std::string> options{"-a", "-b"}, other{"-a", "-bc"},
      joined{"-a-b"};
  std::string name = cuda::cacheName("text", options, {13, 0});
  EXPECT_EQ(name, cuda::cacheName("text", options, {13, 0}));
  EXPECT_NE(name, cuda::cacheName("texT", options, {13, 0}));
  EXPECT_NE(name, cuda::cacheName("text", other, {13, 0}));
  EXPECT_NE(name, cuda::cacheName("text", joined, {13, 0}));
  EXPECT_NE(name, cuda::cacheName("text", options, {13, 1}));
}

TEST(DiskCache, KeepsWhatIsStored) {
  std::string folder = fresh("cache-keeps");
  DiskCache cache = must(DiskCache::open(folder));
  EXPECT_FALSE(cache.find("a.kernel"));
  cache.store("a.kernel", codeOf('a'));
  EXPECT_EQ(found(cache, "a.kernel"), codeOf('a'));
  EXPECT_EQ(found(must(DiskCache::open(folder)), "a.kernel"), codeOf('a'));
  struct stat status {};
  ASSERT_EQ(::stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u) << "the folder is the user's alone";
}

TEST(DiskCache, J02DamagedFilesAreNotServed) {
  std::string folder = fresh("cache-damaged"), file = folder + "/a.kernel";
  DiskCache cache = must(DiskCache::open(folder));
  cache.store("a.kernel", codeOf('a'));
  std::vector<uint8_t> whole = test::contents(file);
  for (size_t length : {size_t(0), size_t(5), size_t(64), whole.size() - 1}) {
    test::spill(file, std::span(whole).first(length));
    EXPECT_FALSE(cache.find("a.kernel")) << length << " bytes";
    ASSERT_EQ(cache.items().size(), 1u);
    EXPECT_FALSE(cache.items()[0].isWhole);
  }
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::vector<uint8_t> bent = whole;
    bent[at] ^= 1;
    test::spill(file, bent);
    EXPECT_FALSE(cache.find("a.kernel")) << "byte " << at;
  }
  // Another kernel's file under this name.
  cache.store("b.kernel", codeOf('b'));
  fs::rename(folder + "/b.kernel", file);
  EXPECT_FALSE(cache.find("a.kernel"));
  cache.store("a.kernel", codeOf('a'));
  EXPECT_EQ(found(cache, "a.kernel"), codeOf('a')) << "it is replaced";
  EXPECT_TRUE(cache.items()[0].isWhole);
}

TEST(DiskCache, TheLongestUnusedGoFirst) {
  std::string folder = fresh("cache-limit");
  DiskCache cache = must(DiskCache::open(folder, 3600));
  for (char letter : {'a', 'b', 'c'}) {
    std::string name = std::string(1, letter) + ".kernel";
    cache.store(name, codeOf(letter));
    // Times of files are coarse.
    fs::last_write_time(folder + "/" + name,
                        fs::file_time_type::clock::now() -
                            std::chrono::hours('z' - letter));
  }
  ASSERT_TRUE(cache.find("a.kernel")); // used: now b is the oldest
  cache.store("d.kernel", codeOf('d'));
  EXPECT_FALSE(cache.find("b.kernel"));
  for (const char *name : {"a.kernel", "c.kernel", "d.kernel"})
    EXPECT_TRUE(cache.find(name)) << name;
}

TEST(DiskCache, AFolderOfOthersIsRefused) {
  std::string folder = fresh("cache-shared");
  fs::create_directories(folder);
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  Error error = errorOf(DiskCache::open(folder));
  EXPECT_EQ(error.code, Code::Environment);
  EXPECT_EQ(error.where, folder);
  EXPECT_NE(error.message.find("can be written by other users"),
            std::string::npos)
      << error.message;
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  must(DiskCache::open(folder));
  if (::geteuid() != 0)
    return;
  ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
  EXPECT_NE(
      errorOf(DiskCache::open(folder)).message.find("belongs to another user"),
      std::string::npos);
}

TEST(DiskCache, WorksWithoutAFolder) {
  // A file stands where the folder would, so that none can be made.
  std::string blocked = temporary("cache-blocked");
  test::spill(blocked, std::vector<uint8_t>(1));
  for (const std::string &folder : {blocked, blocked + "/below"}) {
    DiskCache cache = must(DiskCache::open(folder));
    cache.store("a.kernel", codeOf('a'));
    EXPECT_FALSE(cache.find("a.kernel"));
    EXPECT_TRUE(cache.items().empty());
  }
  test::Environment own("AMPC_CACHE", nullptr), home("HOME", nullptr),
      caches("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(must(DiskCache::open()).folder(), "");
  test::Environment off("AMPC_CACHE", "off");
  EXPECT_EQ(must(DiskCache::open()).folder(), "");
  EXPECT_EQ(must(DiskCache::open("off")).folder(), "");
}

TEST(DiskCache, J02ReadOnlyServesWhatItHas) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root writes everywhere";
  std::string folder = fresh("cache-read-only");
  DiskCache cache = must(DiskCache::open(folder));
  cache.store("a.object", codeOf('a'));
  ASSERT_EQ(::chmod(folder.c_str(), 0500), 0);
  DiskCache again = must(DiskCache::open(folder));
  EXPECT_EQ(found(again, "a.object"), codeOf('a'));
  again.store("b.object", codeOf('b'));
  EXPECT_FALSE(again.find("b.object"));
  ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
}

TEST(DiskCache, KindsShareTheLimitAndWhatACrashLeavesGoes) {
  std::string folder = fresh("cache-kinds");
  DiskCache cache = must(DiskCache::open(folder, 2200));
  auto age = [&](const std::string &name, int hours) {
    fs::last_write_time(folder + "/" + name, fs::file_time_type::clock::now() -
                                                 std::chrono::hours(hours));
  };
  for (const char *name : {"a.plan.tmp-0123", "b.plan.tmp-0123", "note.txt"})
    test::spill(folder + "/" + name, std::vector<uint8_t>(3000));
  age("a.plan.tmp-0123", 25);
  age("note.txt", 25);
  std::vector<DiskCache::Entry> entries;
  std::vector<std::byte> code = codeOf('x');
  for (const char *name : {"c.kernel", "d.object"})
    entries.push_back({name, code});
  cache.store(entries);
  EXPECT_EQ(cache.items().size(), 2u);
  EXPECT_FALSE(fs::exists(folder + "/a.plan.tmp-0123"));
  EXPECT_TRUE(fs::exists(folder + "/b.plan.tmp-0123")) << "its maker may live";
  EXPECT_TRUE(fs::exists(folder + "/note.txt")) << "not the cache's";
  age("c.kernel", 2);
  cache.store("e.plan", code);
  EXPECT_FALSE(cache.find("c.kernel"));
  EXPECT_TRUE(cache.find("d.object"));
  EXPECT_TRUE(cache.find("e.plan"));
}

TEST(DiskCache, ContentsStartOnALine) {
  // A plan's sections are read where they stand.
  std::string folder = fresh("cache-aligned");
  DiskCache cache = must(DiskCache::open(folder));
  cache.store("a.plan", codeOf('a'));
  std::optional<FileBytes> file = cache.find("a.plan");
  ASSERT_TRUE(file);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->bytes().data()) % 64, 0u);
  file->dropBack(10);
  EXPECT_EQ(file->bytes().size(), 990u);
  file->dropBack(5000);
  EXPECT_TRUE(file->bytes().empty());
}

TEST(DiskCache, J02SixteenProcessesShareOne) {
  std::string folder = fresh("cache-many");
  constexpr int kProcesses = 16, kKernels = 8;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // Each finds every kernel missing or whole, and leaves it stored.
      Expected<DiskCache> cache = DiskCache::open(folder);
      bool good = cache.has_value();
      for (int round = 0; good && round < 20; ++round)
        for (int k = 0; k < kKernels; ++k) {
          std::string name = fmt::format("{}.kernel", k);
          Bytes code = codeOf(char('a' + k), size_t(50000 + k));
          auto here = found(*cache, name);
          good &= !here || *here == code;
          if (!here || (round + p) % 5 == 0)
            cache->store(name, code);
        }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  std::vector<DiskCache::Item> items = must(DiskCache::open(folder)).items();
  EXPECT_EQ(items.size(), size_t(kKernels));
  for (const DiskCache::Item &item : items)
    EXPECT_TRUE(item.isWhole) << item.name;
  size_t files = 0;
  for ([[maybe_unused]] auto &entry : fs::directory_iterator(folder))
    ++files;
  EXPECT_EQ(files, size_t(kKernels)) << "nothing half written is left";
}

} // namespace
} // namespace ampc::rt
