// `ampc cache`: the compiled CUDA kernels that are kept for later.
#include "tools/ampc/Commands.h"

#include "runtime/device/cuda/KernelCache.h"
#include "runtime/train/Metrics.h"
#include "tools/ampc-rt/RunCommands.h"

#include <fmt/format.h>

namespace ampc {

namespace {

using rt::cuda::KernelCache;

/// The options of `cache`.
struct CacheCommand {
  std::string action;
  bool json = false;
};

std::string toJson(const KernelCache &cache,
                   const std::vector<KernelCache::Item> &items) {
  std::string kernels;
  uint64_t bytes = 0;
  for (const KernelCache::Item &item : items) {
    kernels +=
        fmt::format("{}{{\"name\":{},\"bytes\":{},\"whole\":{}}}",
                    kernels.empty() ? "" : ",", rt::json_string(item.name),
                    item.bytes, item.isWhole);
    bytes += item.bytes;
  }
  return fmt::format("{{\"folder\":{},\"bytes\":{},\"kernels\":[{}]}}\n",
                     rt::json_string(cache.folder()), bytes, kernels);
}

std::string toText(const KernelCache &cache,
                   const std::vector<KernelCache::Item> &items, bool isListed) {
  std::string text;
  uint64_t bytes = 0;
  for (const KernelCache::Item &item : items) {
    if (isListed)
      text += fmt::format("{}  {:>9} bytes{}\n", item.name, item.bytes,
                          item.isWhole ? "" : "  damaged");
    bytes += item.bytes;
  }
  return text +
         fmt::format("{}: {} kernels, {} bytes of at most {}\n",
                     cache.folder().empty() ? "no folder" : cache.folder(),
                     items.size(), bytes, rt::cuda::kCacheBytes);
}

rt::Expected<rt::Code> execute(const CacheCommand &options) {
  AMPC_ASSIGN(KernelCache cache, KernelCache::open());
  std::vector<KernelCache::Item> items = cache.items();
  if (options.action == "clear" || options.action == "verify") {
    std::vector<KernelCache::Item> left;
    for (KernelCache::Item &item : items)
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
      "cache", "The compiled CUDA kernels that are kept: list, verify, clear");
  command->footer(
      "Example: ampc cache verify\n\nThe folder is AMPC_CACHE, else "
      "ampc/kernels where the system keeps caches.");
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
