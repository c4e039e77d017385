// ampc: the command line of the compiler. Parses, calls one command, reports.
#include "tools/ampc-rt/Interrupt.h"
#include "tools/ampc-rt/RunCommands.h"
#include "tools/ampc/Commands.h"

#include <algorithm>

int main(int argc, char **argv) {
  ampc::rt::ignoreFileSizeLimit();
  CLI::App app("Compiles and trains neural networks.");
  app.set_version_flag("--version",
                       std::string("ampc ") + ampc::rt::runtime_version());
  app.require_subcommand(1);
  std::vector<ampc::Action> actions{
      ampc::addTrain(app),   ampc::addEval(app),  ampc::addRun(app),
      ampc::addCompile(app), ampc::addPlan(app),  ampc::addExplain(app),
      ampc::addBench(app),   ampc::addCache(app), ampc::addVersion(app)};
  // Reserved commands are said to be missing rather than unknown.
  constexpr std::string_view reserved[] = {"profile", "import", "export"};
  if (argc > 1 && std::find(std::begin(reserved), std::end(reserved),
                            argv[1]) != std::end(reserved))
    return ampc::rt::report(
        {ampc::rt::Code::Usage,
         "'" + std::string(argv[1]) + "' is not available yet", "ampc"});
  if (std::optional<int> code = ampc::rt::parseCommand(app, argc, argv))
    return ampc::rt::finishOutput(*code);
  std::vector<CLI::App *> commands = app.get_subcommands(nullptr);
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!commands[i]->parsed())
      continue;
    ampc::rt::Expected<ampc::rt::Code> code = actions[i]();
    return ampc::rt::finishOutput(code ? int(*code)
                                       : ampc::rt::report(code.error()));
  }
  return int(ampc::rt::Code::Usage);
}
