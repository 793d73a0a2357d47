// From the profile of a step to the graph that planners read.
//
//   absl::StatusOr<CapturedProfile> profile = CopyProfile(segment->profile);
//   GraphBinding binding = BuildGraph(*profile);
//   query.graph = binding.graph;
#ifndef STOWAGE_AGENTS_JOBS_GRAPH_BUILDER_H_
#define STOWAGE_AGENTS_JOBS_GRAPH_BUILDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "agents/jobs/captured_profile.h"
#include "stowage/v1/graph.pb.h"

namespace stowage::agent {

// How the job recognises a tensor that is alive when a step begins: by the
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

// The graph, and what ties its tensors to what the job sees of them.
struct GraphBinding {
  uint64_t signature = 0;
  v1::Graph graph;
  std::vector<uint64_t> kernel_keys;
  // By tensor; present for what is alive when a step begins.
  std::vector<std::optional<InitialKey>> initial;
  std::vector<Birth> births;  // by (kernel, ordinal)
};

// Pure. What becomes of a block:
//
// | at the step's start | at its end | tensor |
// |---|---|---|
// | not yet | freed | one life, birth to death (stretched to the last use) |
// | alive | alive | persistent |
// | alive | freed, a like block of this step is alive at the end | one that
// wraps; where both are alive at once: a persistent one and one that lives to
// the end | | alive | freed, no such block | persistent: it may be there again
// | | not yet | alive, not the successor of such a block | persistent, known by
// its birth: the next step begins with it |
//
// "Like" means: allocated at the kernel and ordinal that the older block had in
// the step before, of the same size. Persistence is the cautious answer: room
// is kept for the whole step.
//
// Kinds: library scratch (kBlockRaw) is a workspace, pinned when it outlives
// its kernel; persistent tensors are weights (kBlockParameter), optimizer state
// (written in the step) or inputs; the rest gradients (kBlockBackward) or
// activations. Tensors are ordered by first use or birth, so that equal steps
// give equal graphs.
GraphBinding BuildGraph(const CapturedProfile& profile);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_GRAPH_BUILDER_H_
