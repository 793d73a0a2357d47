// `stowage`: the command line. See docs/reference-cli.md.
#include <signal.h>

#include <algorithm>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tools/stowage/commands/capture_command.h"
#include "tools/stowage/commands/command.h"
#include "tools/stowage/commands/compare_command.h"
#include "tools/stowage/commands/graph_command.h"
#include "tools/stowage/commands/plan_command.h"
#include "tools/stowage/commands/run_command.h"
#include "tools/stowage/commands/scale_command.h"
#include "tools/stowage/commands/status_command.h"
#include "tools/stowage/commands/train_command.h"
#include "tools/stowage/output/exit_code.h"

namespace stowage::cli {
namespace {

// Where a subcommand is missing, the word that stands in its place; CLI11 does
// not mention it.
std::string NoSubcommand(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  const std::vector<std::string> words = root.remaining(/*recurse=*/true);
  const bool is_missing = app->get_require_subcommand_min() > 0;
  return is_missing && !words.empty() ? words.front() : "";
}

int Main(int argc, char** argv) {
  // Whoever started this may ignore it, and then no child could be waited for.
  signal(SIGCHLD, SIG_DFL);
  // What follows "--" belongs to the user's command and is not parsed.
  char** const end = argv + argc;
  char** const separator = std::find_if(
      argv, end, [](const char* a) { return std::string(a) == "--"; });
  const std::vector<std::string> job_command(
      separator == end ? end : separator + 1, end);

  CLI::App root("Stowage places the tensors of training jobs in memory tiers.",
                "stowage");
  root.set_version_flag("--version", "stowage " STOWAGE_VERSION);
  root.require_subcommand(1);
  CommandList commands;
  AddRunCommand(root, job_command, commands);
  CLI::App* graph = root.add_subcommand("graph", "Make and look at graphs");
  graph->require_subcommand(1);
  AddCaptureCommand(*graph, job_command, commands);
  AddGraphCommands(*graph, commands);
  AddScaleCommand(*graph, commands);
  AddPlanCommand(root, commands);
  AddVerifyCommand(root, commands);
  AddCompareCommand(root, commands);
  AddTrainCommand(root, commands);
  AddStatusCommand(root, commands);
  try {
    root.parse(static_cast<int>(separator - argv), argv);
  } catch (const CLI::RequiredError& error) {
    const std::string word = NoSubcommand(root);
    if (word.empty()) return root.exit(error), kExitUsage;
    return ReportUsageError(absl::InvalidArgumentError(
        "there is no subcommand '" + word + "'; --help lists those there are"));
  } catch (const CLI::ParseError& error) {
    return root.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return kExitUsage;
}

}  // namespace
}  // namespace stowage::cli

int main(int argc, char** argv) { return stowage::cli::Main(argc, argv); }
