// Texts, their line tables, and places in them.
#include "ir/frontend/model/syntax/Source.h"

#include "llvm/Support/ConvertUTF.h"

#include <algorithm>

namespace ampc::model {

std::optional<size_t> findNonText(llvm::StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const llvm::UTF8 *at = begin;
  size_t bad = text.size();
  if (!llvm::isLegalUTF8String(&at, begin + text.size()))
    bad = at - begin;
  bad = std::min(bad, text.find('\0'));
  if (bad >= text.size())
    return std::nullopt;
  return bad;
}

uint32_t Sources::add(llvm::StringRef name, llvm::StringRef text) {
  auto entry = std::make_unique<Text>();
  entry->name = name.str();
  entry->text = text.str();
  entry->base = nextBase;
  entry->lineStarts.push_back(0);
  for (size_t at = text.find('\n'); at != llvm::StringRef::npos;
       at = text.find('\n', at + 1))
    entry->lineStarts.push_back(at + 1);
  // One more than the size: the end of the text is a place too.
  nextBase += text.size() + 1;
  texts.push_back(std::move(entry));
  return texts.back()->base;
}

llvm::StringRef Sources::text(uint32_t base) const {
  const Text *entry = find(Loc{base});
  return entry ? llvm::StringRef(entry->text) : llvm::StringRef();
}

const Sources::Text *Sources::find(Loc loc) const {
  if (!loc.valid() || loc.offset >= nextBase)
    return nullptr;
  auto after = std::upper_bound(
      texts.begin(), texts.end(), loc.offset,
      [](uint32_t offset, const auto &entry) { return offset < entry->base; });
  return std::prev(after)->get();
}

const Sources::Text *Sources::findLine(Loc loc, size_t &lineIndex) const {
  const Text *entry = find(loc);
  if (!entry)
    return nullptr;
  uint32_t local = loc.offset - entry->base;
  auto after = std::upper_bound(entry->lineStarts.begin(),
                                entry->lineStarts.end(), local);
  lineIndex = std::prev(after) - entry->lineStarts.begin();
  return entry;
}

LineColumn Sources::resolve(Loc loc) const {
  size_t line = 0;
  const Text *entry = findLine(loc, line);
  if (!entry)
    return {};
  unsigned column = 1;
  uint32_t lineStart = entry->base + entry->lineStarts[line], at = lineStart;
  if (lastLineStart == lineStart && lastOffset <= loc.offset) {
    column = lastColumn;
    at = lastOffset;
  }
  for (; at < loc.offset; ++at)
    if ((static_cast<unsigned char>(entry->text[at - entry->base]) & 0xC0) !=
        0x80)
      ++column;
  lastOffset = loc.offset;
  lastLineStart = lineStart;
  lastColumn = column;
  return {entry->name, unsigned(line + 1), column};
}

Loc Sources::locate(const LineColumn &shown) const {
  for (const std::unique_ptr<Text> &entry : texts) {
    if (entry->name != shown.file || shown.line < 1 ||
        shown.line > entry->lineStarts.size())
      continue;
    size_t at = entry->lineStarts[shown.line - 1];
    for (unsigned column = 1; column < shown.column; ++column)
      do
        ++at;
      while (at < entry->text.size() &&
             (static_cast<unsigned char>(entry->text[at]) & 0xC0) == 0x80);
    return at <= entry->text.size() ? Loc{uint32_t(entry->base + at)} : Loc();
  }
  return Loc();
}

llvm::StringRef Sources::lineOf(Loc loc, size_t &offsetInLine) const {
  size_t line = 0;
  const Text *entry = findLine(loc, line);
  if (!entry)
    return {};
  uint32_t start = entry->lineStarts[line];
  offsetInLine = loc.offset - entry->base - start;
  llvm::StringRef rest = llvm::StringRef(entry->text).substr(start);
  return rest.take_until([](char c) { return c == '\n'; }).rtrim('\r');
}

} // namespace ampc::model
