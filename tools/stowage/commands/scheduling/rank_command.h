// Adds `stowage rank`, which asks a service which nodes suit a job.
//
//   AddRankCommand(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_SCHEDULING_RANK_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_SCHEDULING_RANK_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddRankCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_SCHEDULING_RANK_COMMAND_H_
