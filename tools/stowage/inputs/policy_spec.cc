#include "tools/stowage/inputs/policy_spec.h"

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/registry.h"
#include "policies/sentinel/sentinel.h"
#include "tools/stowage/inputs/dqn_file.h"

namespace stowage::cli {
namespace {

// Returns whether the policy needs training, so that it is read from a file.
bool NeedsTraining(absl::string_view name) {
  return policies::CapabilitiesOf({name.data(), name.size()}).needs_training;
}

}  // namespace

absl::StatusOr<std::unique_ptr<policies::Policy>> MakePolicyFromSpec(
    absl::string_view spec) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(spec, absl::MaxSplits(':', 1));
  if (NeedsTraining(spec)) {
    return absl::NotFoundError(absl::StrCat(
        "policy ", spec,
        " needs a trained DQN policy; make one with `stowage train` and name "
        "its file with --dqn, or as ",
        spec, ":FILE"));
  }
  if (parts.first.size() == spec.size()) {
    return policies::MakePolicy({spec.data(), spec.size()});
  }
  if (NeedsTraining(parts.first)) {
    absl::StatusOr<policies::DqnPolicy> policy =
        LoadDqnPolicy(std::string(parts.second));
    if (!policy.ok()) return policy.status();
    return policies::MakeDeepTmPolicy(*std::move(policy));
  }
  int layers = 0;
  if (parts.first == "sentinel" && absl::SimpleAtoi(parts.second, &layers) &&
      layers > 0) {
    return std::make_unique<policies::SentinelPolicy>(layers);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "policy '", spec,
      "': only sentinel and deeptm take a parameter, the layers of a migration "
      "interval from 1, as in sentinel:8, and a file, as in deeptm:a.dqn"));
}

std::string WithDqnFile(const std::string& spec, const std::string& dqn_path) {
  if (!NeedsTraining(spec) || dqn_path.empty()) return spec;
  return absl::StrCat(spec, ":", dqn_path);
}

absl::Status CheckPolicyFile(absl::string_view spec) {
  const std::pair<absl::string_view, std::string> parts =
      absl::StrSplit(spec, absl::MaxSplits(':', 1));
  if (!NeedsTraining(parts.first) || parts.second.empty())
    return absl::OkStatus();
  return LoadDqnPolicy(parts.second).status();
}

absl::Status CheckDqnUse(const std::vector<std::string>& specs,
                         const std::string& dqn_path) {
  if (dqn_path.empty() || absl::c_any_of(specs, NeedsTraining)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--dqn ", dqn_path, " is for the policy deeptm, which is not among: ",
      absl::StrJoin(specs, ", "), "; add it or leave --dqn out"));
}

absl::StatusOr<std::vector<std::string>> ExpandPolicies(
    const std::vector<std::string>& wanted) {
  std::vector<std::string> specs;
  for (const std::string& spec : wanted) {
    if (spec == "all") {
      absl::c_move(policies::PolicyNames(), std::back_inserter(specs));
      continue;
    }
    const absl::Status known = MakePolicyFromSpec(spec).status();
    if (!known.ok()) return known;
    specs.push_back(spec);
  }
  return specs;
}

}  // namespace stowage::cli
