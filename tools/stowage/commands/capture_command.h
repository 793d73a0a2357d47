// `stowage graph capture -o FILE -- COMMAND…`: profiles a step into a graph.
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_CAPTURE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_CAPTURE_COMMAND_H_

#include <string>
#include <vector>

#include "tools/stowage/commands/command_line.h"

namespace stowage::cli {

// Adds to `graph`. `job_command` is what followed "--".
void AddCaptureCommand(Options& graph,
                       const std::vector<std::string>& job_command,
                       CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_CAPTURE_COMMAND_H_
