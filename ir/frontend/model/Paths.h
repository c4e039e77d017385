// How calls and parameters are named (docs/language.md, paths). A call's path
// is the scope path, a dot, and a component: its `name`, or its function's name
// numbered in evaluation order.
#pragma once

#include "ir/frontend/model/syntax/Diagnostics.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace ampc::model {

/// One use of a path.
struct PathUse {
  Loc loc;
  unsigned epoch = 0; // the sharing call it was made in
  bool shared = false;
};

/// The scope path and the paths in use.
class PathTable {
public:
  /// The current scope path, "" at the top.
  llvm::StringRef scope() const { return scopePath; }

  /// Grows the scope path by a component; returns the length to give to
  /// `leave`.
  size_t enter(llvm::StringRef component);
  /// Cuts the scope path to what it was before `enter`.
  void leave(size_t length) {
    scopePath.resize(length);
    here = nullptr;
  }

  /// The scope path joined with a component.
  std::string join(llvm::StringRef component) const;

  /// The path of the next unnamed call of `function` here.
  std::string number(llvm::StringRef function);

  /// Takes a path for a call at `loc`. Null if it is free, or used again by a
  /// sharing call or inside one; else the use it clashes with. `again` tells
  /// that the call repeats an earlier one.
  const PathUse *claim(llvm::StringRef path, Loc loc, bool shared, bool &again);

  /// Begins a sharing call of `path`: inside, paths used by its earlier calls
  /// may be used again and numbering starts anew. Returns what to give to
  /// `endShare`.
  unsigned beginShare(llvm::StringRef path, bool again);
  void endShare(unsigned outer, bool again);

  /// True inside a call that repeats an earlier one: parameters are reused.
  bool repeating() const { return repeats > 0; }
  unsigned currentEpoch() const { return epoch; }

private:
  std::string scopePath;
  using Counts = llvm::StringMap<unsigned>;          // function -> calls so far
  std::map<std::string, Counts, std::less<>> counts; // by scope path, in order
  Counts *here = nullptr; // those of the scope path, once looked up
  llvm::StringMap<PathUse> uses;
  unsigned epoch = 0, epochs = 0, repeats = 0;
};

/// True for words `[A-Za-z0-9_]+` joined by dots.
bool isComponent(llvm::StringRef text);

} // namespace ampc::model
