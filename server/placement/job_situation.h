// Checks the situation that a job states before a kernel.
//
//   absl::Status valid = CheckSituation(situation, graph.kernel_count(),
//                                       graph.tensors, /*tier_count=*/2);
#ifndef STOWAGE_SERVER_PLACEMENT_JOB_SITUATION_H_
#define STOWAGE_SERVER_PLACEMENT_JOB_SITUATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "stowage/v1/placement.pb.h"

namespace stowage {

// Plain data.
struct JobSituation {
  policies::KernelIndex kernel = 0;
  std::vector<v1::Resident> residents;
  std::vector<int64_t> free_bytes;  // by tier; empty: not said
};

// Checks a situation. INVALID_ARGUMENT names a kernel, tensor or tier that does
// not exist, a tensor that is not alive at the kernel, or bytes below 0. Pure.
absl::Status CheckSituation(const JobSituation& situation,
                            policies::KernelIndex kernel_count,
                            const std::vector<policies::Tensor>& tensors,
                            policies::TierIndex tier_count);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_JOB_SITUATION_H_
