// `stowage compare GRAPH…`: policies side by side.
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_COMPARE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_COMPARE_COMMAND_H_

#include "tools/stowage/commands/command_line.h"

namespace stowage::cli {

void AddCompareCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_COMPARE_COMMAND_H_
