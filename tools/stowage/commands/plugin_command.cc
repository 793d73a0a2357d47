#include "tools/stowage/commands/plugin_command.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/plugin/plugin_build.h"
#include "tools/stowage/plugin/torch_package.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {
namespace {

struct BuildArguments {
  std::string python = "python3";
  std::string torch_dir;
  std::string output;
  bool untested = false;
};

absl::StatusOr<TorchPackage> TorchToBuildFor(const BuildArguments& arguments) {
  absl::StatusOr<std::string> directory = arguments.torch_dir;
  if (arguments.torch_dir.empty()) directory = FindTorch(arguments.python);
  if (!directory.ok()) return directory.status();
  absl::StatusOr<TorchPackage> torch = ReadTorch(*directory);
  if (!torch.ok() || arguments.untested) return torch;
  const absl::Status supported = CheckSupported(*torch);
  if (!supported.ok()) return supported;
  return torch;
}

int Build(const BuildArguments& arguments) {
  const absl::StatusOr<TorchPackage> torch = TorchToBuildFor(arguments);
  if (!torch.ok()) return ReportError(torch.status());
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return ReportError(installation.status());
  const absl::Status installed =
      CheckInstalled(installation->plugin_sources_dir);
  if (!installed.ok()) return ReportError(installed);
  absl::StatusOr<std::string> directory = arguments.output;
  if (arguments.output.empty()) directory = PluginDirectory();
  if (!directory.ok()) return ReportError(directory.status());
  std::cerr << "stowage: building the plug-in for PyTorch " << torch->version
            << " in " << torch->directory << "; this takes a minute\n";
  const absl::StatusOr<std::string> path =
      BuildPlugin(*torch, installation->plugin_sources_dir, *directory);
  if (!path.ok()) return ReportError(path.status());
  std::cout << *path << "\n";
  return kExitOk;
}

int List(bool json) {
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return ReportError(installation.status());
  const std::filesystem::path own = installation->plugin_path;
  std::vector<std::string> directories = {own.parent_path() / "stowage"};
  const absl::StatusOr<std::string> users = PluginDirectory();
  if (users.ok()) directories.push_back(*users);
  std::vector<BuiltPlugin> plugins = FindPlugins(directories);
  if (CheckInstalled(own).ok()) {
    plugins.insert(plugins.begin(), {"the distribution's", own});
  }
  Table table({"PyTorch", "plug-in"});
  nlohmann::json rows = nlohmann::json::array();
  for (const BuiltPlugin& plugin : plugins) {
    table.AddRow({plugin.version, plugin.path});
    rows.push_back({{"torch", plugin.version}, {"path", plugin.path}});
  }
  std::cout << (json ? rows.dump(2) + "\n" : table.ToText());
  return kExitOk;
}

void AddBuild(Options& plugin, CommandList& commands) {
  auto arguments = std::make_shared<BuildArguments>();
  Options app = plugin.AddSubcommand(
      "build", "Build the plug-in for a PyTorch that pip has installed");
  app.SetFooter(
      "Needs CMake and a C++ compiler. `stowage run` takes the plug-in whose "
      "version is that of the PyTorch that a process loads.");
  Option python =
      app.Add("--python", arguments->python, "Interpreter whose PyTorch it is")
          .ShowDefault();
  app.Add("--torch", arguments->torch_dir,
          "Directory of the package torch, or of LibTorch")
      .Excludes(python);
  app.Add("--output", arguments->output,
          "Directory of plug-ins; default: ~/.local/share/stowage");
  app.Add("--untested", arguments->untested,
          "Build for a version that the plug-in is not tested with");
  commands.push_back({app, [arguments] { return Build(*arguments); }});
}

}  // namespace

void AddPluginCommands(Options& root, CommandList& commands) {
  Options plugin =
      root.AddSubcommand("plugin", "Build and list PyTorch plug-ins");
  plugin.RequireSubcommand();
  AddBuild(plugin, commands);
  auto json = std::make_shared<bool>(false);
  Options list =
      plugin.AddSubcommand("list", "List the plug-ins that are there");
  list.AddFormat(*json);
  commands.push_back({list, [json] { return List(*json); }});
}

}  // namespace stowage::cli
