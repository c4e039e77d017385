// Patterns, in time linear in the name for each star.
#include "ir/dialect/NamePatterns.h"

namespace ampc::amp {

bool matchesPattern(llvm::StringRef pattern, llvm::StringRef name,
                    uint64_t &steps) {
  size_t p = 0, n = 0;
  size_t star = llvm::StringRef::npos, resume = 0;
  for (; n < name.size(); ++steps) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++; // first let it match nothing
      resume = n;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != llvm::StringRef::npos) {
      p = star + 1; // let the last star match one more
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

} // namespace ampc::amp
