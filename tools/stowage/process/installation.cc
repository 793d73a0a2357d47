#include "tools/stowage/process/installation.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace stowage::cli {

absl::StatusOr<Installation> FindInstallation() {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return absl::InternalError(absl::StrCat(
        "cannot find this executable: /proc/self/exe: ", error.message()));
  }
  const std::filesystem::path bin = self.parent_path();
  const std::filesystem::path lib = bin.parent_path() / "lib";
  const std::filesystem::path share = bin.parent_path() / "share/stowage";
  return Installation{
      .service_path = bin / "stowaged",
      .agent_path = bin / "stowage-agent",
      .preload_path = lib / "libstowage_preload.so",
      .plugin_path = lib / "libstowage_torch.so",
      .plugin_sources_dir = share / "plugin",
      .python_dir = share / "python",
      .plotter_path = share / "plot/plot_step.py",
      .comparison_plotter_path = share / "plot/plot_comparison.py",
      .suite_dir = share / "suites",
      .trainer_path = bin / "stowage-trainer",
      .training_plotter_path = share / "plot/plot_training.py",
      .explanation_plotter_path = share / "plot/plot_explanation.py",
      .calibration_plotter_path = share / "plot/plot_calibration.py",
      .advice_plotter_path = share / "plot/plot_advice.py",
  };
}

absl::Status CheckInstalled(const std::string& path) {
  if (access(path.c_str(), R_OK) == 0) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(
      "'", path,
      "' is missing: this installation of Stowage is not complete; "
      "build all of it (cmake --build) or install it again"));
}

}  // namespace stowage::cli
