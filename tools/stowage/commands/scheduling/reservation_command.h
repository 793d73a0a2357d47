// Adds `stowage reservation`, with which schedulers and their scripts hold fast
// memory of a node until a job runs.
//
//   AddReservationCommands(root, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_SCHEDULING_RESERVATION_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_SCHEDULING_RESERVATION_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

void AddReservationCommands(Options& root, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_SCHEDULING_RESERVATION_COMMAND_H_
