// Runs `stowage`, the command line. docs/reference-cli.md says how to use it.
#include <signal.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tools/stowage/commands/advise_command.h"
#include "tools/stowage/commands/calibrate_command.h"
#include "tools/stowage/commands/capture_command.h"
#include "tools/stowage/commands/compare_command.h"
#include "tools/stowage/commands/explain_command.h"
#include "tools/stowage/commands/graph_command.h"
#include "tools/stowage/commands/plan_command.h"
#include "tools/stowage/commands/plugin_command.h"
#include "tools/stowage/commands/resize_command.h"
#include "tools/stowage/commands/run_command.h"
#include "tools/stowage/commands/scale_command.h"
#include "tools/stowage/commands/scheduling/claim_command.h"
#include "tools/stowage/commands/scheduling/rank_command.h"
#include "tools/stowage/commands/scheduling/reservation_command.h"
#include "tools/stowage/commands/serve_command.h"
#include "tools/stowage/commands/status_command.h"
#include "tools/stowage/commands/train_command.h"
#include "tools/stowage/completion/completion_command.h"
#include "tools/stowage/options/command_line.h"
#include "tools/stowage/output/exit_code.h"

namespace stowage::cli {
namespace {

int Main(int argc, char** argv) {
  // If the process that started this one ignores the signal, no child could be
  // waited for.
  signal(SIGCHLD, SIG_DFL);
  // What follows "--" belongs to the user's command and is not parsed.
  char** const end = argv + argc;
  char** const separator = std::find_if(
      argv, end, [](const char* a) { return std::string(a) == "--"; });
  const std::vector<std::string> job_command(
      separator == end ? end : separator + 1, end);

  CommandLine command_line(
      "Stowage places the tensors of training jobs in memory tiers.", "stowage",
      "stowage " STOWAGE_VERSION);
  Options root = command_line.root();
  root.RequireSubcommand();
  CommandList commands;
  AddRunCommand(root, job_command, commands);
  AddServeCommand(root, commands);
  Options graph = root.AddSubcommand("graph", "Make and look at graphs");
  graph.RequireSubcommand();
  AddCaptureCommand(graph, job_command, commands);
  AddGraphCommands(graph, commands);
  AddScaleCommand(graph, commands);
  AddPlanCommand(root, commands);
  AddVerifyCommand(root, commands);
  AddAdviseCommand(root, job_command, commands);
  AddCompareCommand(root, commands);
  AddTrainCommand(root, commands);
  AddExplainCommand(root, commands);
  AddCalibrateCommand(root, commands);
  AddPluginCommands(root, commands);
  AddStatusCommand(root, commands);
  AddResizeCommand(root, commands);
  AddRankCommand(root, commands);
  AddReservationCommands(root, commands);
  AddClaimCommands(root, commands);
  AddCompletionCommand(command_line, commands);
  const std::optional<int> exit_code =
      command_line.Parse(static_cast<int>(separator - argv), argv);
  if (exit_code) return *exit_code;
  for (const Command& command : commands) {
    if (command.options.WasGiven()) return command.run();
  }
  return kExitUsage;
}

}  // namespace
}  // namespace stowage::cli

int main(int argc, char** argv) { return stowage::cli::Main(argc, argv); }
