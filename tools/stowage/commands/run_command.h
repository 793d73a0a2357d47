// Defines `stowage run [options] -- COMMAND…`, which trains under a limit on
// fast memory.
//
//   AddRunCommand(root, job_command, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_RUN_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_RUN_COMMAND_H_

#include <string>
#include <vector>

#include "tools/stowage/options/command_line.h"
#include "tools/stowage/run/run_request.h"

namespace stowage::cli {

// Adds the subcommand. `job_command` is what followed "--".
void AddRunCommand(Options& root, const std::vector<std::string>& job_command,
                   CommandList& commands);

// Runs the command and returns its exit status; 126 or 127 if it cannot be run,
// another code of exit_code.h if Stowage cannot start.
int Run(const RunRequest& request);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_RUN_COMMAND_H_
