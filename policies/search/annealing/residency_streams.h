// Finds what kernels stream where their operands are not in the fast tier.
//
//   input.streams = StreamsOf(graph, input.streams, residencies);
//
// Pure function.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_STREAMS_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_STREAMS_H_

#include <vector>

#include "policies/model/graph.h"
#include "policies/plan/plan.h"
#include "policies/search/annealing/residency_neighbour.h"

namespace stowage::policies {

// Returns, at the kernels of `streams`, the operands that no residency covers;
// kernels without such operands are left out.
std::vector<Stream> StreamsOf(const Graph& graph,
                              const std::vector<Stream>& streams,
                              const ResidenciesByTensor& residencies);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_STREAMS_H_
