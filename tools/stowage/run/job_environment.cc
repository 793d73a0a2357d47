#include "tools/stowage/run/job_environment.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {
namespace {

constexpr absl::string_view kPreload = "LD_PRELOAD=";

using Variables = std::vector<std::pair<std::string, std::string>>;

// Returns the path for processes that may work in other directories.
std::string StepLogPath(const RunRequest& request) {
  const std::string& path = request.step_log_path;
  if (path.empty() || path == "-") return path;
  return std::filesystem::absolute(path);
}

Variables StowageVariables(const Installation& installation,
                           const RunRequest& request, const JobWiring& wiring) {
  return {
      {"STOWAGE_PLUGIN", installation.plugin_path},
      {"STOWAGE_PYTHON", installation.python_dir},
      {"STOWAGE_AGENT", wiring.agent_socket},
      {"STOWAGE_RUN_ID", wiring.run_id},
      {"STOWAGE_REPORT_DIR", wiring.report_dir},
      {"STOWAGE_FAST", FastOf(request)},
      {"STOWAGE_FLOOR", request.floor},
      {"STOWAGE_SLOW", request.slow},
      {"STOWAGE_POLICY", request.policy},
      {"STOWAGE_CHECKSUMS", request.checksums ? "1" : ""},
      {"STOWAGE_HINTS", request.hints ? "1" : ""},
      {"STOWAGE_STEP_LOG", StepLogPath(request)},
  };
}

bool IsReplaced(absl::string_view entry, const Variables& variables) {
  for (const auto& [name, value] : variables) {
    if (absl::StartsWith(entry, absl::StrCat(name, "="))) return true;
  }
  return absl::StartsWith(entry, kPreload);
}

// The address sanitizer ends programs whose first library is another.
bool MustComeFirst(absl::string_view library) {
  return absl::StrContains(library, "libasan.") ||
         absl::StrContains(library, "libclang_rt.asan");
}

std::string PreloadEntry(const std::vector<std::string>& base,
                         const std::string& library) {
  for (const std::string& entry : base) {
    if (absl::StartsWith(entry, kPreload)) {
      return absl::StrCat(kPreload,
                          WithPreload(library, entry.substr(kPreload.size())));
    }
  }
  return absl::StrCat(kPreload, library);
}

}  // namespace

std::string WithPreload(const std::string& library,
                        const std::string& present) {
  const std::vector<std::string> others =
      absl::StrSplit(present, absl::ByAnyChar(": "), absl::SkipEmpty());
  if (absl::c_linear_search(others, library)) return present;
  const auto behind = absl::c_find_if_not(others, MustComeFirst);
  std::vector<std::string> all(others.begin(), behind);
  all.push_back(library);
  all.insert(all.end(), behind, others.end());
  return absl::StrJoin(all, ":");
}

std::vector<std::string> JobEnvironment(const std::vector<std::string>& base,
                                        const Installation& installation,
                                        const RunRequest& request,
                                        const JobWiring& wiring) {
  const Variables variables = StowageVariables(installation, request, wiring);
  std::vector<std::string> environment;
  for (const std::string& entry : base) {
    if (!IsReplaced(entry, variables)) environment.push_back(entry);
  }
  environment.push_back(PreloadEntry(base, installation.preload_path));
  for (const auto& [name, value] : variables) {
    environment.push_back(absl::StrCat(name, "=", value));
  }
  return environment;
}

std::vector<std::string> CurrentEnvironment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.emplace_back(*entry);
  }
  return environment;
}

}  // namespace stowage::cli
