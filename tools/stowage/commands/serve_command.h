// Defines `stowage serve`, which runs a private service and agent for processes
// that attach by themselves, as `stowage.init()` in Python does.
//
//   AddServeCommand(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_SERVE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_SERVE_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddServeCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_SERVE_COMMAND_H_
