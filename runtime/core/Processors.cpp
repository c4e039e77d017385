// Reads sched_getaffinity and /sys/devices/system/cpu.
#include "runtime/core/Processors.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sched.h>
#include <string_view>

namespace ampc::rt {

std::vector<int> allowed_processors() {
  // More than the 1024 of a cpu_set_t there may be.
  for (int count = CPU_SETSIZE; count <= 1 << 16; count *= 2) {
    cpu_set_t *set = CPU_ALLOC(count);
    if (!set)
      break;
    size_t bytes = CPU_ALLOC_SIZE(count);
    CPU_ZERO_S(bytes, set);
    std::vector<int> found;
    if (::sched_getaffinity(0, bytes, set) == 0)
      for (int processor = 0; processor < count; ++processor)
        if (CPU_ISSET_S(processor, bytes, set))
          found.push_back(processor);
    CPU_FREE(set);
    if (!found.empty())
      return found;
  }
  return {0};
}

std::vector<int> coresOf(std::span<const int> processors,
                         const std::string &root) {
  std::vector<int> cores;
  for (int processor : processors) {
    // `0,4`, `0-1`: the list begins with the first.
    std::ifstream file(fmt::format(
        "{}/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", root,
        processor));
    int first = processor;
    if (!(file >> first))
      first = processor;
    cores.push_back(first);
  }
  return cores;
}

std::vector<int> teamOf(std::span<const int> processors,
                        std::span<const int> cores, int first, int threads) {
  size_t count = processors.size();
  if (threads < 2 || size_t(threads) > count)
    return {};
  size_t start =
      size_t(std::ranges::find(processors, first) - processors.begin()) % count;
  std::vector<int> team, seconds, used;
  for (size_t i = 0; i < count; ++i) {
    size_t at = (start + i) % count;
    bool isNew = std::ranges::find(used, cores[at]) == used.end();
    (isNew ? team : seconds).push_back(processors[at]);
    used.push_back(cores[at]);
  }
  team.insert(team.end(), seconds.begin(), seconds.end());
  team.resize(size_t(threads));
  return team;
}

/// The value of a variable; empty where it is not set.
static std::string_view valueOf(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? value : "";
}

std::string thread_binding() {
  std::string_view value = valueOf("AMPC_BIND");
  return std::string(value == "on" || value == "off" ? value : "auto");
}

bool isRoomFor(int threads, size_t processors, const std::string &root) {
  // `0.20 0.18 0.12 1/80 11206`: of 80 threads one, which asks, runs.
  std::ifstream file(root + "/proc/loadavg");
  std::string average;
  int running = 0;
  if (!(file >> average >> average >> average >> running))
    return true;
  return size_t(std::max(running, 1) + threads - 1) <= processors;
}

std::string large_pages() {
  if (valueOf("AMPC_LARGE_PAGES") == "off")
    return "off";
  // `always [madvise] never`
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  for (std::string word; file >> word;)
    if (word.size() > 2 && word.front() == '[')
      return word.substr(1, word.size() - 2);
  return "off";
}

} // namespace ampc::rt
