// Finds the fetch after which a tensor may be dropped: its departure then takes
// no copy (planning/drops.h).
//
//   DropIndex index(costs);
//   index.Add(tensor, /*due=*/40, /*fetch=*/7);
//   int fetch = index.FetchBefore(tensor, /*leave=*/90);  // 7: not written
//
// Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_DROP_INDEX_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_DROP_INDEX_H_

#include <utility>
#include <vector>

#include "policies/model/graph.h"
#include "policies/search/absences/cost_model.h"

namespace stowage::policies {

class DropIndex {
 public:
  // Keeps a reference.
  explicit DropIndex(const CostModel& costs)
      : costs_(costs), fetches_(costs.graph().tensors.size()) {}

  // Adds a tensor that is fetched by boundary `due` of the step.
  void Add(TensorIndex tensor, KernelIndex due, int fetch) {
    fetches_[tensor].push_back({due, fetch});
  }

  // Returns the last fetch before boundary `leave` of the step, if no kernel
  // writes the tensor in between; else -1.
  int FetchBefore(TensorIndex tensor, KernelIndex leave) const;

 private:
  const CostModel& costs_;
  std::vector<std::vector<std::pair<KernelIndex, int>>> fetches_;  // by tensor
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_DROP_INDEX_H_
