#include "tools/stowage/run_request.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {

absl::Status CheckRunRequest(const RunRequest& request) {
  if (request.command.empty()) {
    return absl::InvalidArgumentError(
        "no command: give it after '--', as in "
        "'stowage run --fast 40% -- python3 train.py'");
  }
  if (!request.plot_path.empty() &&
      !absl::EndsWith(request.plot_path, ".svg") &&
      !absl::EndsWith(request.plot_path, ".png")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--plot ", request.plot_path, ": the name must end in .svg or .png"));
  }
  return absl::OkStatus();
}

}  // namespace stowage::cli
