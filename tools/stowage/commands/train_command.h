// Defines `stowage train`, which trains a DQN policy for a graph.
//
//   AddTrainCommand(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_TRAIN_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_TRAIN_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddTrainCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_TRAIN_COMMAND_H_
