// Adds `stowage claim`, with which schedulers and their scripts give a job a part
// of this node's memory.
//
//   AddClaimCommands(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_SCHEDULING_CLAIM_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_SCHEDULING_CLAIM_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddClaimCommands(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_SCHEDULING_CLAIM_COMMAND_H_
