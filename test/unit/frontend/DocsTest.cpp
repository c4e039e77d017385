// The examples of the pages and the models of examples/ load.
#include "test/unit/frontend/Load.h"

#include "ir/frontend/model/FunctionTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace ampc::model;

namespace {

/// Loads the `amp` blocks of a page; returns how many there are.
unsigned loadExamples(llvm::StringRef path) {
  auto page = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(bool(page)) << path.str();
  if (!page)
    return 0;
  llvm::StringRef rest = (*page)->getBuffer();
  unsigned examples = 0;
  for (size_t begin; (begin = rest.find("```amp\n")) != llvm::StringRef::npos;
       ++examples) {
    rest = rest.substr(begin + strlen("```amp\n"));
    llvm::StringRef text = rest.take_front(rest.find("```"));
    Loaded loaded(text, {}, path);
    EXPECT_TRUE(loaded.module) << loaded.diagnostics.str();
    rest = rest.substr(text.size() + 3);
  }
  return examples;
}

TEST(Docs, ExamplesOfPagesLoad) {
  EXPECT_GE(loadExamples(AMPC_SOURCE_DIR "/docs/language.md"), 5u);
  loadExamples(AMPC_SOURCE_DIR "/README.md");
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(AMPC_SOURCE_DIR "/docs", error),
       end;
       it != end && !error; it.increment(error))
    if (llvm::StringRef(it->path()).ends_with(".md"))
      loadExamples(it->path());
  EXPECT_FALSE(error);
}

TEST(Docs, ExampleModelsLoad) {
  unsigned models = 0;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator
           it(AMPC_SOURCE_DIR "/examples", error),
       end;
       it != end && !error; it.increment(error)) {
    if (!llvm::StringRef(it->path()).ends_with(".amp"))
      continue;
    ++models;
    mlir::MLIRContext context;
    Diagnostics diagnostics;
    EXPECT_TRUE(loadModelFile(context, it->path(), {}, diagnostics))
        << diagnostics.str();
  }
  EXPECT_FALSE(error);
  EXPECT_GE(models, 1u);
}

/// Every function that the page says is reserved is known to the language, and
/// none of them loads.
TEST(Docs, ReservedFunctionsAreKnown) {
  auto page = llvm::MemoryBuffer::getFile(AMPC_SOURCE_DIR "/docs/language.md");
  ASSERT_TRUE(bool(page));
  llvm::StringRef list = (*page)
                             ->getBuffer()
                             .split("- Functions: ")
                             .second.split("- train: ")
                             .first;
  unsigned count = 0;
  for (llvm::SmallVector<llvm::StringRef> parts = {list}; !parts.empty();) {
    llvm::StringRef code = parts.pop_back_val().split('`').second;
    auto [names, rest] = code.split('`');
    if (!rest.empty())
      parts.push_back(rest);
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(names, words);
    for (llvm::StringRef word : words) {
      ++count;
      std::string errors =
          errorsOfBody(("input x: f32[2]\ny = " + word + "(x)").str());
      EXPECT_EQ(errors, ("3:5 '" + word + "' is not available yet\n").str());
    }
  }
  EXPECT_GT(count, 60u);
}

/// Every function has its place in the table of functions.
TEST(Docs, EveryFunctionIsOnThePage) {
  auto page = llvm::MemoryBuffer::getFile(AMPC_SOURCE_DIR "/docs/language.md");
  ASSERT_TRUE(bool(page));
  llvm::StringRef table =
      (*page)->getBuffer().split("## Functions\n").second.split("\n## ").first;
  llvm::StringSet<> words;
  for (llvm::StringRef rest = table; !rest.empty();) {
    rest = rest.drop_until([](char c) { return llvm::isAlpha(c); });
    llvm::StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    words.insert(word);
    rest = rest.drop_front(word.size());
  }
  FunctionTable functions;
  unsigned available = 0;
  functions.forEachName([&](llvm::StringRef name) {
    if (!functions.find(name))
      return;
    ++available;
    EXPECT_TRUE(words.contains(name)) << name.str();
  });
  EXPECT_GT(available, 90u);
}

} // namespace
