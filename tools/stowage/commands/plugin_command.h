// Adds `stowage plugin`, which builds the PyTorch plug-in for the PyTorch of a
// user.
//
//   AddPluginCommands(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_PLUGIN_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_PLUGIN_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddPluginCommands(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_PLUGIN_COMMAND_H_
