#include "test/hostgpu/compiler/Kernels.h"

#include <algorithm>
#include <cctype>
#include <string_view>

using namespace ampc::hostgpu;

namespace {

/// Cuts a text into words, numbers, strings and single signs.
class Tokens {
public:
  explicit Tokens(std::string_view text) : text(text) {}

  /// Empty at the end.
  std::string_view next() {
    skip();
    if (at == text.size())
      return {};
    size_t begin = at++;
    char first = text[begin];
    if (isWord(first)) {
      while (at < text.size() && isWord(text[at]))
        ++at;
    } else if (first == '"' || first == '\'') {
      while (at < text.size() && text[at] != first)
        at += text[at] == '\\' ? 2 : 1;
      at = std::min(at + 1, text.size());
    }
    return text.substr(begin, at - begin);
  }

private:
  static bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  }
  bool begins(std::string_view what) const {
    return text.substr(at, what.size()) == what;
  }
  void skipLine() {
    while (at < text.size() && text[at] != '\n')
      at += text[at] == '\\' ? 2 : 1;
    at = std::min(at, text.size());
  }
  /// Past blanks, comments and directives.
  void skip() {
    while (at < text.size()) {
      if (text[at] == '\n') {
        lineBegins = true;
        ++at;
      } else if (std::isspace(static_cast<unsigned char>(text[at]))) {
        ++at;
      } else if (begins("//") || (text[at] == '#' && lineBegins)) {
        skipLine();
      } else if (begins("/*")) {
        size_t end = text.find("*/", at + 2);
        at = end == std::string_view::npos ? text.size() : end + 2;
      } else {
        lineBegins = false;
        return;
      }
    }
  }

  std::string_view text;
  size_t at = 0;
  bool lineBegins = true;
};

/// Reads up to the parenthesis that closes the one just read. `first` gets the
/// text of the first argument.
void readArguments(Tokens &tokens, std::string *first) {
  int depth = 1;
  bool inFirst = true;
  for (std::string_view token; depth && !(token = tokens.next()).empty();) {
    depth += token == "(" ? 1 : token == ")" ? -1 : 0;
    if (depth == 1 && token == ",")
      inFirst = false;
    if (first && depth && inFirst)
      *first += std::string(token) + " ";
  }
}

} // namespace

std::vector<KernelName> ampc::hostgpu::findKernels(const std::string &text) {
  std::vector<KernelName> found;
  Tokens tokens(text);
  bool isExtern = false;
  for (std::string_view token; !(token = tokens.next()).empty();) {
    if (token == ";" || token == "{" || token == "}")
      isExtern = false;
    else if (token == "extern")
      isExtern = true;
    if (token != "__global__" || !isExtern)
      continue;
    KernelName kernel;
    std::string_view previous;
    while (!(token = tokens.next()).empty()) {
      if (token != "(") {
        previous = token;
        continue;
      }
      if (previous != "__launch_bounds__")
        break;
      kernel.maxThreads.clear();
      readArguments(tokens, &kernel.maxThreads);
    }
    kernel.name = previous;
    readArguments(tokens, nullptr);
    bool isDefinition = tokens.next() == "{";
    isExtern = false;
    if (isDefinition)
      found.push_back(std::move(kernel));
  }
  return found;
}

bool ampc::hostgpu::usesSharedMemory(const std::string &text) {
  Tokens tokens(text);
  for (std::string_view token; !(token = tokens.next()).empty();)
    if (token == "AMPC_SHARED" || token == "AMPC_DYNAMIC_SHARED" ||
        token == "__shared__")
      return true;
  return false;
}
