// Defines `stowage graph capture -o FILE -- COMMAND…`, which profiles a step
// into a graph.
//
//   AddCaptureCommand(graph, job_command, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_CAPTURE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_CAPTURE_COMMAND_H_

#include <string>
#include <vector>

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

// Adds the subcommand to `graph`. `job_command` is what followed "--".
void AddCaptureCommand(Options& graph,
                       const std::vector<std::string>& job_command,
                       CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_CAPTURE_COMMAND_H_
