// Declares the one interface of everything that makes plans.
//
//   std::unique_ptr<Policy> policy = *MakePolicy("belady");   // registry.h
//   absl::StatusOr<Plan> plan =
//       policy->MakePlan(graph, system, {.fast_limit_bytes = 1 << 30});
//
// A policy does no I/O, starts no threads of its own and is deterministic: the
// same graph, system and options give the same plan, byte for byte.
#ifndef STOWAGE_POLICIES_PLAN_POLICY_H_
#define STOWAGE_POLICIES_PLAN_POLICY_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/cancellation.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Calls two functions and returns when both have returned.
using CallBoth = std::function<void(const std::function<void()>&,
                                    const std::function<void()>&)>;

struct PlanOptions {
  int64_t fast_limit_bytes = 0;
  int64_t seed = 0;
  // How long an anytime planner may think; zero means the policy's default.
  absl::Duration time_limit = absl::ZeroDuration();
  // A policy has no threads of its own. The caller may give it a function that
  // calls two others at the same time: the plan is the same, sooner. If empty,
  // they run one after the other.
  CallBoth call_both;
  // Ends the planning early, within about a second. The possibility of
  // cancellation does not change a plan.
  Cancellation cancellation;
};

// Says what a caller has to know of a policy beside its plans.
struct PolicyCapabilities {
  // Plans only with a policy that was trained for the graph and the memory
  // system. While training goes on, its plans become better.
  bool needs_training = false;
  // Decides kernel by kernel where a job is not as its plan has it.
  bool answers_online = false;
  // Chooses the implementation that a kernel runs where there are several.
  bool chooses_implementations = false;
  // Has a plan after a fraction of its own time that is hardly worse.
  bool plans_briefly = false;
};

// Stateless and safe to call from several threads.
class Policy {
 public:
  virtual ~Policy() = default;

  // Returns the name as the registry and the command line spell it: "belady".
  virtual std::string_view name() const = 0;
  // Returns one line for people, with the source of the algorithm.
  virtual std::string_view description() const = 0;
  virtual PolicyCapabilities capabilities() const { return {}; }

  // Makes a plan for a valid graph. FAILED_PRECONDITION if the limit is too
  // small: the message names the binding kernel and the least limit that works.
  // CANCELLED if the options' cancellation came before the plan.
  virtual absl::StatusOr<Plan> MakePlan(const Graph& graph,
                                        const MemorySystem& system,
                                        const PlanOptions& options) const = 0;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLAN_POLICY_H_
