// The network of learned-prices: from what is known of an absence to what its
// copies and its slow uses should cost when absences are chosen.
//
//   PriceNetwork network{.hidden_units = 8, .weights = weights};
//   PriceFactors factors = network.Evaluate(features.Of(absence));
//   double cost = factors.out * out_ns + factors.in * in_ns + ...;
//
// With weights of zero all factors are 1: plain prices.
#ifndef STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_H_
#define STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_H_

#include <vector>

#include "policies/search/prices/absence_features.h"

namespace stowage::policies {

inline constexpr int kMaxPriceHiddenUnits = 64;

// By what the durations of an absence are multiplied, within e^-5 to e^5.
struct PriceFactors {
  double out = 1;
  double in = 1;
  double slow_use = 1;
};
inline constexpr int kPriceFactorCount = 3;

// Plain data; safe to read from several threads.
struct PriceNetwork {
  int hidden_units = 0;
  // By factor: a bias, one for each feature, one for each hidden unit. Then by
  // hidden unit, whose activation is softsign: a bias, one for each feature.
  std::vector<float> weights;

  static int WeightCount(int hidden_units);

  PriceFactors Evaluate(const PriceFeatures& features) const;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_H_
