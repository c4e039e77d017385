// Keeps plans and objects; see CompileCache.h.
#include "tools/libampc/CompileCache.h"

#include "tools/libampc/DataPaths.h"
#include "tools/libampc/ModelImpl.h"

#include <cstring>
#include <thread>
#include <unistd.h>

namespace ampc {

namespace {

/// The parts of a name, each kept apart from the next.
class Parts {
public:
  Parts &operator<<(std::string_view part) {
    texts.emplace_back(part);
    return *this;
  }
  Parts &operator<<(int64_t number) { return *this << std::to_string(number); }
  template <typename Range>
  Parts &addAll(const Range &range) {
    *this << int64_t(range.size());
    for (const auto &part : range)
      *this << part;
    return *this;
  }
  std::string name(std::string_view ending) const {
    std::vector<std::string_view> views(texts.begin(), texts.end());
    return rt::DiskCache::nameOf(views, ending);
  }

private:
  std::vector<std::string> texts;
};

/// Settings of oneDNN change the scratch memory that it asks for, and so a plan
/// that stays within a budget.
std::vector<std::string> librarySettings() {
  std::vector<std::string> found;
  for (char **variable = environ; variable && *variable; ++variable)
    if (llvm::StringRef text(*variable);
        text.starts_with("DNNL_") || text.starts_with("ONEDNN_"))
      found.push_back(text.str());
  llvm::sort(found);
  return found;
}

} // namespace

rt::Expected<CompileCache> CompileCache::open(const CompileOptions &options) {
  std::string program = programIdentity();
  AMPC_ASSIGN(rt::DiskCache cache,
              rt::DiskCache::open(program.empty() ? "off" : options.cache));
  return CompileCache(std::move(cache), std::move(program));
}

std::optional<llvm::SmallVector<char, 0>>
CompileCache::find(llvm::StringRef source) {
  Parts parts;
  parts << program << source;
  std::optional<rt::FileBytes> file = cache.find(parts.name(".object"));
  if (!file || file->bytes().empty())
    return std::nullopt;
  auto *bytes = reinterpret_cast<const char *>(file->bytes().data());
  return llvm::SmallVector<char, 0>(bytes, bytes + file->bytes().size());
}

void CompileCache::store(llvm::ArrayRef<Entry> entries) {
  std::vector<rt::DiskCache::Entry> files;
  for (const Entry &entry : entries) {
    Parts parts;
    parts << program << entry.source;
    files.push_back(
        {parts.name(".object"),
         std::as_bytes(std::span(entry.object.data(), entry.object.size()))});
  }
  cache.store(files);
}

std::string CompileCache::planName(const Model &model,
                                   const CompileOptions &options) const {
  // By name, so that a new option cannot be forgotten here.
  const auto &[precision, unsafe, level, chunk, heads, target, entries,
               gradient, mode, checks, shows, output, threads, overBudget,
               scale, dumpAfter, dump, remarkCategory, remark, warn, time,
               folder, kept] = options;
  if (!isOpen() || dump || remark)
    return "";
  const Model::Source &source = model.source();
  Parts parts;
  parts << "plan" << program << processorIdentity() << source.path
        << source.text << int64_t(source.options.has_value());
  if (source.options) {
    parts << int64_t(source.options->sets.size());
    for (const auto &[key, value] : source.options->sets)
      parts << key << value;
  }
  for (const std::optional<uint64_t> &rule : {chunk, heads})
    parts << int64_t(rule.has_value()) << int64_t(rule.value_or(0));
  parts << precision << int64_t(unsafe) << level << target << gradient << mode
        << checks << int64_t(shows) << int64_t(overBudget) << int64_t(scale);
  parts << (output.empty() ? "" : "from " + wayBetween(source.path, output));
  parts << int64_t(threads ? unsigned(threads)
                           : std::thread::hardware_concurrency());
  parts.addAll(entries).addAll(librarySettings());
  return parts.name(".plan");
}

// A kept plan is the plan's bytes, the warnings, each with a zero behind it,
// and the number of the warnings' bytes in eight.

std::optional<KeptPlan> CompileCache::findPlan(const std::string &name) const {
  std::optional<rt::FileBytes> file = cache.find(name);
  uint64_t length = 0;
  if (!file || file->bytes().size() < sizeof length)
    return std::nullopt;
  size_t rest = file->bytes().size() - sizeof length;
  std::memcpy(&length, file->bytes().data() + rest, sizeof length);
  if (length > rest)
    return std::nullopt;
  KeptPlan found;
  llvm::StringRef said(reinterpret_cast<const char *>(file->bytes().data()) +
                           (rest - length),
                       length);
  while (!said.empty()) {
    auto [one, others] = said.split('\0');
    found.warnings.push_back(one.str());
    said = others;
  }
  file->dropBack(sizeof length + length);
  found.bytes = std::move(*file);
  return found;
}

void CompileCache::storePlan(const std::string &name,
                             llvm::ArrayRef<uint8_t> plan,
                             llvm::ArrayRef<std::string> warnings) const {
  std::string said;
  for (const std::string &warning : warnings)
    said += warning + '\0';
  uint64_t length = said.size();
  std::vector<std::byte> bytes(plan.size() + length + sizeof length);
  std::memcpy(bytes.data(), plan.data(), plan.size());
  std::memcpy(bytes.data() + plan.size(), said.data(), length);
  std::memcpy(bytes.data() + plan.size() + length, &length, sizeof length);
  cache.store(name, bytes);
}

} // namespace ampc
