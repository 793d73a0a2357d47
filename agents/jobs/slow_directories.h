// Says which directories jobs may name for their slow tiers.
//
//   absl::StatusOr<SlowDirectories> directories =
//       SlowDirectories::Resolve("file:/mnt/nvme/stowage", {"/scratch"});
//   absl::StatusOr<std::string> tier =
//       directories->TierFor("file:/scratch/alice,size=16GiB", peer);
#ifndef STOWAGE_AGENTS_JOBS_SLOW_DIRECTORIES_H_
#define STOWAGE_AGENTS_JOBS_SLOW_DIRECTORIES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/jobs/peer.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {

// Immutable, hence thread-safe; freely copied. Tiers without a directory are
// everybody's.
class SlowDirectories {
 public:
  // Allows no directory.
  SlowDirectories() = default;
  // Every job may use the directory of `default_tier`, if it has one. In and
  // below `allowed` each job may use what its user may make files in. Symbolic
  // links are followed, now and for good. Errors say which directory does not
  // serve and what to do. Blocks on the file system.
  static absl::StatusOr<SlowDirectories> Resolve(
      const std::string& default_tier, const std::vector<std::string>& allowed);

  // The agent's own default, without symbolic links.
  const std::string& default_tier() const { return default_tier_; }

  // Returns the tier `spec` without symbolic links: TierProviders refuse any,
  // so that nobody puts one there in between. PERMISSION_DENIED where the job
  // may not use its directory, else the errors of ParseTierSpec or those of a
  // directory that does not serve. Blocks on the file system.
  absl::StatusOr<std::string> TierFor(const std::string& spec,
                                      const Peer& peer) const;

 private:
  absl::Status CheckAllowed(const TierSpec& tier, const Peer& peer) const;

  std::string default_tier_;
  std::string default_directory_;  // empty: the default is no directory
  std::vector<std::string> allowed_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_SLOW_DIRECTORIES_H_
