// Rendering of errors. Long lines are cut to a window around the caret, and
// control characters are replaced, so that any input gives a short and harmless
// message.
#include "ir/frontend/model/syntax/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ampc::model {
namespace {

/// Bytes of a line shown before and after the caret.
constexpr size_t kBefore = 120, kAfter = 60;

bool isContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// `text` with control characters (tabs aside) replaced.
std::string harmless(llvm::StringRef text) {
  std::string result = text.str();
  for (char &c : result)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
      c = '?';
  return result;
}

void printSnippet(llvm::raw_ostream &os, llvm::StringRef line, size_t caret) {
  caret = std::min(caret, line.size());
  size_t begin = caret > kBefore ? caret - kBefore : 0;
  size_t end = std::min(line.size(), caret + kAfter);
  while (begin > 0 && isContinuation(line[begin]))
    --begin;
  while (end < line.size() && isContinuation(line[end]))
    ++end;
  std::string shown = harmless(line.slice(begin, end));
  llvm::StringRef left = begin > 0 ? "..." : "";
  os << left << shown << (end < line.size() ? "..." : "") << '\n';
  // The caret line repeats tabs, so that it lines up whatever a tab is worth.
  for (char c : left.str() + harmless(line.slice(begin, caret)))
    if (!isContinuation(c))
      os << (c == '\t' ? '\t' : ' ');
  os << "^\n";
}

} // namespace

Diagnostic &Diagnostics::error(Loc loc, const llvm::Twine &text) {
  if (full()) {
    dropped = Diagnostic();
    newest = &dropped;
    return dropped;
  }
  list.push_back({loc, text.str(), {}, true});
  newest = &list.back();
  return list.back();
}

void Diagnostics::printOne(llvm::raw_ostream &os, Loc loc, llvm::StringRef kind,
                           llvm::StringRef text, bool showLine) const {
  LineColumn at = texts.resolve(loc);
  if (at.line)
    os << at.file << ':' << at.line << ':' << at.column << ": ";
  os << kind << ": " << harmless(text) << '\n';
  if (!at.line || !showLine)
    return;
  size_t caret = 0;
  llvm::StringRef line = texts.lineOf(loc, caret);
  printSnippet(os, line, caret);
}

void Diagnostics::print(llvm::raw_ostream &os) const {
  llvm::SmallVector<std::pair<Loc, size_t>, kMaxErrors> order;
  for (const auto &[index, error] : llvm::enumerate(list))
    order.push_back({error.loc, index});
  llvm::sort(order);
  for (auto [loc, index] : order) {
    const Diagnostic *error = &list[index];
    printOne(os, error->loc, "error", error->text, error->showLine);
    for (const Note &note : error->notes)
      printOne(os, note.loc, "note", note.text, true);
  }
  if (full())
    os << "note: stopped after " << kMaxErrors << " errors\n";
}

std::string Diagnostics::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

} // namespace ampc::model
