// Adds `stowage advise`, which says how much fast memory a job needs.
//
//   AddAdviseCommand(root, job_command, commands);
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_ADVISE_COMMAND_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_ADVISE_COMMAND_H_

#include <string>
#include <vector>

#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

// `job_command` is what follows "--"; it must outlive the commands.
void AddAdviseCommand(Options& root,
                      const std::vector<std::string>& job_command,
                      CommandList& commands);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_ADVISE_COMMAND_H_
