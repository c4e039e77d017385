// A parsed file: at most one model and one each of the settings blocks, and the
// arena that holds them.
#pragma once

#include "ir/frontend/model/syntax/AstStmt.h"

#include "llvm/Support/Allocator.h"

namespace ampc::model {

struct SettingsBlock;

/// One entry of a settings block.
struct Setting {
  enum Kind : uint8_t {
    Pattern, // "P", "Q" = value
    Group,   // group "P", "Q" { }
    Assign,  // a, b = value
    Nested,  // a { }
  } kind;
  Loc loc;
  llvm::ArrayRef<Ident> names; // the patterns (decoded), or the names
  const Expr *value = nullptr;
  const SettingsBlock *body = nullptr;
};

/// `train { ... }` and its kin.
struct SettingsBlock {
  Ident name;
  llvm::ArrayRef<Setting> settings;
};

/// `model NAME { ... }`.
struct ModelDecl {
  Loc loc;
  Ident name;
  Block body;
};

/// A file. Absent parts are null.
struct Ast {
  const ModelDecl *model = nullptr;
  const SettingsBlock *train = nullptr, *data = nullptr, *init = nullptr,
                      *precision = nullptr;

  llvm::BumpPtrAllocator arena;

  /// Makes a node; it is never destroyed.
  template <typename T, typename... Args>
  T *make(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (arena.Allocate<T>()) T{std::forward<Args>(args)...};
  }
  /// Copies a list into the arena.
  template <typename T>
  llvm::ArrayRef<T> keep(llvm::ArrayRef<T> list) {
    static_assert(std::is_trivially_destructible_v<T>);
    T *data = arena.Allocate<T>(list.size());
    std::uninitialized_copy(list.begin(), list.end(), data);
    return {data, list.size()};
  }
};

} // namespace ampc::model
