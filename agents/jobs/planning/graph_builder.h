// Turns the profile of a step into the graph that planners read.
//
//   absl::StatusOr<CapturedProfile> profile = CopyProfile(segment->profile);
//   GraphBinding binding = BuildGraph(*profile);
//   query.graph = binding.graph;
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_GRAPH_BUILDER_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_GRAPH_BUILDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "agents/jobs/records/captured_profile.h"
#include "stowage/v1/graph.pb.h"

namespace stowage::agent {

// Says how the job recognises a tensor that is alive when a step begins: by the
// profiled block's id, or by where the step before allocated it.
struct InitialKey {
  uint64_t block_id = 0;
  int32_t birth_kernel = -1;
  int32_t birth_ordinal = -1;
};

struct Birth {
  int32_t kernel = 0;
  int32_t ordinal = 0;
  int32_t tensor = 0;
};

// Holds the graph, and what ties its tensors to the blocks that the job sees.
struct GraphBinding {
  uint64_t signature = 0;
  v1::Graph graph;
  std::vector<uint64_t> kernel_keys;
  // By tensor; present for what is alive when a step begins.
  std::vector<std::optional<InitialKey>> initial;
  std::vector<Birth> births;  // by (kernel, ordinal)
};

// Builds the graph from the profile of a step. Pure. A block becomes a tensor
// by where it is at the start and at the end of the step:
//
//   start, end                           tensor
//   not yet, freed                       lives from birth to death, stretched to
//                                        its last use
//   alive, alive                         is persistent
//   alive, freed; a like block of        wraps around the step; where both are
//     this step is alive at the end      alive at once: one is persistent, and
//                                        one lives to the end
//   alive, freed; no like block          is persistent: it may be there again
//   not yet, alive; no successor of      is persistent, known by its birth: the
//     such a block                       next step begins with it
//
// "Like" blocks have the same size, and were allocated at the kernel and
// ordinal that the older block had in the step before. Persistence is the
// cautious answer: room is kept for the whole step.
//
// Library scratch (kBlockRaw) is a workspace, pinned if it outlives its kernel.
// Persistent tensors are weights (kBlockParameter), optimizer state (written in
// the step) or inputs. The others are gradients (kBlockBackward) or
// activations. Tensors are ordered by first use or birth, so that equal steps
// give equal graphs.
GraphBinding BuildGraph(const CapturedProfile& profile);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_GRAPH_BUILDER_H_
