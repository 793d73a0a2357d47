#include "tools/stowage/graphs/captured_graphs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/stowage/import/graph_file.h"

namespace stowage::cli {
namespace {

struct GraphFile {
  std::filesystem::file_time_type written_at;
  std::string path;
};

// Returns the files of the run, oldest first.
std::vector<GraphFile> GraphFiles(const std::string& graph_dir,
                                  const std::string& run_id) {
  std::vector<GraphFile> files;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(graph_dir, error)) {
    const std::string name = entry.path().filename();
    if (!absl::StartsWith(name, run_id)) continue;
    files.push_back({entry.last_write_time(error), entry.path()});
  }
  std::sort(
      files.begin(), files.end(), [](const GraphFile& a, const GraphFile& b) {
        return std::tie(a.written_at, a.path) < std::tie(b.written_at, b.path);
      });
  return files;
}

absl::Status NothingProfiled() {
  return absl::FailedPreconditionError(
      "no step was profiled: the command must train with PyTorch for at least "
      "three steps, in a process that Stowage reaches");
}

absl::StatusOr<policies::Graph> Load(const std::string& path) {
  absl::StatusOr<LoadedGraph> loaded = LoadGraph(path, {});
  if (!loaded.ok()) return loaded.status();
  return std::move(loaded->graph);
}

// Returns the path of the chosen file. The agent names them
// "<run id>-<pid>-<number>.graph.pb".
absl::StatusOr<std::string> ChooseFile(const std::vector<GraphFile>& files,
                                       int number) {
  if (files.empty()) return NothingProfiled();
  if (number == 0) return files.back().path;
  std::vector<std::string> names;
  for (const GraphFile& file : files) {
    names.push_back(std::filesystem::path(file.path).filename());
    if (absl::StrContains(names.back(), absl::StrCat("-", number, ".graph"))) {
      return file.path;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--signature ", number, " was not captured; there are ",
                   absl::StrJoin(names, ", ")));
}

}  // namespace

absl::StatusOr<policies::Graph> LoadCapturedGraph(const std::string& graph_dir,
                                                  const std::string& run_id,
                                                  int number) {
  const absl::StatusOr<std::string> path =
      ChooseFile(GraphFiles(graph_dir, run_id), number);
  if (!path.ok()) return path.status();
  return Load(*path);
}

absl::StatusOr<std::vector<policies::Graph>> LoadCapturedGraphs(
    const std::string& graph_dir, const std::string& run_id) {
  std::vector<GraphFile> files = GraphFiles(graph_dir, run_id);
  if (files.empty()) return NothingProfiled();
  std::reverse(files.begin(), files.end());
  std::vector<policies::Graph> graphs;
  for (const GraphFile& file : files) {
    absl::StatusOr<policies::Graph> graph = Load(file.path);
    if (!graph.ok()) return graph.status();
    graphs.push_back(*std::move(graph));
  }
  return graphs;
}

}  // namespace stowage::cli
