// Defines `stowage graph scale SMALL LARGER`, which predicts the step of a
// larger batch.
//
//   AddScaleCommand(graph, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_SCALE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_SCALE_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

// Adds the subcommand to `graph`.
void AddScaleCommand(Options& graph, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_SCALE_COMMAND_H_
