// Finds the least fast memory that Sentinel does without significant loss
// (IV-E).
//
//   int64_t bytes = SentinelLowerBoundBytes(graph, FindLayers(graph));
//
// Pure function of a valid graph.
#ifndef STOWAGE_POLICIES_SENTINEL_SENTINEL_LOWER_BOUND_H_
#define STOWAGE_POLICIES_SENTINEL_SENTINEL_LOWER_BOUND_H_

#include <cstdint>

#include "policies/intervals/layers.h"
#include "policies/model/graph.h"

namespace stowage::policies {

// Returns the peak of the short-lived tensors plus the largest long-lived one,
// and the storages that are not managed. Plans with less exist, and are slower.
int64_t SentinelLowerBoundBytes(const Graph& graph, const Layers& layers);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SENTINEL_SENTINEL_LOWER_BOUND_H_
