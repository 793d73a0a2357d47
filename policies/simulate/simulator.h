// Says how long a step takes under a plan. Nothing else defines time.
//
//   absl::StatusOr<Simulation> simulation = Simulate(graph, system, plan);
//   plan.prediction = simulation->prediction;
//
// Kernels run in order. At boundary b, moves with deadline b are waited for,
// and moves with start b are queued on the lane of their (from, to) pair
// (lane_clocks.h); contiguous moves are one copy (see contiguous_moves.h), and a
// drop takes no time. Then kernel b
// waits its gap and runs for its duration given where its operands are: linear
// between the four corners of the implementation that the plan chose, by share
// of bytes touched; streamed operands add what StreamNs says (kernel_cost.h).
// Lanes that copy meanwhile slow it (interference.h). Every move ends within
// its step and a plan is cyclic, so one pass is the steady state.
#ifndef STOWAGE_POLICIES_SIMULATE_SIMULATOR_H_
#define STOWAGE_POLICIES_SIMULATE_SIMULATOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/cancellation.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Holds what happened at one kernel, times since the start of the step.
struct KernelTrace {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t stall_ns = 0;    // waited at the boundary before it
  int64_t fast_bytes = 0;  // held in the fast tier while it ran
};

struct MoveTrace {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

struct Simulation {
  Prediction prediction;
  std::vector<KernelTrace> kernels;
  std::vector<MoveTrace> moves;  // parallel to Plan::moves
};

// Simulates a step. INVALID_ARGUMENT if the plan refers to things that the
// graph or the system does not have. CANCELLED. It does not verify: see
// verifier.h.
absl::StatusOr<Simulation> Simulate(const Graph& graph,
                                    const MemorySystem& system,
                                    const Plan& plan,
                                    const Cancellation& cancellation = {});

// Returns when copies are issued at each of the K + 1 boundaries of a step that
// was simulated.
std::vector<int64_t> IssueNs(const Graph& graph, const Simulation& simulation);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SIMULATE_SIMULATOR_H_
