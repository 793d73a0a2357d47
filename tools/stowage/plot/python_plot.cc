#include "tools/stowage/plot/python_plot.h"

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/stowage/inputs/input_file.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/process/child_process.h"
#include "tools/stowage/process/temp_directory.h"

namespace stowage::cli {
namespace {

using nlohmann::json;

// Debian's Python, which has Debian's matplotlib.
constexpr char kPython[] = "/usr/bin/python3";

}  // namespace

absl::Status CheckPlotPath(const std::string& path) {
  if (absl::EndsWith(path, ".svg") || absl::EndsWith(path, ".png")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--plot ", path, ": the name must end in .svg or .png"));
}

absl::Status DrawWithPython(const std::string& script, const json& data,
                            const std::string& path) {
  absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  if (!directory.ok()) return directory.status();
  const std::string data_path = absl::StrCat(directory->path(), "/data.json");
  const std::string log_path = absl::StrCat(directory->path(), "/log");
  const absl::Status written = WriteFileAtomically(
      data_path, data.dump(-1, ' ', false, json::error_handler_t::replace));
  if (!written.ok()) return written;
  absl::StatusOr<ChildProcess> process = ChildProcess::Start(
      {.argv = {kPython, script, data_path, path}, .log_path = log_path});
  if (!process.ok()) return process.status();
  if (process->Wait() == 0) return absl::OkStatus();
  const absl::StatusOr<std::string> log = ReadFile(log_path);
  return absl::FailedPreconditionError(
      absl::StrCat("cannot draw '", path, "': ",
                   log.ok() ? absl::StripAsciiWhitespace(*log)
                            : "the script wrote nothing"));
}

}  // namespace stowage::cli
