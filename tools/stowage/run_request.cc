#include "tools/stowage/run_request.h"

#include "absl/strings/str_cat.h"
#include "client_sdk/runtime/size_spec.h"
#include "tools/stowage/python_plot.h"

namespace stowage::cli {

absl::Status CheckRunRequest(const RunRequest& request) {
  if (request.command.empty()) {
    return absl::InvalidArgumentError(
        "no command: give it after '--', as in "
        "'stowage run --fast 40% -- python3 train.py'");
  }
  if (!request.fast.empty() && !ParseLimit(request.fast)) {
    return absl::InvalidArgumentError(absl::StrCat("--fast ", request.fast,
                                                   ": not a limit; give ",
                                                   std::string(kLimitForms)));
  }
  if (request.plot_path.empty()) return absl::OkStatus();
  if (!request.agent_socket.empty()) {
    return absl::InvalidArgumentError(
        "--plot draws what a private agent did; leave out --agent (and "
        "STOWAGE_AGENT) to have one");
  }
  return CheckPlotPath(request.plot_path);
}

}  // namespace stowage::cli
