#include "policies/search/prices/price_network.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stowage::policies {
namespace {

constexpr double kHighestLogarithm = 5;

// Adds up the bias, which comes first, and a weight for each feature.
double Sum(const float* weights, const PriceFeatures& features) {
  double sum = weights[0];
  for (int f = 0; f < kPriceFeatureCount; ++f) {
    sum += static_cast<double>(weights[1 + f]) * features[f];
  }
  return sum;
}

double Factor(double logarithm) {
  return std::exp(std::clamp(logarithm, -kHighestLogarithm, kHighestLogarithm));
}

}  // namespace

int PriceNetwork::WeightCount(int hidden_units) {
  return kPriceFactorCount * (1 + kPriceFeatureCount + hidden_units) +
         hidden_units * (1 + kPriceFeatureCount);
}

PriceFactors PriceNetwork::Evaluate(const PriceFeatures& features) const {
  const int row = 1 + kPriceFeatureCount + hidden_units;
  std::array<double, kPriceFactorCount> logarithms;
  for (int i = 0; i < kPriceFactorCount; ++i) {
    logarithms[i] = Sum(weights.data() + i * row, features);
  }
  const float* hidden = weights.data() + kPriceFactorCount * row;
  for (int h = 0; h < hidden_units; ++h) {
    const double sum = Sum(hidden + h * (1 + kPriceFeatureCount), features);
    const double active = sum / (1 + std::abs(sum));
    for (int i = 0; i < kPriceFactorCount; ++i) {
      logarithms[i] += active * weights[i * row + 1 + kPriceFeatureCount + h];
    }
  }
  return {Factor(logarithms[0]), Factor(logarithms[1]), Factor(logarithms[2])};
}

}  // namespace stowage::policies
