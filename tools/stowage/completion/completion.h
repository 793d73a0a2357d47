// Writes scripts that let shells complete commands, and a list for programs.
//
//   std::cout << BashCompletion(command_line.Describe());
//
// Pure functions. The scripts follow from the options as the command line has
// them, so that they cannot fall behind.
#ifndef STOWAGE_TOOLS_STOWAGE_COMPLETION_COMPLETION_H_
#define STOWAGE_TOOLS_STOWAGE_COMPLETION_COMPLETION_H_

#include <string>

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

// They complete subcommands, flags, values that are one of a few, and else file
// names; those of Bash and zsh, behind "--", the user's command. `program` is that of the command line.
std::string BashCompletion(const CommandInfo& program);
std::string ZshCompletion(const CommandInfo& program);
std::string FishCompletion(const CommandInfo& program);

// Returns an array with an object for each command that can be run, with its
// "command" ("stowage graph show") and its "help".
std::string CommandListJson(const CommandInfo& program);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPLETION_COMPLETION_H_
