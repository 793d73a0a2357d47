// Computes the episodic reward of DeepTM (IV-C, eq. 9 to 13).
//
//   double reward = EpisodicReward(environment, outcome, settings, prices);
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_REWARD_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_REWARD_H_

#include <cstdint>

#include "policies/deeptm/dqn/dqn_settings.h"
#include "policies/deeptm/environment.h"
#include "policies/deeptm/episode.h"

namespace stowage::policies {

// Returns C_normal, eq. 11: 0 if everything is fast, 1 if everything is slow.
// It may be more than 1, since C_total counts migrations.
double NormalisedTime(const Environment& environment, int64_t step_time_ns);

// Returns P_normal, eq. 12: 0 for all of the graph's peak in slow memory, 1 for
// all of it in fast memory, at what the episode used of each. 0 without prices.
double NormalisedPrice(const Environment& environment,
                       const EpisodeOutcome& outcome, const UnitPrices& prices);

// Returns R_epi, eq. 13, with R_fix (1 - P_normal) in place of R_fix P_normal:
// as printed, expensive memory is rewarded. Without prices only the first term
// counts.
double EpisodicReward(const Environment& environment,
                      const EpisodeOutcome& outcome,
                      const DqnSettings& settings, const UnitPrices& prices);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_REWARD_H_
