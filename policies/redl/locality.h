// Computes ReDL's measure of a plan: the share of the tensors that kernels ask
// for which is in fast memory (IV-D). Prediction::locality weighs them by
// bytes.
//
//   DataLocality locality = ComputeDataLocality(graph, plan);
//   // locality.by_kernel[k], locality.overall
//
// Pure function of a valid graph and a verified plan for it.
#ifndef STOWAGE_POLICIES_REDL_LOCALITY_H_
#define STOWAGE_POLICIES_REDL_LOCALITY_H_

#include <vector>

#include "policies/model/graph.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Holds shares from 0 to 1; 1 where nothing is asked for.
struct DataLocality {
  std::vector<double> by_kernel;
  double overall = 1;
};

DataLocality ComputeDataLocality(const Graph& graph, const Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_REDL_LOCALITY_H_
