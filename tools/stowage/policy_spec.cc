#include "tools/stowage/policy_spec.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "policies/registry.h"
#include "policies/sentinel/sentinel.h"

namespace stowage::cli {

absl::StatusOr<std::unique_ptr<Policy>> MakePolicyFromSpec(
    absl::string_view spec) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(spec, absl::MaxSplits(':', 1));
  if (parts.first.size() == spec.size()) {
    return MakePolicy({spec.data(), spec.size()});
  }
  int layers = 0;
  if (parts.first == "sentinel" && absl::SimpleAtoi(parts.second, &layers) &&
      layers > 0) {
    return std::make_unique<SentinelPolicy>(layers);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "policy '", spec,
      "': only sentinel takes a parameter, the layers of a migration interval "
      "from 1, as in sentinel:8"));
}

absl::StatusOr<std::vector<std::string>> ExpandPolicies(
    const std::vector<std::string>& wanted) {
  if (wanted.size() == 1 && wanted.front() == "all") return PolicyNames();
  for (const std::string& spec : wanted) {
    const absl::Status known = MakePolicyFromSpec(spec).status();
    if (!known.ok()) return known;
  }
  return wanted;
}

}  // namespace stowage::cli
