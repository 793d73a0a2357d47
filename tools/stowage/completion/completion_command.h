// Adds `stowage completion`.
//
//   AddCompletionCommand(command_line, commands);  // behind all others
#ifndef STOWAGE_TOOLS_STOWAGE_COMPLETION_COMPLETION_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMPLETION_COMPLETION_COMMAND_H_

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

// `command_line` must outlive the commands.
void AddCompletionCommand(CommandLine& command_line, CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPLETION_COMPLETION_COMMAND_H_
