#include "tools/stowage/run/run_request.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client_sdk/session/size_spec.h"
#include "policies/registry.h"
#include "tools/stowage/plot/python_plot.h"

namespace stowage::cli {
namespace {

// Checks the policy, unless the service is not a private one: it may know other
// policies than this program.
absl::Status CheckPolicy(const RunRequest& request) {
  const bool is_private =
      request.agent_socket.empty() && request.service_address.empty();
  if (!is_private || request.policy.empty() ||
      policies::CapabilitiesOf(request.policy).needs_training) {
    return absl::OkStatus();
  }
  if (policies::MakePolicy(request.policy).ok()) return absl::OkStatus();
  std::vector<std::string> names;
  for (const policies::PolicyInfo& policy : policies::Policies())
    names.push_back(policy.name);
  return absl::InvalidArgumentError(
      absl::StrCat("--policy: there is no policy '", request.policy,
                   "'; the policies are ", absl::StrJoin(names, ", ")));
}

}  // namespace

std::string FastOf(const RunRequest& request) {
  if (request.slowdown.empty()) return request.fast;
  return absl::StrCat(request.fast, ":", request.slowdown);
}

absl::Status CheckRunRequest(const RunRequest& request) {
  if (request.command.empty()) {
    return absl::InvalidArgumentError(
        "no command: give it after '--', as in "
        "'stowage run --fast 40% -- python3 train.py'");
  }
  if (!request.slowdown.empty() && request.fast != "auto") {
    return absl::InvalidArgumentError(
        "--slowdown is how much slower --fast auto may make steps; give both");
  }
  const std::string fast = FastOf(request);
  if (!fast.empty() && !session::ParseLimit(fast) &&
      !session::ParseHostLimit(fast)) {
    return absl::InvalidArgumentError(
        request.slowdown.empty()
            ? absl::StrCat("--fast '", fast, "' ", session::WhyNoLimit(fast),
                           "; or a size for all ranks on this host together "
                           "(\"8GiB/host\")")
            : absl::StrCat("--slowdown '", request.slowdown,
                           "' is not a number above 0 and at most 10, or so "
                           "many percent (\"5%\")"));
  }
  if (!request.floor.empty() && !session::ParseSize(request.floor)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--floor '", request.floor, "' is not ", session::kSizeForms));
  }
  if (!request.system_path.empty() && !request.agent_socket.empty()) {
    return absl::InvalidArgumentError(
        "--system is for a private agent, and --agent names another one; leave "
        "one of them out");
  }
  const absl::Status policy = CheckPolicy(request);
  const bool plots = !request.plot_path.empty();
  if (!policy.ok() || (!plots && !request.lower_bound)) return policy;
  if (!request.agent_socket.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        plots ? "--plot draws what a private agent did"
              : "--lower-bound is of what a private agent profiled",
        "; leave out --agent (and STOWAGE_AGENT) to have one"));
  }
  return plots ? CheckPlotPath(request.plot_path) : absl::OkStatus();
}

}  // namespace stowage::cli
