#include "tools/stowage/graphs/captured_graphs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/stowage/import/graph_file.h"

namespace stowage::cli {
namespace {

// Returns the path of the chosen file.
absl::StatusOr<std::string> ChooseFile(const std::vector<std::string>& paths,
                                       int number) {
  if (paths.empty()) {
    return absl::FailedPreconditionError(
        "no step was profiled: the command must train with PyTorch for at "
        "least three steps, in a process that Stowage reaches");
  }
  if (number == 0) return paths.back();
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    names.push_back(std::filesystem::path(path).filename());
    if (absl::StrContains(names.back(), absl::StrCat("-", number, ".graph"))) {
      return path;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--signature ", number, " was not captured; there are ",
                   absl::StrJoin(names, ", ")));
}

}  // namespace

std::vector<std::string> CapturedFiles(const std::string& graph_dir,
                                       const std::string& run_id,
                                       const std::string& ending) {
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> files;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(graph_dir, error)) {
    const std::string name = entry.path().filename();
    if (!absl::StartsWith(name, run_id)) continue;
    if (!absl::EndsWith(name, ending)) continue;
    files.emplace_back(entry.last_write_time(error), entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> paths;
  for (auto& [written_at, path] : files) paths.push_back(std::move(path));
  return paths;
}

std::vector<pid_t> CapturedJobs(const std::string& graph_dir,
                                const std::string& run_id) {
  std::set<pid_t> jobs;
  for (const std::string& path :
       CapturedFiles(graph_dir, run_id, ".graph.pb")) {
    const std::string name = std::filesystem::path(path).filename();
    const std::vector<std::string> parts =
        absl::StrSplit(name.substr(run_id.size() + 1), '-');
    pid_t job = 0;
    if (absl::SimpleAtoi(parts.front(), &job) && job > 0) jobs.insert(job);
  }
  return {jobs.begin(), jobs.end()};
}

absl::StatusOr<policies::Graph> LoadCapturedGraph(const std::string& graph_dir,
                                                  const std::string& run_id,
                                                  int number) {
  const absl::StatusOr<std::string> path =
      ChooseFile(CapturedFiles(graph_dir, run_id, ".graph.pb"), number);
  if (!path.ok()) return path.status();
  absl::StatusOr<LoadedGraph> loaded = LoadGraph(*path, {});
  if (!loaded.ok()) return loaded.status();
  return std::move(loaded->graph);
}

}  // namespace stowage::cli
