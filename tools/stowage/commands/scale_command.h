// `stowage graph scale SMALL LARGER`: the step of a larger batch.
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_SCALE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_SCALE_COMMAND_H_

#include "tools/stowage/commands/command_line.h"

namespace stowage::cli {

// Adds to `graph`.
void AddScaleCommand(Options& graph, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_SCALE_COMMAND_H_
