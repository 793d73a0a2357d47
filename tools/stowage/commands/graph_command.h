// Defines `stowage graph import|show|validate`. capture_command.h captures
// graphs.
//
//   AddGraphCommands(graph, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_GRAPH_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_GRAPH_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

// Adds the subcommands to `graph`.
void AddGraphCommands(Options& graph, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_GRAPH_COMMAND_H_
