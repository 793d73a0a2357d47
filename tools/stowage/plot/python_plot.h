// Draws pictures with scripts of ours, which use matplotlib.
//
//   absl::Status drawn =
//       DrawWithPython(installation.plotter_path, data, "step.svg");
#ifndef STOWAGE_TOOLS_STOWAGE_PLOT_PYTHON_PLOT_H_
#define STOWAGE_TOOLS_STOWAGE_PLOT_PYTHON_PLOT_H_

#include <string>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace stowage::cli {

// Returns INVALID_ARGUMENT unless the name ends in .svg or .png.
absl::Status CheckPlotPath(const std::string& path);

// Runs `script` with a file that holds `data`, and with `path`. Blocks.
// FAILED_PRECONDITION says what the script has said, such as that matplotlib is
// missing and how to install it.
absl::Status DrawWithPython(const std::string& script,
                            const nlohmann::json& data,
                            const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PLOT_PYTHON_PLOT_H_
