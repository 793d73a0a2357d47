// `stowage`: the command line. See docs/reference-cli.md.
#include <algorithm>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tools/stowage/command.h"
#include "tools/stowage/exit_code.h"
#include "tools/stowage/run_command.h"

namespace stowage::cli {
namespace {

int Main(int argc, char** argv) {
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
  try {
    root.parse(static_cast<int>(separator - argv), argv);
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
