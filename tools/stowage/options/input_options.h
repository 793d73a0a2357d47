// Adds the options that commands share which read a graph and plan for it.
//
//   AddPlanningInputs(app, arguments.graph_path, arguments.file,
//                     arguments.system);
//   AddLimitOptions(app, arguments.limit);
//
// The variables that they fill in must outlive the parse.
#ifndef STOWAGE_TOOLS_STOWAGE_OPTIONS_INPUT_OPTIONS_H_
#define STOWAGE_TOOLS_STOWAGE_OPTIONS_INPUT_OPTIONS_H_

#include <string>

#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/fast_limit.h"
#include "tools/stowage/options/command_line.h"

namespace stowage::cli {

// Adds `--member` and `--iteration`.
void AddFileOptions(Options& app, GraphFileOptions& file);

// Adds the graph as an argument, the options of its file, and `--system`, which
// must be given.
void AddPlanningInputs(Options& app, std::string& graph_path,
                       GraphFileOptions& file, std::string& system);

// Adds `--fast`, `--fast-bytes` and `--fast-ratio`.
void AddLimitOptions(Options& app, FastLimit& limit);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OPTIONS_INPUT_OPTIONS_H_
