// Evaluates the network of learned-prices. From what is known of an absence it
// finds what the absence's copies and slow uses should cost when absences are
// chosen.
//
//   PriceNetwork network{.hidden_units = 8, .weights = weights};
//   PriceFactors factors = network.Evaluate(features.Of(absence));
//   double copies_cost = factors.out * out_ns + factors.in * in_ns;
//
// If all weights are zero, all factors are 1: plain prices.
#ifndef STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_H_
#define STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_H_

#include <vector>

#include "policies/search/prices/absence_features.h"

namespace stowage::policies {

inline constexpr int kMaxPriceHiddenUnits = 64;

// Holds factors for the durations of an absence, within e^-5 to e^5.
struct PriceFactors {
  double out = 1;
  double in = 1;
  double slow_use = 1;
};
inline constexpr int kPriceFactorCount = 3;

// Plain data; safe to read from several threads.
struct PriceNetwork {
  int hidden_units = 0;
  // By factor: a bias, one weight for each feature, one for each hidden unit.
  // Then by hidden unit, whose activation is softsign: a bias, one weight for
  // each feature.
  std::vector<float> weights;

  static int WeightCount(int hidden_units);

  PriceFactors Evaluate(const PriceFeatures& features) const;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_H_
