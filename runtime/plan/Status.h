// How the runtime reports failure: one error type with the exit code a command
// would end with. Stands in runtime/plan because codegen may include this
// folder only; runtime/core/Status.h re-exports it. Nothing here throws; every
// function that can fail returns an `Expected`.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace ampc::rt {

/// Why something failed; the values are the exit codes of the commands.
enum class Code : int {
  Ok = 0,
  BadInput = 1,       ///< the model, data or a file is wrong
  Usage = 2,          ///< the caller asked for something that makes no sense
  DoesNotFit = 3,     ///< memory budget or device too small
  TrainingFailed = 4, ///< non-finite, overflow at the scale floor
  Environment = 5,    ///< no device, driver, disk, permission
  Interrupted = 130,  ///< Ctrl-C
};

/// A failure: what happened (thing, expected, actual) and where (file, entry,
/// option).
struct Error {
  Code code = Code::BadInput;
  std::string message;
  std::string where;

  /// `where: message`, or the message alone when there is no place.
  std::string text() const {
    return where.empty() ? message : where + ": " + message;
  }
};

/// A value or the reason why there is none.
template <class T>
using Expected = tl::expected<T, Error>;

/// Makes the failing half of an `Expected`.
[[nodiscard]] inline tl::unexpected<Error> fail(Code code, std::string where,
                                                std::string message) {
  return tl::unexpected<Error>(
      Error{code, std::move(message), std::move(where)});
}

} // namespace ampc::rt

#define AMPC_CONCAT_INNER(a, b) a##b
#define AMPC_CONCAT(a, b) AMPC_CONCAT_INNER(a, b)

/// Returns the error of `expression` from the enclosing function, if it has
/// one.
#define AMPC_TRY(expression)                                                   \
  do {                                                                         \
    auto ampcStatus = (expression);                                            \
    if (!ampcStatus)                                                           \
      return tl::unexpected<::ampc::rt::Error>(std::move(ampcStatus).error()); \
  } while (false)

/// `AMPC_ASSIGN(auto x, expression)`: declares x as the value, or returns the
/// error.
#define AMPC_ASSIGN(declaration, expression)                                   \
  AMPC_ASSIGN_IMPL(AMPC_CONCAT(ampcValue, __LINE__), declaration, expression)
#define AMPC_ASSIGN_IMPL(temporary, declaration, expression)                   \
  auto temporary = (expression);                                               \
  if (!temporary)                                                              \
    return tl::unexpected<::ampc::rt::Error>(std::move(temporary).error());    \
  declaration = std::move(*temporary)
