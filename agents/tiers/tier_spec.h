// Parses the name of a tier: "KIND[:ARGUMENT][,size=SIZE]".
//
//   absl::StatusOr<TierSpec> spec = ParseTierSpec("file:/mnt/nvme,size=16GiB");
#ifndef STOWAGE_AGENTS_TIERS_TIER_SPEC_H_
#define STOWAGE_AGENTS_TIERS_TIER_SPEC_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::agent {

struct TierSpec {
  std::string text;        // as it was given
  std::string kind;        // "dram", "pmem", "numa", "file", "emulated"
  std::string argument;    // directory, node number or medium; may be empty
  int64_t size_bytes = 0;  // 0: the kind's default
};

// Parses `text` and does not look at the machine. INVALID_ARGUMENT names the
// unknown kind or option and lists the known ones.
absl::StatusOr<TierSpec> ParseTierSpec(absl::string_view text);

// Returns whether the argument is a directory.
bool NamesDirectory(const TierSpec& spec);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_TIER_SPEC_H_
