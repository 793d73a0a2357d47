// Defines `stowage compare GRAPH…`, which compares policies.
//
//   AddCompareCommand(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_COMPARE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_COMPARE_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddCompareCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_COMPARE_COMMAND_H_
