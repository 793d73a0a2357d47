// Decides whether a newly trained policy is better than the one that serves.
//
//   double cost = RelativeCost(graph, settings, prices, candidate.prediction,
//                              serving.prediction);
//   if (cost < 1) Promote(candidate);
#ifndef STOWAGE_SERVER_TRAINING_CANDIDATE_H_
#define STOWAGE_SERVER_TRAINING_CANDIDATE_H_

#include "policies/deeptm/dqn/dqn_settings.h"
#include "policies/model/graph.h"
#include "policies/plan/plan.h"

namespace stowage {

// Returns the cost of the candidate's plan relative to the serving one, whose
// cost is 1. The cost is step time and price of memory, both relative to the
// serving plan, weighed by the cost priority as in DeepTM's eq. 13. The price
// is that of the fast peak, and of the rest of the graph's peak in slow memory
// (eq. 12). If prices are not known, only time counts.
double RelativeCost(const policies::Graph& graph,
                    const policies::DqnSettings& settings,
                    const policies::UnitPrices& prices,
                    const policies::Prediction& candidate,
                    const policies::Prediction& serving);

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_CANDIDATE_H_
