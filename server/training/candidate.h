// Whether a newly trained policy is better than the one that serves.
//
//   double cost = RelativeCost(graph, settings, prices, candidate.prediction,
//                              serving.prediction);
//   if (cost < 1) promote();
#ifndef STOWAGE_SERVER_TRAINING_CANDIDATE_H_
#define STOWAGE_SERVER_TRAINING_CANDIDATE_H_

#include "policies/deeptm/dqn/dqn_settings.h"
#include "policies/model/graph.h"
#include "policies/plan/plan.h"

namespace stowage {

// What the candidate's plan costs, the serving one's being 1: step time and
// price of the memory it takes, weighed by the cost priority as in DeepTM's
// eq. 13, both relative to the serving plan's. The price is that of the fast
// peak and of the rest of the graph's peak in slow memory (eq. 12); where
// prices are not known only time counts.
double RelativeCost(const Graph& graph, const DqnSettings& settings,
                    const UnitPrices& prices, const Prediction& candidate,
                    const Prediction& serving);

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_CANDIDATE_H_
