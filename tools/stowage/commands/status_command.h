// Defines `stowage status`, which shows what a placement service knows.
//
//   AddStatusCommand(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_STATUS_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_STATUS_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddStatusCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_STATUS_COMMAND_H_
