// Defines `stowage plan GRAPH` and `stowage verify GRAPH PLAN`.
//
//   AddPlanCommand(root, commands);
//   AddVerifyCommand(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_PLAN_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_PLAN_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddPlanCommand(Options& root, CommandList& commands);
void AddVerifyCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_PLAN_COMMAND_H_
