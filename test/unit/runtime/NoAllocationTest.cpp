// A step allocates nothing: operator new and malloc are replaced and count.
// oneDNN keeps small books inside an execution, and so do a CUDA driver and its
// libraries; those calls come from a library or its OpenMP and are told apart
// by the caller's address. Everything else is a failure.
#include "runtime/api/Runtime.h"
#include "runtime/core/ThreadPool.h"
#include "test/unit/runtime/TestPlans.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>

extern "C" void *__libc_malloc(size_t);
extern "C" void *__libc_calloc(size_t, size_t);
extern "C" void *__libc_realloc(void *, size_t);
extern "C" void *__libc_memalign(size_t, size_t);

namespace {

constexpr int kMost = 1 << 16;
std::atomic<bool> watching{false};
std::atomic<int> count{0};
void *callers[kMost];

void note(void *caller) {
  if (!watching.load(std::memory_order_relaxed))
    return;
  int place = count.fetch_add(1);
  if (place < kMost)
    callers[place] = caller;
}

} // namespace

#define VISIBLE extern "C" __attribute__((visibility("default")))
VISIBLE void *malloc(size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_malloc(bytes);
}
VISIBLE void *calloc(size_t n, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_calloc(n, bytes);
}
VISIBLE void *realloc(void *old, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_realloc(old, bytes);
}
VISIBLE void *aligned_alloc(size_t alignment, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
VISIBLE int posix_memalign(void **to, size_t alignment, size_t bytes) {
  note(__builtin_return_address(0));
  *to = __libc_memalign(alignment, bytes);
  return *to ? 0 : 12;
}
#define NEW __attribute__((visibility("default"))) void *operator new
NEW(size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_malloc(bytes ? bytes : 1);
}
NEW[](size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_malloc(bytes ? bytes : 1);
}
__attribute__((visibility("default"))) void
operator delete(void *address) noexcept {
  std::free(address);
}
__attribute__((visibility("default"))) void operator delete(void *address,
                                                            size_t) noexcept {
  std::free(address);
}
__attribute__((visibility("default"))) void
operator delete[](void *address) noexcept {
  std::free(address);
}
__attribute__((visibility("default"))) void operator delete[](void *address,
                                                              size_t) noexcept {
  std::free(address);
}

namespace ampc::rt::test {
namespace {

/// Whether calls from this file are a library's own.
bool isForeign(const char *file) {
  for (const char *name :
       {"libdnnl", "libgomp", "libcuda", "libcublasLt", "libnvrtc"})
    if (std::strstr(file, name))
      return true;
  return false;
}

/// Allocations since `watching` was set that did not come from inside those.
int ownAllocations() {
  int own = 0;
  for (int i = 0; i < std::min(count.load(), kMost); ++i) {
    Dl_info info{};
    bool known = ::dladdr(callers[i], &info) && info.dli_fname;
    own += !(known && isForeign(info.dli_fname));
  }
  return own;
}

/// Who allocated first, for messages.
std::string firstCaller() {
  Dl_info info{};
  if (count.load() == 0 || !::dladdr(callers[0], &info) || !info.dli_fname)
    return "nobody known";
  return std::string(info.dli_fname) + " " +
         (info.dli_sname ? info.dli_sname : "");
}

TEST(NoAllocation, TheHookSeesAllocations) {
  count = 0;
  watching = true;
  auto *number = new std::atomic<int>(1);
  void *block = std::malloc(100);
  watching = false;
  EXPECT_GE(count.load(), 2);
  EXPECT_GE(ownAllocations(), 2);
  delete number;
  std::free(block);
}

class Steps : public ::testing::TestWithParam<int> {};

TEST_P(Steps, AllocateNothing) {
  Plan plan = must(Plan::from_bytes(regressionBytes()));
  Session session = must(Session::open(plan, {.threads = GetParam()}));
  Tensor x = must(Tensor::zeros(DType::F32, std::vector<int64_t>{8, 4}));
  Tensor t = must(Tensor::zeros(DType::F32, std::vector<int64_t>{8, 3}));
  Batch batch;
  batch.set("x", x);
  batch.set("t", t);
  must(session.step(batch)); // the first execution may fill oneDNN's tables
  count = 0;
  watching = true;
  bool good = true;
  for (int i = 0; i < 50; ++i)
    good &= session.step(batch).has_value();
  watching = false;
  EXPECT_TRUE(good);
  EXPECT_LE(count.load(), kMost) << "every caller was looked at";
  EXPECT_EQ(ownAllocations(), 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, Steps, ::testing::Values(1, 2, 4));

TEST(NoAllocation, AWindowAllocatesNothing) {
  // The step's work in every micro-batch, on variables that one may write; its
  // results from an entry of their own.
  fb::PlanT source = regression(), results = regression();
  for (auto &variable : source.variables)
    if (variable->role != fb::Role::Rate)
      variable->role = fb::Role::Accumulator;
  source.train->accumulate = 3;
  source.entries[0]->name = "micro_step";
  source.entries[0]->outputs[0]->kind = fb::IoKind::Output; // no result of it
  for (const char *name : {"window", "apply_step"}) {
    auto entry = std::make_unique<fb::EntryT>();
    entry->name = name;
    if (entry->name == "apply_step")
      entry->outputs = std::move(results.entries[0]->outputs);
    source.entries.push_back(std::move(entry));
  }
  auto bytes = must(writePlan(source, regressionSections()));
  Session session =
      must(Session::open(must(Plan::from_bytes(bytes)), {.threads = 2}));
  Tensor x = must(Tensor::zeros(DType::F32, std::vector<int64_t>{24, 4}));
  Tensor t = must(Tensor::zeros(DType::F32, std::vector<int64_t>{24, 3}));
  Batch batch;
  batch.set("x", x);
  batch.set("t", t);
  must(session.step(batch));
  count = 0;
  watching = true;
  bool good = true;
  for (int i = 0; i < 50; ++i)
    good &= session.step(batch).has_value();
  watching = false;
  EXPECT_TRUE(good);
  EXPECT_LE(count.load(), kMost) << "every caller was looked at";
  EXPECT_EQ(ownAllocations(), 0);
}

TEST(NoAllocation, AStepWithoutContractionsAllocatesNothingAtAll) {
  fb::PlanT source = regression();
  auto &list = source.entries[0]->instructions;
  for (size_t i = list.size(); i-- > 0;)
    if (list[i]->op.type == fb::Op::Contraction)
      list.erase(list.begin() + std::ptrdiff_t(i));
  auto bytes = must(writePlan(source, regressionSections()));
  Session session =
      must(Session::open(must(Plan::from_bytes(bytes)), {.threads = 2}));
  Tensor x = must(Tensor::zeros(DType::F32, std::vector<int64_t>{8, 4}));
  Tensor t = must(Tensor::zeros(DType::F32, std::vector<int64_t>{8, 3}));
  Batch batch;
  batch.set("x", x);
  batch.set("t", t);
  count = 0;
  watching = true;
  bool good = true;
  for (int i = 0; i < 50; ++i)
    good &= session.step(batch).has_value();
  watching = false;
  EXPECT_TRUE(good);
  EXPECT_EQ(kOnCuda ? ownAllocations() : count.load(), 0) << firstCaller();
}

} // namespace
} // namespace ampc::rt::test
