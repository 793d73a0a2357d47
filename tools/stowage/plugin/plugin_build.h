// Builds the PyTorch plug-in for one PyTorch, where `stowage run` finds it.
//
//   absl::StatusOr<std::string> path = BuildPlugin(
//       {.directory = "venv/lib/python3.11/site-packages/torch",
//        .version = "2.15.0"},
//       "/usr/share/stowage/plugin", "/usr/lib/stowage");
#ifndef STOWAGE_TOOLS_STOWAGE_PLUGIN_PLUGIN_BUILD_H_
#define STOWAGE_TOOLS_STOWAGE_PLUGIN_PLUGIN_BUILD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/stowage/plugin/torch_package.h"

namespace stowage::cli {

struct BuiltPlugin {
  std::string version;  // of the PyTorch
  std::string path;
};

// Returns the user's directory of plug-ins, $XDG_DATA_HOME/stowage or
// ~/.local/share/stowage. FAILED_PRECONDITION: the user has neither.
absl::StatusOr<std::string> PluginDirectory();

// Returns the plug-ins in these directories, by path.
std::vector<BuiltPlugin> FindPlugins(
    const std::vector<std::string>& directories);

// Compiles the sources with CMake and a C++ compiler, and puts the plug-in in
// DIRECTORY/torch-VERSION. Returns its path. Running jobs keep the plug-in that
// they have loaded. Blocks for about a minute. FAILED_PRECONDITION: a program
// is missing, or does not compile them; the message has the end of what it
// printed.
absl::StatusOr<std::string> BuildPlugin(const TorchPackage& torch,
                                        const std::string& sources,
                                        const std::string& directory);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PLUGIN_PLUGIN_BUILD_H_
