// How a subcommand joins the command line.
//
//   void AddPlanCommand(CLI::App& root, CommandList& commands);
//
// It adds its options to a subcommand of `root` and lists what to run when the
// user names it.
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_COMMAND_H_

#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace stowage::cli {

struct Command {
  CLI::App* app;             // owned by the root
  std::function<int()> run;  // returns the exit code
};

using CommandList = std::vector<Command>;

// Adds `--format text|json`; `json` must outlive the parse.
inline void AddFormatOption(CLI::App& app, bool& json) {
  app.add_option_function<std::string>(
         "--format", [&json](const std::string& f) { json = f == "json"; },
         "Format of what is printed: text or json")
      ->check(CLI::IsMember({"text", "json"}));
}

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_COMMAND_H_
