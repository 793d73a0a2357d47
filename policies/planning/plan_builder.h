// Makes a plan from residencies: a policy decides which tensor is in the fast
// tier when, and the builder chooses addresses in every tier and writes the
// moves.
//
//   Residency weight{
//       .tensor = 3, .begin = 0, .ready = 0, .leave = 9, .end = 9};
//   BuildInput input{.residencies = {weight}, .fast_limit_bytes = 1 << 30};
//   absl::StatusOr<Plan> plan = BuildPlan(graph, system, input);
//
// Pure functions, deterministic.
#ifndef STOWAGE_POLICIES_PLANNING_PLAN_BUILDER_H_
#define STOWAGE_POLICIES_PLANNING_PLAN_BUILDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/layout/address_layout.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/cancellation.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Describes a tensor's residency in the fast tier, in boundaries. It holds room
// there from `begin` to `end`, and kernels find it there from `ready` to `end`
// - 1.
//
// If `moved_in`, a move starts at `begin` with deadline `ready`. Otherwise
// begin == ready is the tensor's birth, or 0 if it is there as the step begins.
// If `moved_out`, a move starts at `leave` with deadline `end`. Otherwise leave
// == end is the death kernel + 1, or kernel_count + 1 if the tensor is still
// there as the step ends; it must then be there as the step begins, too.
struct Residency {
  TensorIndex tensor = 0;
  KernelIndex begin = 0;
  KernelIndex ready = 0;
  KernelIndex leave = 0;
  KernelIndex end = 0;
  bool moved_in = false;
  bool moved_out = false;
  // Whether it is laid out before all residencies that are not early, so that
  // the early ones share the low end of the arena. A wish, dropped with the
  // blocks.
  bool early = false;
  // Residencies of one block (>= 0) share one stretch of addresses, each
  // `block_offset_bytes` into it, a multiple of kPlacementAlignmentBytes. The
  // stretch is held from the first one's begin to the last one's end. This is a
  // wish, and is dropped for all blocks if addresses do not fit. A tensor that
  // is alive as a step begins cannot be in a block.
  int32_t block = -1;
  int64_t block_offset_bytes = 0;
  // Its place in the fast arena; negative: to be found. Places count only if
  // all residencies have one; then they do not overlap.
  int64_t offset_bytes = -1;
};

struct BuildInput {
  // By (tensor, begin). A tensor that is alive and in no residency is in a
  // slower tier.
  std::vector<Residency> residencies;
  std::vector<Stream> streams;  // by kernel
  int64_t fast_limit_bytes = 0;
  // By tensor: the first slower tier to try for its place there; empty: tier 1
  // for all. Tiers that have no room for it, or that cannot be used the way it
  // is used, are passed over for the next. If some tensors find no place so,
  // the wish is dropped for all.
  std::vector<TierIndex> first_slow_tier;
  // The work of repairing the layout of the fast tier if misfits are wanted;
  // see RepairLayout.
  int64_t repair_work = kRepairWork;
  Cancellation cancellation;
};

// Makes the plan. RESOURCE_EXHAUSTED if no address layout of the fast tier fits
// the limit; FAILED_PRECONDITION if the slower tiers are too small or none of
// them can be used the way the input uses it. `misfits`, if given, is set to
// the residencies without an address in the layout that leaves out least; the
// limit is exhausted if there are any. CANCELLED by the input's cancellation.
absl::StatusOr<Plan> BuildPlan(const Graph& graph, const MemorySystem& system,
                               const BuildInput& input,
                               std::vector<Residency>* misfits = nullptr);

// Sorts moves into the order of a plan. At one boundary, moves out of the fast
// tier go first, since moves into it may need their room; synchronous ones go
// before those that can wait.
void SortMoves(std::vector<Move>& moves);

// Makes a plan of the same decisions without an address layout: every offset is
// 0, slower tiers have no capacity and the graph id is empty. It is for the
// simulator to judge; no verifier accepts it.
Plan SketchPlan(const Graph& graph, const MemorySystem& system,
                const BuildInput& input);

// Returns residencies that keep every tensor in the fast tier for all of its
// life.
std::vector<Residency> AllFastResidencies(const Graph& graph);

// Returns the least limit with which AllFastResidencies fit.
int64_t AllFastBytes(const Graph& graph);

// Returns the residencies that find no address when all others are placed as
// BuildPlan first tries it. If it says RESOURCE_EXHAUSTED, these are why.
// Without them, BuildPlan finds addresses.
std::vector<Residency> FindUnplaced(const Graph& graph,
                                    const BuildInput& input);

// Returns the room for tensors in the fast tier: the limit without the
// unmanaged storages. It may be negative.
int64_t ArenaBytes(const Graph& graph, const BuildInput& input);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_PLAN_BUILDER_H_
