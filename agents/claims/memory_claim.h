// Says what memory of this node a claim has, whoever asked for it: a scheduler
// of Kubernetes, of Slurm, or an operator.
//
//   const MemoryClaim claim{.id = "slurm-17", .owner = "claim 'slurm-17'",
//                           .fast_bytes = int64_t{8} << 30,
//                           .slow_bytes = int64_t{64} << 30, .user = 1000};
//   absl::StatusOr<MemoryClaim> again = ReadMemoryClaim(JsonOf(claim));
#ifndef STOWAGE_AGENTS_CLAIMS_MEMORY_CLAIM_H_
#define STOWAGE_AGENTS_CLAIMS_MEMORY_CLAIM_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace stowage::agent {

// Plain data.
struct MemoryClaim {
  std::string id;     // part of the names of files
  std::string owner;  // for people: "claim 'default/mlp'"
  int64_t fast_bytes = 0;
  int64_t slow_bytes = 0;
  // Whose jobs are served, beside root's and those of the agent's user; none:
  // those of whoever reaches the socket.
  std::optional<uid_t> user;
  // An object with what whoever asked for the claim keeps with it.
  nlohmann::json details = nlohmann::json::object();
};

// Returns INVALID_ARGUMENT, with the rule, unless `id` has 1 to 64 letters,
// digits, '.', '_' and '-', does not begin with '.' and has no ".json". Pure.
absl::Status CheckClaimId(absl::string_view id);

// Writes a claim for the next agent on this node, and reads it: INVALID_ARGUMENT
// if it is none. What an agent of another release has written is read, too. Pure.
nlohmann::json JsonOf(const MemoryClaim& claim);
absl::StatusOr<MemoryClaim> ReadMemoryClaim(nlohmann::json json);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_CLAIMS_MEMORY_CLAIM_H_
