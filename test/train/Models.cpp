// The models and their sizes; see Models.h.
#include "test/train/Models.h"

namespace ampc::test {

static rt::DataLine line(std::string name, std::string spec) {
  return {{std::move(name)}, std::move(spec)};
}

Model WholeModel::load(bool isShallow) const {
  ModelOptions options;
  options.sets = sets;
  if (isShallow)
    options.sets.insert(options.sets.end(), shallow.begin(), shallow.end());
  return must(Model::load(std::string(AMPC_SOURCE_DIR) + "/" + path, options));
}

std::vector<WholeModel> wholeModels() {
  return {
      {"CharGpt",
       "examples/char_gpt.amp",
       {{"batch", "2"},
        {"seq", "9"},
        {"vocab", "37"},
        {"width", "20"},
        {"heads", "2"},
        {"layers", "2"},
        {"train.schedule", "constant()"}},
       {line("tokens", "randint:1#0,37"), line("labels", "randint:2#0,37")},
       {{"layers", "1"},
        {"width", "8"},
        {"seq", "4"},
        {"train.clip_norm", "none"}}},
      {"Digits",
       "examples/digits.amp",
       {{"batch", "3"},
        {"channels", "3"},
        {"hidden", "7"},
        {"train.schedule", "constant()"}},
       {line("pixels", "uniform:1"), line("labels", "randint:2#0,10")}},
      {"Decoder",
       "test/models/decoder.amp",
       {},
       {line("ids", "randint:1#0,64"), line("labels", "randint:2#0,64")}},
      {"Encoder",
       "test/models/encoder.amp",
       {},
       {line("ids", "randint:1#0,50"), line("lengths", "randint:2#1,13"),
        line("labels", "randint:3#0,50")},
       {{"layers", "1"}, {"width", "8"}, {"hidden", "8"}}},
      {"Recurrence", "test/models/recurrence.amp", {}, {}},
      {"Physics", "test/models/physics.amp", {}, {}, {}, "equation"},
  };
}

} // namespace ampc::test
