// Defines `stowage resize`, which changes the limit of a running job.
//
//   AddResizeCommand(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_RESIZE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_RESIZE_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddResizeCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_RESIZE_COMMAND_H_
