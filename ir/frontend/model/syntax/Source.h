// The texts a model is read from: the .amp file and the values of --set, which
// follow one another in one space of byte offsets, so that a place is one
// number. Texts are checked once, when added; all later code may rely on valid
// UTF-8 without NUL bytes.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ampc::model {

/// A place: a byte offset in the texts of one Sources.
struct Loc {
  uint32_t offset = UINT32_MAX;

  /// False for "no place".
  bool valid() const { return offset != UINT32_MAX; }
  friend bool operator==(Loc a, Loc b) { return a.offset == b.offset; }
  friend bool operator<(Loc a, Loc b) { return a.offset < b.offset; }
};

/// A place as people read it.
struct LineColumn {
  llvm::StringRef file;
  unsigned line = 0;   // from 1
  unsigned column = 0; // from 1, in code points
};

/// Largest text in bytes.
inline constexpr size_t kMaxTextBytes = size_t(16) << 20;

/// Offset of the first byte that is NUL or no part of valid UTF-8, if there is
/// one.
std::optional<size_t> findNonText(llvm::StringRef text);

/// All texts of one compilation. Owns copies of them.
class Sources {
public:
  /// Adds a text under a name; returns the offset of its first byte. The caller
  /// has checked the size.
  uint32_t add(llvm::StringRef name, llvm::StringRef text);

  /// The text that was added at `base`.
  llvm::StringRef text(uint32_t base) const;

  /// File, line and column of a place; file "" for no place.
  LineColumn resolve(Loc loc) const;

  /// The place that `resolve` shows so; no place if there is none.
  Loc locate(const LineColumn &shown) const;

  /// The line (without its newline) that holds a place, and the place's byte
  /// offset in it.
  llvm::StringRef lineOf(Loc loc, size_t &offsetInLine) const;

private:
  struct Text {
    std::string name;
    std::string text;
    uint32_t base = 0;
    std::vector<uint32_t> lineStarts; // byte offsets in `text`
  };
  const Text *find(Loc loc) const;
  const Text *findLine(Loc loc, size_t &lineIndex) const;

  std::vector<std::unique_ptr<Text>> texts;
  uint32_t nextBase = 0;
  /// The last place resolved: columns of later places on its line are counted
  /// from there.
  mutable uint32_t lastOffset = UINT32_MAX, lastLineStart = UINT32_MAX;
  mutable unsigned lastColumn = 0;
};

} // namespace ampc::model
