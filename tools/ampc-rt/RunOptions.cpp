// Command line options.
#include "tools/ampc-rt/RunOptions.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ampc::rt {

/// Single edits (a letter more, less or other, or two swapped) from `a` to `b`.
static size_t distance(const std::string &a, const std::string &b) {
  std::vector<std::vector<size_t>> d(a.size() + 1,
                                     std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

/// `; did you mean 'NAME'?`, empty where no name is near.
static std::string suggestion(const std::string &given,
                              const std::vector<std::string> &names) {
  std::string nearest;
  size_t least = 3; // edits, and more than that is another word
  for (const std::string &name : names)
    if (size_t edits = distance(given, name); edits < least) {
      least = edits;
      nearest = name;
    }
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

/// What is wrong with arguments that `command` does not know.
static std::string unknownText(const CLI::App &command) {
  std::vector<std::string> names;
  for (const CLI::Option *option : command.get_options())
    for (const std::string &name : option->get_lnames())
      if (!option->get_group().empty())
        names.push_back("--" + name);
  std::vector<std::string> left = command.remaining();
  auto option = std::find_if(left.begin(), left.end(), [](auto &argument) {
    return argument.starts_with("-");
  });
  if (option == left.end())
    return fmt::format("unexpected argument '{}'", left.front());
  std::string name = option->substr(0, option->find('='));
  return fmt::format("unknown option '{}'{}", name, suggestion(name, names));
}

/// What is wrong where an option that was given has no text, as `--out "$DIR"`
/// of a script whose DIR is not set; else empty. Taken as absent it would run
/// something else than what was asked for.
static std::string emptyText(const CLI::App &app) {
  for (const CLI::App *command : app.get_subcommands())
    for (const CLI::Option *option : command->get_options())
      for (const std::string &value : option->results())
        if (value.empty())
          return fmt::format("{}: expected a value, got ''",
                             option->get_name());
  return "";
}

std::optional<int> parseCommand(CLI::App &app, int argc, char **argv) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands({}))
    names.push_back(command->get_name());
  std::string first = argc > 1 ? argv[1] : "";
  auto refuse = [&](const std::string &text) {
    std::fputs(
        fmt::format("error: {}\nRun with --help for more.\n", text).c_str(),
        stderr);
    return int(Code::Usage);
  };
  if (first == "help") {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  }
  if (!first.starts_with("-") &&
      std::find(names.begin(), names.end(), first) == names.end()) {
    std::string what = first.empty()
                           ? std::string("no command is given")
                           : fmt::format("unknown command '{}'{}", first,
                                         suggestion(first, names));
    return refuse(
        fmt::format("{}\nCommands: {}", what, fmt::join(names, ", ")));
  }
  if (first.starts_with("--") && !app.get_option_no_throw(first))
    return refuse(
        fmt::format("unknown option '{}' where a command is expected", first));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError &error) {
    std::vector<CLI::App *> parsed = app.get_subcommands();
    const CLI::App &command = parsed.empty() ? app : *parsed.front();
    return refuse(command.remaining().empty() ? error.what()
                                              : unknownText(command));
  } catch (const CLI::ParseError &error) {
    return error.get_exit_code() == 0 ? app.exit(error) : refuse(error.what());
  }
  if (std::string text = emptyText(app); !text.empty())
    return refuse(text);
  return std::nullopt;
}

CLI::Option *addCount(CLI::App &command, const std::string &name,
                      std::optional<uint64_t> &to, const std::string &text,
                      uint64_t least, uint64_t most) {
  auto parse = [name, &to, least, most](const std::string &given) {
    uint64_t value = 0;
    const char *end = given.data() + given.size();
    auto [stop, error] = std::from_chars(given.data(), end, value);
    if (error != std::errc() || stop != end || value < least || value > most)
      throw CLI::ValidationError(
          name, fmt::format("expected a whole number from {} to {}, got '{}'",
                            least, most, given));
    to = value;
  };
  return command.add_option_function<std::string>(name, parse, text)
      ->type_name("UINT");
}

