// `ampc cache`: what was compiled and is kept for later.
#include "tools/ampc/Commands.h"

#include "runtime/core/DiskCache.h"
#include "runtime/train/Metrics.h"
#include "tools/ampc-rt/RunCommands.h"

#include <fmt/format.h>

namespace ampc {

namespace {

using rt::DiskCache;

/// The options of `cache`.
struct CacheCommand {
  std::string action;
  bool json = false;
};

std::string toJson(const DiskCache &cache,
                   const std::vector<DiskCache::Item> &items) {
  std::string files;
  uint64_t bytes = 0;
  for (const DiskCache::Item &item : items) {
    files += fmt::format("{}{{\"name\":{},\"bytes\":{},\"whole\":{}}}",
                         files.empty() ? "" : ",", rt::json_string(item.name),
                         item.bytes, item.isWhole);
    bytes += item.bytes;
  }
  return fmt::format("{{\"folder\":{},\"bytes\":{},\"files\":[{}]}}\n",
                     rt::json_string(cache.folder()), bytes, files);
}

std::string toText(const DiskCache &cache,
                   const std::vector<DiskCache::Item> &items, bool isListed) {
  std::string text;
  uint64_t bytes = 0;
  for (const DiskCache::Item &item : items) {
    if (isListed)
      text += fmt::format("{}  {:>9} bytes{}\n", item.name, item.bytes,
                          item.isWhole ? "" : "  damaged");
    bytes += item.bytes;
  }
  return text +
         fmt::format("{}: {} files, {} bytes of at most {}\n",
                     cache.folder().empty() ? "no folder" : cache.folder(),
                     items.size(), bytes, rt::kCacheBytes);
}

rt::Expected<rt::Code> execute(const CacheCommand &options) {
  AMPC_ASSIGN(DiskCache cache, DiskCache::open());
  std::vector<DiskCache::Item> items = cache.items();
  if (options.action == "clear" || options.action == "verify") {
    std::vector<DiskCache::Item> left;
    for (DiskCache::Item &item : items)
      if (options.action == "verify" && item.isWhole)
        left.push_back(std::move(item));
      else
        AMPC_TRY(cache.remove(item.name));
    rt::put(stderr, fmt::format("{} removed\n", items.size() - left.size()));
    items = std::move(left);
  }
  rt::put(stdout, options.json
                      ? toJson(cache, items)
                      : toText(cache, items, options.action == "list"));
  return rt::Code::Ok;
}

} // namespace

Action addCache(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "cache", "Compiled plans and kernels that are kept: list, verify, clear");
  command->footer(
      "Example: ampc cache verify\n\nThe folder is AMPC_CACHE, else "
      "ampc/kernels where the system keeps caches; AMPC_CACHE=off: none.");
  auto options = std::make_shared<CacheCommand>();
  command
      ->add_option("action", options->action,
                   "size (default), list, verify (removes what is damaged) or "
                   "clear (removes all)")
      ->check(CLI::IsMember({"size", "list", "verify", "clear"}));
  command->add_flag("--json", options->json, "Print JSON");
  return [options] { return execute(*options); };
}

} // namespace ampc
