// The train block: what each key writes, its ranges, groups, --set.
#include "test/unit/frontend/Load.h"

using namespace ampc::model;

namespace {

const char *const kModel = "model m {\n"
                           "  input x: f32[2, 4]\n"
                           "  buffer b: f32[] = 0\n"
                           "  y = linear(linear(x, 4, name = \"trunk.a\"), 4, "
                           "name = \"head\") + b\n"
                           "}\n";

using Sets = std::vector<std::pair<std::string, std::string>>;

/// What amp.train has under `key` for a train block, or the errors.
std::string trained(llvm::StringRef key, llvm::StringRef block,
                    Sets sets = {}) {
  Loaded loaded((kModel + ("train {\n" + block + "\n}\n")).str(),
                std::move(sets));
  if (!loaded.module)
    return loaded.errors();
  mlir::Attribute value =
      (*loaded.module)
          ->getAttrOfType<mlir::DictionaryAttr>(ampc::amp::kTrainAttr)
          .get(key);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (value)
    value.print(os, /*elideType=*/true);
  return text;
}

TEST(Train, Keys) {
  struct Case {
    const char *key, *value, *written;
  };
  for (Case c :
       {Case{"steps", "20", "20"},
        {"seed", "3", "3"},
        {"log_every", "0", "0"},
        {"save_every", "100", "100"},
        {"validate_every", "2 * 50", "100"},
        {"max_skipped", "5", "5"},
        {"accumulate", "1", "1"},
        {"accumulate", "65536", "65536"},
        {"base_batch", "256", "256"},
        {"base_batch", "none", ""},
        {"clip_norm", "1", "1.000000e+00"},
        {"clip_norm", "none", ""},
        {"nonfinite", "error", "\"error\""},
        {"nonfinite", "\"ignore\"", "\"ignore\""},
        {"last", "wrap", "\"wrap\""},
        {"precision", "f32", "\"f32\""},
        {"ema", "none", ""},
        {"memory_budget", "none", ""},
        {"precision", "bf16", "\"bf16\""},
        {"precision", "auto", "\"auto\""},
        {"loss_scale", "off", "\"off\""},
        {"loss_scale", "2 ** 10", "1.024000e+03"},
        {"loss_scale", "dynamic",
         "{backoff = 5.000000e-01 : f64, floor = 6.103515625E-5 : f64, "
         "growth = 2.000000e+00 : f64, hysteresis = 1 : i64, init = "
         "6.553600e+04 : f64, interval = 2000 : i64}"},
        {"loss_scale", "dynamic(init = 8, floor = 1, interval = 5)",
         "{backoff = 5.000000e-01 : f64, floor = 1.000000e+00 : f64, "
         "growth = 2.000000e+00 : f64, hysteresis = 1 : i64, init = "
         "8.000000e+00 : f64, interval = 5 : i64}"}}) {
    std::string line = std::string("  ") + c.key + " = " + c.value;
    EXPECT_EQ(trained(c.key, line), c.written) << line;
    EXPECT_EQ(trained(c.key, "", {{std::string("train.") + c.key, c.value}}),
              c.written)
        << line;
  }
  // The command line wins.
  EXPECT_EQ(trained("steps", "  steps = 0", {{"train.steps", "7"}}), "7");
}

TEST(Train, Errors) {
  EXPECT_EQ(
      errorsOf("model m { }\n"
               "train {\n"
               "  steps = 0\n"
               "  stps = 1\n"
               "  seed = 1.5\n"
               "  log_every = 1\n"
               "  log_every = 2\n"
               "  precision = f64\n"
               "  schedule = cosin()\n"
               "  optimizer = 3\n"
               "  a, b = 1\n"
               "  nonfinite = skipp\n"
               "  last = 1\n"
               "  clip_norm = 0\n"
               "  base_batch = 0\n"
               "  memory_budget = \"2 gigs\"\n"
               "  loss_scale = on\n"
               "  max_skipped = 0\n"
               "  validate_every = -1\n"
               "  accumulate = 65537\n"
               "}\n"),
      "3:11 'steps' must be at least 1, got 0\n"
      "4:3 unknown key 'stps' of 'train'; did you mean 'steps'?\n"
      "5:10 expected a compile-time int, got float\n"
      "7:3 'log_every' given twice\n"
      "  6:3 the first is here\n"
      "8:15 'precision' must be one of auto, f32, tf32, bf16, f16, got 'f64'\n"
      "9:14 unknown schedule 'cosin'; did you mean 'cosine'?\n"
      "10:15 expected an optimizer, as in adam(lr = 1e-3)\n"
      "11:3 expected a key of 'train', found several names\n"
      "12:15 'nonfinite' must be one of skip, error, ignore, got 'skipp'\n"
      "13:10 'last' must be one of drop, wrap\n"
      "14:15 'clip_norm' must be above 0, got 0.0\n"
      "15:16 'base_batch' must be at least 1, got 0\n"
      "16:19 'memory_budget' must be a number of bytes or a size as \"2GiB\", "
      "got \"2 gigs\"\n"
      "17:16 'loss_scale' must be off, a number or dynamic, got 'on'\n"
      "18:17 'max_skipped' must be at least 1, got 0\n"
      "19:20 'validate_every' must be at least 0, got -1\n"
      "20:16 'accumulate' must be at most 65536, got 65537\n");
}

TEST(Train, EightBitFloatsAreNoPolicy) {
  EXPECT_EQ(errorsOf("model m { }\ntrain {\n  precision = f8e4m3\n}\n"),
            "3:15 'precision' must be one of auto, f32, tf32, bf16, f16, got "
            "'f8e4m3'; no target multiplies 8-bit floats, they are types to "
            "cast to\n");
}

TEST(Train, LossScaleErrors) {
  auto errors = [](const std::string &value) {
    return errorsOf("model m { }\ntrain {\n  loss_scale = " + value + "\n}\n");
  };
  EXPECT_EQ(errors("0"), "3:16 'loss_scale' must be off, a normal f32 number "
                         "above 0 or dynamic, got 0.0\n");
  EXPECT_EQ(errors("1e39"),
            "3:16 'loss_scale' must be off, a normal f32 number above 0 or "
            "dynamic, got 1e+39\n");
  EXPECT_EQ(errors("1e-40"),
            "3:16 'loss_scale' must be off, a normal f32 number above 0 or "
            "dynamic, got 1e-40\n");
  EXPECT_EQ(errors("dynamic(interval = 2 ** 31)"),
            "3:37 'dynamic': 'interval' must be at most 2147483647, got "
            "2147483648\n");
  EXPECT_EQ(errors("dynamic(growth = 0.5)"),
            "3:33 'dynamic': 'growth' must be at least 1, got 0.5\n");
  EXPECT_EQ(errors("dynamic(backoff = 1)"),
            "3:34 'dynamic': 'backoff' must be above 0 and less than 1, got "
            "1.0\n");
  EXPECT_EQ(errors("dynamic(interval = 0)"),
            "3:35 'dynamic': 'interval' must be at least 1, got 0\n");
  EXPECT_EQ(errors("dynamic(init = 1, floor = 2)"),
            "3:16 'dynamic': 'floor' must be at most 'init', got 2.0 and "
            "1.0\n");
  EXPECT_EQ(errors("dynamic(growt = 2)"),
            "3:24 unknown argument 'growt' of 'dynamic'; did you mean "
            "'growth'?\n");
}

TEST(Train, Schedules) {
  auto schedule = [](llvm::StringRef value) {
    return trained("schedule", ("  schedule = " + value).str());
  };
  EXPECT_EQ(schedule("constant"), "{kind = \"constant\", warmup = 0 : i64}");
  EXPECT_EQ(schedule("constant(warmup = 5)"),
            "{kind = \"constant\", warmup = 5 : i64}");
  EXPECT_EQ(schedule("step(30)"), "{every = 30 : i64, gamma = 1.000000e-01 : "
                                  "f64, kind = \"step\", warmup = 0 : i64}");
  EXPECT_EQ(schedule("step(milestones = [10, 20], gamma = 0.5)"),
            "{gamma = 5.000000e-01 : f64, kind = \"step\", milestones = "
            "array<i64: 10, 20>, warmup = 0 : i64}");
  EXPECT_EQ(
      schedule("linear(final = 0.25, warmup = 2)"),
      "{final = 2.500000e-01 : f64, kind = \"linear\", warmup = 2 : i64}");
  EXPECT_EQ(
      schedule("cosine"),
      "{final = 0.000000e+00 : f64, kind = \"cosine\", warmup = 0 : i64}");
  EXPECT_EQ(
      trained("schedule", "", {{"train.schedule", "cosine(0.5)"}}),
      "{final = 5.000000e-01 : f64, kind = \"cosine\", warmup = 0 : i64}");
  // Lines of the block start at 7.
  EXPECT_EQ(schedule("step()"), "7:14 'step' takes 'every' or 'milestones'\n");
  EXPECT_EQ(schedule("step(every = 1, milestones = [1])"),
            "7:14 'step' takes 'every' or 'milestones'\n");
  EXPECT_EQ(schedule("step(milestones = [3, 3])"),
            "7:32 'step': 'milestones' must rise, got 3 after 3\n");
  EXPECT_EQ(schedule("step(milestones = [])"),
            "7:32 'step': 'milestones' must hold at least one update\n");
  EXPECT_EQ(schedule("step(every = 0)"),
            "7:27 'step': 'every' must be at least 1, got 0\n");
  EXPECT_EQ(schedule("step(1, gamma = 0)"),
            "7:30 'step': 'gamma' must be above 0, got 0.0\n");
  EXPECT_EQ(schedule("linear(warmup = -1)"),
            "7:30 'linear': 'warmup' must be at least 0, got -1\n");
  EXPECT_EQ(schedule("cosine(end = 0)"),
            "7:21 unknown argument 'end' of 'cosine'\n");
  EXPECT_EQ(schedule("3"),
            "7:14 expected a schedule, as in cosine(warmup = 100)\n");
}

TEST(Train, Groups) {
  EXPECT_EQ(trained("groups", "  group \"*.bias\", \"head.*\" { lr = 1e-4\n"
                              "    betas = [0.5, 0.75] }\n"
                              "  optimizer = adamw()\n"
                              "  group \"trunk.*\" { frozen = true }"),
            "[{beta1 = 5.000000e-01 : f64, beta2 = 7.500000e-01 : f64, loc = "
            "loc(\"t.amp\":7:3), lr = 1.000000e-04 : f64, names = "
            "[\"trunk.a.bias\", \"head.weight\", \"head.bias\"], patterns = "
            "[\"*.bias\", \"head.*\"]}, {frozen = true, loc = "
            "loc(\"t.amp\":10:3), names = [\"trunk.a.weight\", "
            "\"trunk.a.bias\"], patterns = [\"trunk.*\"]}]");
  EXPECT_EQ(trained("groups", "  optimizer = sgd(momentum = 0.9)\n"
                              "  group \"heads.*\" { lr = 0 }\n"
                              "  group \"b\" { lr = 0 }\n"),
            "8:9 pattern 'heads.*' matches nothing; nearest is 'head.bias'\n");
  EXPECT_EQ(trained("groups", "  optimizer = sgd()\n"
                              "  group \"*\" { betas = [0, 0] }\n"
                              "  group \"*\" { lr = -1 }\n"
                              "  group \"*\" { frozen = 1 }\n"
                              "  group \"*\" { nesterov = true }\n"
                              "  group \"*\" { momentun = 1 }\n"
                              "  group \"*\" { \"x\" = 1 }\n"
                              "  group \"*\" { lr = 1\n"
                              "    lr = 1 }\n"),
            "8:15 unknown argument 'betas' of 'sgd'\n"
            "9:20 'sgd': 'lr' must be at least 0, got -1.0\n"
            "10:24 expected a compile-time bool, got int\n"
            "11:3 'sgd': 'nesterov' needs a momentum above 0 and no dampening\n"
            "12:15 unknown argument 'momentun' of 'sgd'; did you mean "
            "'momentum'?\n"
            "13:15 expected an argument of 'sgd' or 'frozen'\n"
            "15:5 'lr' given twice\n"
            "  14:15 the first is here\n");
  EXPECT_EQ(trained("groups", "  group \"*\" { lr = 1 }"),
            "7:3 a group needs an 'optimizer' in 'train'\n");
}

} // namespace
