// Makes the step of a larger batch from the steps of two smaller ones.
//
//   absl::StatusOr<Graph> graph =
//       ScaleBatch({small, 4}, {larger, 8}, /*batch=*/512);
//
// Bytes and FLOPs are linear in the batch, so the two captures give the
// constant part (weights) and the part of each sample (activations) exactly.
// Durations follow the roofline rule of rehosting.h on the same processor: each
// kernel keeps the share of its roofline that it reached in the better of the
// two captures. The host's time between kernels, small storages, and workspaces
// that a library took in one capture only do not grow.
//
// Pure function.
#ifndef STOWAGE_POLICIES_SCALING_BATCH_SCALING_H_
#define STOWAGE_POLICIES_SCALING_BATCH_SCALING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"

namespace stowage::policies {

struct BatchCapture {
  const Graph& graph;  // must outlive the call
  int64_t batch = 0;
};

// Returns the graph of batch size `batch`. INVALID_ARGUMENT if the batches do
// not ascend, if the processor's peak is not known, or if the two captures are
// not the same step; then the message names the first kernel or tensor that
// differs.
absl::StatusOr<Graph> ScaleBatch(const BatchCapture& small,
                                 const BatchCapture& larger, int64_t batch);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SCALING_BATCH_SCALING_H_
