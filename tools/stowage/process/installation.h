// Finds the parts of Stowage that the command line starts or hands out.
//
//   absl::StatusOr<Installation> installation = FindInstallation();
//
// Binaries are beside the running executable, libraries in ../lib, and
// everything else is in ../share/stowage, both in the build tree and once
// installed.
#ifndef STOWAGE_TOOLS_STOWAGE_PROCESS_INSTALLATION_H_
#define STOWAGE_TOOLS_STOWAGE_PROCESS_INSTALLATION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stowage::cli {

struct Installation {
  std::string service_path;              // stowaged
  std::string agent_path;                // stowage-agent
  std::string preload_path;              // libstowage_preload.so
  std::string plugin_path;               // libstowage_torch.so
  std::string plugin_sources_dir;        // what `stowage plugin build` compiles
  std::string python_dir;                // holds the Python package `stowage`
  std::string plotter_path;              // plot_step.py
  std::string comparison_plotter_path;   // plot_comparison.py
  std::string suite_dir;                 // papers.json, graphs/
  std::string trainer_path;              // stowage-trainer
  std::string training_plotter_path;     // plot_training.py
  std::string explanation_plotter_path;  // plot_explanation.py
  std::string calibration_plotter_path;  // plot_calibration.py
  std::string advice_plotter_path;       // plot_advice.py
};

// Returns the paths, which follow from /proc/self/exe. Does not check that the
// files exist.
absl::StatusOr<Installation> FindInstallation();

// Returns NOT_FOUND, with what to do, unless `path` may be read.
absl::Status CheckInstalled(const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PROCESS_INSTALLATION_H_
