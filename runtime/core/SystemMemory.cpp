// Reads /proc/meminfo, /proc/self/status and the memory controllers of versions
// 1 and 2 of control groups.
#include "runtime/core/SystemMemory.h"

#include <algorithm>
#include <fstream>

namespace ampc::rt {

namespace {

/// The number that follows the word `key` in the file.
std::optional<uint64_t> numberAfter(const std::string &path,
                                    const std::string &key) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    uint64_t number = 0;
    if (word == key && file >> number)
      return number;
  }
  return std::nullopt;
}

/// The number that the file holds; nothing for `max`.
std::optional<uint64_t> numberIn(const std::string &path) {
  std::ifstream file(path);
  uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// What the group whose files stand in `folder` may still take. Cached files
/// that nobody maps count as used there, but are given up first.
std::optional<uint64_t> leftIn(const std::string &folder, const char *limit,
                               const char *usage, const char *cached) {
  std::optional<uint64_t> most = numberIn(folder + "/" + limit),
                          used = numberIn(folder + "/" + usage);
  if (!most || !used)
    return std::nullopt;
  uint64_t idle = numberAfter(folder + "/memory.stat", cached).value_or(0);
  return *most - std::min(*most, *used - std::min(*used, idle));
}

} // namespace

std::optional<uint64_t> residentMemory(const std::string &root) {
  std::optional<uint64_t> bytes =
      numberAfter(root + "/proc/self/status", "RssAnon:");
  if (bytes)
    *bytes *= 1024;
  return bytes;
}

std::optional<uint64_t> availableMemory(const std::string &root) {
  std::optional<uint64_t> least =
      numberAfter(root + "/proc/meminfo", "MemAvailable:");
  if (least)
    *least *= 1024;
  auto take = [&](std::optional<uint64_t> bytes) {
    if (bytes)
      least = std::min(least.value_or(*bytes), *bytes);
  };
  // `ID:CONTROLLERS:PATH`; version 2 names no controllers. Every group up to
  // the root bounds what is in it.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && controllers != "memory")
      continue;
    bool unified = controllers.empty();
    std::string path = line.substr(second + 1);
    while (true) {
      std::string folder =
          root + "/sys/fs/cgroup" + (unified ? "" : "/memory") + path;
      take(unified
               ? leftIn(folder, "memory.max", "memory.current", "inactive_file")
               : leftIn(folder, "memory.limit_in_bytes",
                        "memory.usage_in_bytes", "total_inactive_file"));
      size_t slash = path.find_last_of('/');
      if (path.empty() || slash == std::string::npos)
        break;
      path.resize(slash);
    }
  }
  return least;
}

} // namespace ampc::rt
