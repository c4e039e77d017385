// The cache of compiled kernels: what it finds, what it throws away, who may
// share it.
#include "runtime/device/cuda/KernelCache.h"
#include "test/unit/runtime/Environment.h"
#include "test/unit/runtime/TestPlans.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ampc::rt::cuda {
namespace {

namespace fs = std::filesystem;
using test::errorOf;
using test::must;
using test::temporary;

KernelCode codeOf(char letter, size_t bytes = 1000) {
  return KernelCode(bytes, std::byte(letter));
}

std::string fresh(const std::string &name) {
  std::string folder = temporary(name);
  fs::remove_all(folder);
  return folder;
}

TEST(KernelCache, NamesDependOnEverything) {
  std::vector<std::string> options{"-a", "-b"}, other{"-a", "-bc"},
      joined{"-a-b"};
  std::string name = KernelCache::nameOf({"text", options, {13, 0}});
  EXPECT_EQ(name, KernelCache::nameOf({"text", options, {13, 0}}));
  EXPECT_NE(name, KernelCache::nameOf({"texT", options, {13, 0}}));
  EXPECT_NE(name, KernelCache::nameOf({"text", other, {13, 0}}));
  EXPECT_NE(name, KernelCache::nameOf({"text", joined, {13, 0}}));
  EXPECT_NE(name, KernelCache::nameOf({"text", options, {13, 1}}));
}

TEST(KernelCache, KeepsWhatIsStored) {
  std::string folder = fresh("cache-keeps");
  KernelCache cache = must(KernelCache::open(folder));
  EXPECT_FALSE(cache.find("a.kernel"));
  cache.store("a.kernel", codeOf('a'));
  EXPECT_EQ(cache.find("a.kernel"), codeOf('a'));
  EXPECT_EQ(must(KernelCache::open(folder)).find("a.kernel"), codeOf('a'));
  struct stat status {};
  ASSERT_EQ(::stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u) << "the folder is the user's alone";
}

TEST(KernelCache, DamagedFilesAreNotServed) {
  std::string folder = fresh("cache-damaged"), file = folder + "/a.kernel";
  KernelCache cache = must(KernelCache::open(folder));
  cache.store("a.kernel", codeOf('a'));
  std::vector<uint8_t> whole = test::contents(file);
  for (size_t length : {size_t(0), size_t(5), size_t(32), whole.size() - 1}) {
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
  EXPECT_EQ(cache.find("a.kernel"), codeOf('a')) << "it is replaced";
  EXPECT_TRUE(cache.items()[0].isWhole);
}

TEST(KernelCache, TheLongestUnusedGoFirst) {
  std::string folder = fresh("cache-limit");
  KernelCache cache = must(KernelCache::open(folder, 3500));
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

TEST(KernelCache, AFolderOfOthersIsRefused) {
  std::string folder = fresh("cache-shared");
  fs::create_directories(folder);
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  Error error = errorOf(KernelCache::open(folder));
  EXPECT_EQ(error.code, Code::Environment);
  EXPECT_EQ(error.where, folder);
  EXPECT_NE(error.message.find("can be written by other users"),
            std::string::npos)
      << error.message;
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  must(KernelCache::open(folder));
  if (::geteuid() != 0)
    return;
  ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
  EXPECT_NE(errorOf(KernelCache::open(folder))
                .message.find("belongs to another user"),
            std::string::npos);
}

TEST(KernelCache, WorksWithoutAFolder) {
  // A file stands where the folder would, so that none can be made.
  std::string blocked = temporary("cache-blocked");
  test::spill(blocked, std::vector<uint8_t>(1));
  for (const std::string &folder : {blocked, blocked + "/below"}) {
    KernelCache cache = must(KernelCache::open(folder));
    cache.store("a.kernel", codeOf('a'));
    EXPECT_FALSE(cache.find("a.kernel"));
    EXPECT_TRUE(cache.items().empty());
  }
  test::Environment own("AMPC_CACHE", nullptr), home("HOME", nullptr),
      caches("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(must(KernelCache::open()).folder(), "");
}

TEST(KernelCache, SixteenProcessesShareOne) {
  std::string folder = fresh("cache-many");
  constexpr int kProcesses = 16, kKernels = 8;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // Each finds every kernel missing or whole, and leaves it stored.
      Expected<KernelCache> cache = KernelCache::open(folder);
      bool good = cache.has_value();
      for (int round = 0; good && round < 20; ++round)
        for (int k = 0; k < kKernels; ++k) {
          std::string name = fmt::format("{}.kernel", k);
          KernelCode code = codeOf(char('a' + k), size_t(50000 + k));
          auto found = cache->find(name);
          good &= !found || *found == code;
          if (!found || (round + p) % 5 == 0)
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
  std::vector<KernelCache::Item> items =
      must(KernelCache::open(folder)).items();
  EXPECT_EQ(items.size(), size_t(kKernels));
  for (const KernelCache::Item &item : items)
    EXPECT_TRUE(item.isWhole) << item.name;
  size_t files = 0;
  for ([[maybe_unused]] auto &entry : fs::directory_iterator(folder))
    ++files;
  EXPECT_EQ(files, size_t(kKernels)) << "nothing half written is left";
}

} // namespace
} // namespace ampc::rt::cuda
