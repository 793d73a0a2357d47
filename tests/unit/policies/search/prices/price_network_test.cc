#include "policies/search/prices/price_network.h"

#include <cmath>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/search/prices/price_network_proto.h"

namespace stowage::policies {
namespace {

using ::testing::HasSubstr;

PriceNetwork ZeroNetwork(int hidden_units) {
  return {
      .hidden_units = hidden_units,
      .weights = std::vector<float>(PriceNetwork::WeightCount(hidden_units))};
}

std::string MessageOf(const PriceNetwork& network) {
  return std::string(
      ParsePriceNetwork(PrintPriceNetwork(network, "")).status().message());
}

TEST(PriceNetworkTest, AllFactorsAreOneWithoutWeights) {
  PriceFeatures features;
  features.fill(0.7f);
  const PriceFactors factors = ZeroNetwork(3).Evaluate(features);
  EXPECT_EQ(factors.out, 1);
  EXPECT_EQ(factors.in, 1);
  EXPECT_EQ(factors.slow_use, 1);
}

TEST(PriceNetworkTest, EachFactorIsLinearInItsLogarithm) {
  PriceNetwork network = ZeroNetwork(0);
  const int row = 1 + kPriceFeatureCount;
  network.weights[0] = 0.5f;          // bias of the copy out
  network.weights[row + 1] = 2;       // first feature, copy in
  network.weights[2 * row + 2] = -1;  // second feature, slow use
  PriceFeatures features = {};
  features[0] = 0.25f;
  features[1] = 3;
  const PriceFactors factors = network.Evaluate(features);
  EXPECT_DOUBLE_EQ(factors.out, std::exp(0.5));
  EXPECT_DOUBLE_EQ(factors.in, std::exp(0.5));
  EXPECT_DOUBLE_EQ(factors.slow_use, std::exp(-3.0));
}

TEST(PriceNetworkTest, HiddenUnitsAddWhatIsNotLinear) {
  PriceNetwork network = ZeroNetwork(1);
  const int row = 1 + kPriceFeatureCount + 1;
  network.weights[row - 1] = 2;      // hidden unit, copy out
  network.weights[3 * row] = -1;     // bias of the hidden unit
  network.weights[3 * row + 1] = 4;  // first feature, hidden unit
  PriceFeatures features = {};
  EXPECT_DOUBLE_EQ(network.Evaluate(features).out, std::exp(-1.0));
  features[0] = 1;
  EXPECT_DOUBLE_EQ(network.Evaluate(features).out, std::exp(1.5));
}

TEST(PriceNetworkTest, FactorsStayWithinBounds) {
  PriceNetwork network = ZeroNetwork(0);
  network.weights[0] = 1e30f;
  const PriceFactors factors = network.Evaluate({});
  EXPECT_DOUBLE_EQ(factors.out, std::exp(5.0));
}

TEST(PriceNetworkTest, IsReadAsItWasPrinted) {
  PriceNetwork network = ZeroNetwork(2);
  for (size_t w = 0; w < network.weights.size(); ++w) {
    network.weights[w] = 0.1f * static_cast<float>(w) - 1 / 3.0f;
  }
  const auto read = ParsePriceNetwork(PrintPriceNetwork(network, "by hand"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->hidden_units, 2);
  EXPECT_EQ(read->weights, network.weights);
}

TEST(PriceNetworkTest, RefusesWhatIsNotANetworkOfThisVersion) {
  EXPECT_EQ(ParsePriceNetwork("{").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ParsePriceNetwork("{}").status().message()),
              HasSubstr("version 0"));
  PriceNetwork short_of_one = ZeroNetwork(1);
  short_of_one.weights.pop_back();
  EXPECT_THAT(MessageOf(short_of_one), HasSubstr("must have"));
  PriceNetwork not_finite = ZeroNetwork(0);
  not_finite.weights[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(MessageOf(not_finite), HasSubstr("finite"));
  PriceNetwork too_large = ZeroNetwork(kMaxPriceHiddenUnits + 1);
  EXPECT_THAT(MessageOf(too_large), HasSubstr("hidden_units"));
}

TEST(PriceNetworkTest, TheShippedOneHasLearntSomething) {
  const PriceNetwork& network = ShippedPriceNetwork();
  PriceFeatures features;
  features.fill(0.5f);
  EXPECT_NE(network.Evaluate(features).out, 1);
  EXPECT_NE(network.Evaluate(features).slow_use, 1);
}

}  // namespace
}  // namespace stowage::policies
