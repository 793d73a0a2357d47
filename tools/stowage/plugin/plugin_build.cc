#include "tools/stowage/plugin/plugin_build.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tools/stowage/inputs/input_file.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/process/child_process.h"
#include "tools/stowage/process/temp_directory.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;
constexpr char kLibrary[] = "libstowage_torch.so";
constexpr absl::string_view kPrefix = "torch-";
constexpr size_t kShownBytes = 2000;

std::string EndOf(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return "";
  return text->substr(text->size() - std::min(text->size(), kShownBytes));
}

absl::Status RunStep(const std::vector<std::string>& argv,
                     const std::string& log_path) {
  absl::StatusOr<ChildProcess> child =
      ChildProcess::Start({.argv = argv, .log_path = log_path});
  if (absl::IsNotFound(child.status())) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", argv[0],
                     "' is missing; a plug-in is built with CMake and a "
                     "compiler: apt-get install cmake make g++"));
  }
  if (!child.ok()) return child.status();
  const int exit_status = child->Wait();
  if (exit_status == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(argv[0], " ended with status ", exit_status,
                   " while it built the plug-in:\n", EndOf(log_path)));
}

absl::Status CannotWrite(const fs::path& path, const std::error_code& error) {
  return OutputError(absl::PermissionDeniedError(
      absl::StrCat("cannot write '", path.string(), "': ", error.message(),
                   "; name another directory with --output")));
}

absl::Status MakeDirectory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return CannotWrite(directory, error);
  return CheckWritable(directory / kLibrary);
}

// Copies beside the goal and renames, so that jobs that start meanwhile find
// the old plug-in or the new one.
absl::Status Install(const fs::path& built, const fs::path& goal) {
  std::error_code error;
  const fs::path beside = goal.string() + ".new";
  fs::copy_file(built, beside, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(beside, goal, error);
  return error ? CannotWrite(goal, error) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> PluginDirectory() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && data[0] == '/') return absl::StrCat(data, "/stowage");
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') {
    return absl::StrCat(home, "/.local/share/stowage");
  }
  return absl::FailedPreconditionError(
      "neither HOME nor XDG_DATA_HOME is set: name a directory with --output");
}

std::vector<BuiltPlugin> FindPlugins(
    const std::vector<std::string>& directories) {
  std::vector<BuiltPlugin> plugins;
  for (const std::string& directory : directories) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
      const std::string name = entry.path().filename();
      absl::string_view version = name;
      const fs::path path = entry.path() / kLibrary;
      if (!absl::ConsumePrefix(&version, kPrefix) || !fs::exists(path, error)) {
        continue;
      }
      plugins.push_back({std::string(version), path});
    }
  }
  std::sort(plugins.begin(), plugins.end(),
            [](const BuiltPlugin& a, const BuiltPlugin& b) {
              return a.path < b.path;
            });
  return plugins;
}

absl::StatusOr<std::string> BuildPlugin(const TorchPackage& torch,
                                        const std::string& sources,
                                        const std::string& directory) {
  const fs::path goal =
      fs::path(directory) / absl::StrCat(kPrefix, torch.version) / kLibrary;
  const absl::Status writable = MakeDirectory(goal.parent_path());
  if (!writable.ok()) return writable;
  const absl::StatusOr<TempDirectory> build = TempDirectory::Make();
  if (!build.ok()) return build.status();
  const std::string log = build->path() + "/log";
  absl::Status step = RunStep(
      {"cmake", "-S", sources + "/client_sdk/torch/standalone", "-B",
       build->path(), absl::StrCat("-DSTOWAGE_TORCH_DIR=", torch.directory)},
      log);
  if (step.ok()) {
    step = RunStep({"cmake", "--build", build->path(), "--parallel"}, log);
  }
  if (step.ok()) step = Install(fs::path(build->path()) / kLibrary, goal);
  if (!step.ok()) return step;
  return goal.string();
}

}  // namespace stowage::cli
