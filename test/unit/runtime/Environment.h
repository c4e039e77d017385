// Environment variables of a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace ampc::rt::test {

/// Sets a variable, or takes it away, while this lives.
class Environment {
public:
  Environment(const char *name, const char *value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    set(value);
  }
  Environment(const Environment &) = delete;
  ~Environment() { set(before ? before->c_str() : nullptr); }

private:
  void set(const char *value) {
    if (value)
      ::setenv(name, value, 1);
    else
      ::unsetenv(name);
  }

  const char *name;
  std::optional<std::string> before;
};

} // namespace ampc::rt::test
