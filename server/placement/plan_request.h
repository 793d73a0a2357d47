// Holds what determines a plan, and derives the plan's id.
//
//   PlanRequest request{.graph_id = id, .system = system,
//                       .fast_limit_bytes = 1 << 30, .policy = "belady"};
//   std::string plan_id = PlanId(request);
#ifndef STOWAGE_SERVER_PLACEMENT_PLAN_REQUEST_H_
#define STOWAGE_SERVER_PLACEMENT_PLAN_REQUEST_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "policies/model/memory_system.h"

namespace stowage {

// Plain data.
struct PlanRequest {
  std::string graph_id;
  policies::MemorySystem system;
  int64_t fast_limit_bytes = 0;  // > 0
  std::string policy;            // as the registry spells it
  int64_t seed = 0;
  // Identifies the DQN policy that makes the plan; empty: none does.
  std::string dqn_digest;
  // Whether to make the plan anew, from the profile that the graph has now,
  // even if it is in the store.
  bool replan = false;
  // How long the policy may think; zero: its own time.
  absl::Duration think_time = absl::ZeroDuration();
  // Whether nothing waits for the plan.
  bool background = false;
  // Whether a job waits for it, and asks for a better one later.
  bool brief = false;
};

// Returns the hex SHA-256 of every field but the last three flags. Requests
// with the same id have the same plan. The graph's structure counts and its
// profile does not: a job that registers a new profile of a known graph finds
// its plan ready.
std::string PlanId(const PlanRequest& request);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_PLAN_REQUEST_H_
