// Defines `stowage calibrate`, which measures the tiers of this host.
//
//   AddCalibrateCommand(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_CALIBRATE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_CALIBRATE_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

// Adds the subcommand to `root`.
void AddCalibrateCommand(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_CALIBRATE_COMMAND_H_
