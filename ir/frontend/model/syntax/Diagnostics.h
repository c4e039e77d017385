// Errors with a place. They are collected, at most 20, and rendered at the end
// as
//   file:line:col: error: TEXT
//     the source line
//     the caret
// followed by notes in the same form that show the second place. Nothing is
// printed by itself.
#pragma once

#include "ir/frontend/model/syntax/Source.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

namespace ampc::model {

/// A remark that belongs to an error and shows another place.
struct Note {
  Loc loc;
  std::string text;
};

/// One error.
struct Diagnostic {
  Loc loc;
  std::string text;
  llvm::SmallVector<Note, 1> notes;
  bool showLine = true; // false: the line is not text

  /// Adds a note; returns this error.
  Diagnostic &note(Loc at, const llvm::Twine &message) {
    notes.push_back({at, message.str()});
    return *this;
  }
};

/// The errors of one compilation, and the texts they point into.
class Diagnostics {
public:
  /// Number of errors kept; later ones are dropped.
  static constexpr size_t kMaxErrors = 20;

  Sources &sources() { return texts; }
  const Sources &sources() const { return texts; }

  /// Records an error. The result takes notes; it is valid until the next
  /// error.
  Diagnostic &error(Loc loc, const llvm::Twine &text);

  /// Adds a note to the newest error.
  void noteLast(Loc loc, const llvm::Twine &text) {
    (newest ? *newest : dropped).note(loc, text);
  }

  /// True if there was an error.
  bool failed() const { return !list.empty(); }
  /// True if no further error is kept: work may stop.
  bool full() const { return list.size() >= kMaxErrors; }
  /// The errors, in the order in which they were found.
  const std::deque<Diagnostic> &errors() const { return list; }

  /// Prints all errors in the order of their places.
  void print(llvm::raw_ostream &os) const;
  /// The same as text.
  std::string str() const;

private:
  void printOne(llvm::raw_ostream &os, Loc loc, llvm::StringRef kind,
                llvm::StringRef text, bool showLine) const;

  Sources texts;
  std::deque<Diagnostic> list;
  Diagnostic dropped; // takes the notes of errors that are not kept
  Diagnostic *newest = nullptr;
};

} // namespace ampc::model
