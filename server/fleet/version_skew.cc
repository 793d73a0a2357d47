#include "server/fleet/version_skew.h"

#include <cstdlib>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace stowage {
namespace {

constexpr int kMostMinors = 1;

struct Version {
  int major = 0;
  int minor = 0;
};

std::optional<Version> VersionOf(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  Version version;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[0], &version.major) ||
      !absl::SimpleAtoi(parts[1], &version.minor)) {
    return std::nullopt;
  }
  return version;
}

}  // namespace

absl::Status CheckVersionSkew(absl::string_view agent,
                              absl::string_view service) {
  const std::optional<Version> theirs = VersionOf(agent);
  const std::optional<Version> ours = VersionOf(service);
  if (!theirs || !ours) return absl::OkStatus();
  if (theirs->major == ours->major &&
      std::abs(theirs->minor - ours->minor) <= kMostMinors) {
    return absl::OkStatus();
  }
  const bool is_agent_older = std::tie(theirs->major, theirs->minor) <
                              std::tie(ours->major, ours->minor);
  return absl::FailedPreconditionError(absl::StrCat(
      "the agent is of version ", agent, " and the service of ", service,
      ", and they may be one minor version apart; upgrade the ",
      is_agent_older ? "agent" : "service"));
}

}  // namespace stowage
