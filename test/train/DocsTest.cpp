// The examples of the pages run: one step of those that train, one inference of
// the others.
#include "test/train/Training.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ampc::test {
namespace {

/// The `amp` blocks of a page.
std::vector<std::string> examplesOf(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string begin = "```amp\n";
  std::vector<std::string> examples;
  for (size_t at = 0; (at = page.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    size_t end = page.find("```", at);
    examples.push_back(page.substr(at, end - at));
    at = end;
  }
  return examples;
}

/// One inference on zeros; the outputs are not looked at.
void infer(rt::Stepper &stepper) {
  std::vector<rt::NamedTensor> inputs;
  rt::Batch batch;
  for (const rt::Port &port : stepper.inputs(rt::EntryKind::Infer))
    inputs.push_back(
        {port.name, must(rt::Tensor::zeros(port.dtype, port.shape))});
  for (const rt::NamedTensor &input : inputs)
    batch.set(input.name, input.tensor);
  EXPECT_FALSE(must(stepper.run(rt::EntryKind::Infer, batch)).empty());
}

TEST(Docs, ExamplesOfPagesRun) {
  std::filesystem::path root = AMPC_SOURCE_DIR;
  std::vector<std::filesystem::path> pages = {root / "README.md"};
  for (const auto &page : std::filesystem::directory_iterator(root / "docs"))
    if (page.path().extension() == ".md")
      pages.push_back(page.path());
  unsigned trained = 0, inferred = 0;
  for (const std::filesystem::path &page : pages)
    for (const std::string &text : examplesOf(page)) {
      SCOPED_TRACE(page.filename().string() + ": " +
                   text.substr(0, text.find('{')));
      Model model = must(Model::parse(text, page.filename().string()));
      if (text.find("\ntrain {") == std::string::npos) {
        CompileOptions options;
        options.entries = {"infer"};
        infer(*must(open_stepper(model, options)).stepper);
        ++inferred;
        continue;
      }
      Training training(model);
      rt::StepResult result = training.step(0);
      EXPECT_TRUE(result.applied && std::isfinite(result.loss));
      if (training.stepper().has_entry(rt::EntryKind::Infer))
        infer(training.stepper());
      ++trained;
    }
  EXPECT_GE(trained, 2u);
  EXPECT_GE(inferred, 3u);
}

} // namespace
} // namespace ampc::test
