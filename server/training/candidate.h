// Decides whether a newly trained policy is better than the one that serves.
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

// Returns the cost of the candidate's plan, where that of the serving one is 1:
// step time and price of the memory that it takes, weighed by the cost priority
// as in DeepTM's eq. 13, both relative to the serving plan. The price is that
// of the fast peak and of the rest of the graph's peak in slow memory (eq. 12);
// where prices are not known only time counts.
double RelativeCost(const policies::Graph& graph,
                    const policies::DqnSettings& settings,
                    const policies::UnitPrices& prices,
                    const policies::Prediction& candidate,
                    const policies::Prediction& serving);

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_CANDIDATE_H_