void addReserved(CLI::App &command, std::initializer_list<const char *> names) {
  for (const char *name : names)
    command
        .add_option_function<std::string>(
            name,
            [name](const std::string &) {
              throw CLI::ValidationError(name, "is not available yet");
            },
            "Not available yet")
        ->expected(0, 1)
        ->group("");
}

void addWithoutEffect(CLI::App &command,
                      std::initializer_list<const char *> names) {
  for (const char *name : names)
    command
        .add_option_function<std::string>(
            name,
            [name, &command](const std::string &) {
              throw CLI::ValidationError(name, "has no effect on " +
                                                   command.get_name());
            },
            "Without effect here")
        ->expected(0, 1)
        ->group("");
}

void addCommonOptions(CLI::App &command, RunOptions &options, CommandUse use) {
  command.add_option("--device", options.device, "auto, cpu or cuda[:N]");
  if (use.draws)
    addCount(command, "--seed", options.seed,
             "Seed of initialisers and random ops");
  else
    addWithoutEffect(command, {"--seed"});
  command
      .add_option("--threads", options.threads,
                  "Threads (0: one per processor)")
      ->check(CLI::Range(0, 1024));
  if (use.hasWeights) {
    CLI::Option *weights = command.add_option(
        "--weights", options.weights, "Read weights from FILE.safetensors");
    command
        .add_flag("--partial", options.partial,
                  "Allow missing and extra names in --weights")
        ->needs(weights);
  } else {
    addWithoutEffect(command, {"--weights", "--partial"});
  }
  if (use.writesFiles)
    command.add_flag("--force", options.force, "Replace existing files");
  else
    addWithoutEffect(command, {"--force"});
  command.add_flag("--json", options.json, "Print JSON");
}

void addDataOptions(CLI::App &command, RunOptions &options) {
  command
      .add_option(
          "--data", options.data,
          "NAMES=SPEC, as in x,y=normal:1 or x=npy:x.npy (may be repeated)")
      ->allow_extra_args(false);
}

void addTrainOptions(CLI::App &command, RunOptions &options) {
  addDataOptions(command, options);
  addCount(command, "--steps", options.steps,
           "Windows in all, those before a resume included; as --set "
           "train.steps, a schedule ends with them (that of a plan or of IR "
           "stays)",
           1);
  addCount(command, "--accumulate", options.accumulate,
           "Micro-batches of a window (default: the model's)", 1,
           kMostMicroBatches);
  CLI::Option *out = command.add_option(
      "--out", options.out, "Directory of checkpoints and metrics.jsonl");
  addCount(command, "--save-every", options.save_every,
           "Steps between checkpoints (0: the end); needs --out")
      ->needs(out);
  addCount(command, "--log-every", options.log_every, "Steps between rows");
  addCount(command, "--validate-every", options.validate_every,
           "Steps between validations (0: the end)");
  addCount(command, "--early-stop", options.early_stop,
           "End after N validations without a lower loss", 1);
  command
      .add_option("--time-limit", options.time_limit,
                  "Begin no step after that many seconds")
      ->check([](const std::string &text) {
        double seconds = 0;
        return CLI::detail::lexical_cast(text, seconds) && seconds > 0
                   ? std::string()
                   : "expected a number of seconds above 0, got '" + text + "'";
      });
  command.add_option("--resume", options.resume, "Continue from a checkpoint")
      ->excludes(command.get_option("--weights"));
  command.add_option("--metrics", options.metrics,
                     "Write metrics to FILE.jsonl");
  command
      .add_option("--nonfinite", options.nonfinite,
                  "On a loss that is not finite")
      ->check(CLI::IsMember({"skip", "error", "ignore"}));
  command
      .add_option("--progress", options.progress, "Rows: auto, plain or none")
      ->check(CLI::IsMember({"auto", "plain", "none"}));
}

void addInferOptions(CLI::App &command, RunOptions &options) {
  command
      .add_option("--input", options.input, "NAME=FILE.npy (may be repeated)")
      ->allow_extra_args(false);
  command.add_option("--inputs", options.inputs,
                     "FILE.safetensors with inputs by name");
  command.add_option(
      "--output-dir", options.output_dir,
      "Write NAME.npy per output, and outputs.safetensors with all");
}

} // namespace ampc::rt
