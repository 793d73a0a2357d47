// Claims trainings for tests of what a holder may do.
//
//   TrainingClaim claim = ClaimNew(trainings, graph_id, "a");
#ifndef STOWAGE_TESTS_UNIT_SERVER_TRAINING_CLAIMS_H_
#define STOWAGE_TESTS_UNIT_SERVER_TRAINING_CLAIMS_H_

#include <string>

#include "absl/time/time.h"
#include "server/training/training_store.h"

namespace stowage {

inline constexpr char kHolder[] = "holder";

// Adds a training for the graph, which must be stored, and claims it.
inline TrainingClaim ClaimNew(TrainingStore& store, const std::string& graph_id,
                              const std::string& request_id) {
  v1::StartTrainingRequest request;
  request.set_request_id(request_id);
  v1::Training training;
  training.set_graph_id(graph_id);
  training.set_state(v1::TRAINING_STATE_QUEUED);
  store.AddTraining(request, training).value();
  return {store.Claim(kHolder, absl::Hours(1)).value()->training.training_id(),
          kHolder};
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_SERVER_TRAINING_CLAIMS_H_
