// `stowage graph import|show|validate`. Capturing is in capture_command.h.
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_GRAPH_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_GRAPH_COMMAND_H_

#include "tools/stowage/commands/command_line.h"

namespace stowage::cli {

// Adds to `graph`, the subcommand that holds them.
void AddGraphCommands(Options& graph, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_GRAPH_COMMAND_H_
