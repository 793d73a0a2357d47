// Defines `stowage explain REPORT`, which says where the time of steps went.
//
//   AddExplainCommand(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_EXPLAIN_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_EXPLAIN_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

// Adds the subcommand to `root`.
void AddExplainCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_EXPLAIN_COMMAND_H_
