// Says which directories jobs may name for their slow tiers.
//
//   absl::StatusOr<SlowDirectories> directories =
//       SlowDirectories::Resolve("file:/mnt/nvme/stowage", {"/scratch"});
//   absl::StatusOr<std::string> tier =
//       directories->TierFor("file:/scratch/alice,size=16GiB", peer);
#ifndef STOWAGE_AGENTS_JOBS_ADMISSION_SLOW_DIRECTORIES_H_
#define STOWAGE_AGENTS_JOBS_ADMISSION_SLOW_DIRECTORIES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/jobs/admission/peer.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {

// Immutable, hence thread-safe; freely copied. Every job may use a tier without
// a directory.
class SlowDirectories {
 public:
  // Allows no directory.
  SlowDirectories() = default;
  // Lets every job use the directory of `default_tier`, if it has one, and each
  // job those directories in and below `allowed` in which its user may make
  // files. Follows symbolic links now, once and for all. Errors say which
  // directory cannot be used and what to do. Blocks on the file system.
  static absl::StatusOr<SlowDirectories> Resolve(
      const std::string& default_tier, const std::vector<std::string>& allowed);

  // Returns the agent's own default, without symbolic links.
  const std::string& default_tier() const { return default_tier_; }

  // Returns the tier `spec` without symbolic links. TierProviders refuse links,
  // so nobody can put one there in between. PERMISSION_DENIED if the job may
  // not use the directory; other errors are those of ParseTierSpec() and of a
  // directory that cannot be used. Blocks on the file system.
  absl::StatusOr<std::string> TierFor(const std::string& spec,
                                      const Peer& peer) const;

 private:
  absl::Status CheckAllowed(const TierSpec& tier, const Peer& peer) const;

  std::string default_tier_;
  std::string default_directory_;  // empty: the default is no directory
  std::vector<std::string> allowed_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_ADMISSION_SLOW_DIRECTORIES_H_
