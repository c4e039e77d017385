// Compiling whole models for both targets; see ModelPlans.h.
#include "test/kernels/ModelPlans.h"

#include "tools/libampc/Compile.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace ampc::test {

template <class T>
static T must(rt::Expected<T> value) {
  if (!value) {
    std::fprintf(stderr, "%s\n", value.error().text().c_str());
    std::abort();
  }
  return std::move(*value);
}

static Model load(const KernelModel &model) {
  ModelOptions options;
  options.sets = model.sets;
  return must(
      Model::load(std::string(AMPC_SOURCE_DIR) + "/" + model.path, options));
}

static CompileOptions optionsFor(const std::string &target,
                                 const std::string &precision) {
  CompileOptions options;
  options.target = target;
  options.precision = precision;
  options.warn = [](std::string_view) {};
  return options;
}

static rt::PlanFile planOf(const Model &model, const CompileOptions &options) {
  std::string bytes = must(emit(model, Emit::Plan, options));
  return must(rt::PlanFile::fromBytes(
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}));
}

std::vector<KernelModel> kernelModels() {
  return {
      // Wide enough that maps take several elements a thread.
      {"Mlp", "examples/mlp.amp", {{"batch", "64"}, {"hidden", "256"}}},
      {"Digits",
       "examples/digits.amp",
       {{"batch", "33"}, {"channels", "5"}, {"hidden", "70"}}},
      {"CharGpt",
       "examples/char_gpt.amp",
       {{"batch", "3"},
        {"seq", "33"},
        {"vocab", "70"},
        {"width", "24"},
        {"heads", "2"},
        {"layers", "2"}}},
      {"Decoder", "test/models/decoder.amp"},
      {"Encoder", "test/models/encoder.amp"},
      {"Recurrence", "test/models/recurrence.amp"},
      {"Physics", "test/models/physics.amp"},
  };
}

ModelPlans compileModel(const KernelModel &model,
                        const std::string &precision) {
  std::string text =
      must(emit(load(model), Emit::Placed, optionsFor("cuda", precision)));
  char path[] = "/tmp/ampc-kernels-XXXXXX.mlir";
  int file = mkstemps(path, /*suffixlen=*/5);
  if (file < 0)
    std::abort();
  close(file);
  std::ofstream(path) << text;
  Model placed = must(Model::load(path));
  unlink(path);
  return {planOf(placed, optionsFor("cpu", "")),
          planOf(placed, optionsFor("cuda", ""))};
}

rt::PlanFile compileForCuda(const KernelModel &model,
                            const std::string &precision) {
  return planOf(load(model), optionsFor("cuda", precision));
}

std::string sourceOf(const rt::PlanFile &plan, unsigned number) {
  std::span<const std::byte> section = plan.section(rt::SectionKind::CudaText);
  std::string_view text(reinterpret_cast<const char *>(section.data()),
                        section.size());
  const rt::fb::Kernel *kernel = plan.plan().kernels()->Get(number);
  std::string source(text.substr(0, plan.plan().prelude_bytes()));
  source += text.substr(kernel->text_offset(), kernel->text_bytes());
  return source;
}

} // namespace ampc::test
