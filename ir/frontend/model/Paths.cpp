// Paths of calls.
#include "ir/frontend/model/Paths.h"

#include "llvm/ADT/StringExtras.h"

namespace ampc::model {

bool isComponent(llvm::StringRef text) {
  bool wordOpen = false;
  for (char c : text) {
    if (c == '.' ? !wordOpen : !(llvm::isAlnum(c) || c == '_'))
      return false;
    wordOpen = c != '.';
  }
  return wordOpen;
}

size_t PathTable::enter(llvm::StringRef component) {
  size_t length = scopePath.size();
  if (length)
    scopePath += '.';
  scopePath += component;
  here = nullptr;
  return length;
}

std::string PathTable::join(llvm::StringRef component) const {
  return scopePath.empty() ? component.str()
                           : scopePath + "." + component.str();
}

std::string PathTable::number(llvm::StringRef function) {
  if (!here)
    here = &counts[scopePath];
  unsigned count = (*here)[function]++;
  return join(count ? (function + "_" + llvm::Twine(count)).str()
                    : function.str());
}

const PathUse *PathTable::claim(llvm::StringRef path, Loc loc, bool shared,
                                bool &again) {
  auto [it, fresh] = uses.try_emplace(path, PathUse{loc, epoch, shared});
  again = false;
  if (fresh)
    return nullptr;
  PathUse &use = it->second;
  bool repeats = (shared && use.shared) ||
                 (repeating() && use.epoch != epoch && shared == use.shared);
  if (!repeats)
    return &use;
  again = true;
  use.epoch = epoch;
  return nullptr;
}

unsigned PathTable::beginShare(llvm::StringRef path, bool again) {
  unsigned outer = epoch;
  epoch = ++epochs;
  repeats += again;
  if (auto it = counts.find(path); it != counts.end())
    it->second.clear();
  // Those below stand together: '/' comes after '.'.
  for (auto it = counts.lower_bound(path.str() + "."),
            end = counts.lower_bound(path.str() + "/");
       it != end; ++it)
    it->second.clear();
  return outer;
}

void PathTable::endShare(unsigned outer, bool again) {
  epoch = outer;
  repeats -= again;
}

} // namespace ampc::model
