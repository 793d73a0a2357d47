// Says whether an agent and the service are near enough to each other in version
// to work together.
//
//   absl::Status speaks = CheckVersionSkew(request.agent_version(), "0.3.0");
#ifndef STOWAGE_SERVER_FLEET_VERSION_SKEW_H_
#define STOWAGE_SERVER_FLEET_VERSION_SKEW_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage {

// Returns OK if both are of the same major version and their minor versions
// differ by one at most, so that a cluster can be upgraded node by node; also if
// `agent` is empty or is not two numbers with a dot between. FAILED_PRECONDITION
// says which of the two to upgrade.
absl::Status CheckVersionSkew(absl::string_view agent,
                              absl::string_view service);

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_VERSION_SKEW_H_
