#include "policies/deeptm/dqn/dqn_settings.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"

namespace stowage::policies {
namespace {

using ::testing::HasSubstr;

TEST(DqnSettingsTest, DefaultsAreTableIIsButForReplayAndTheFirstLearningRate) {
  const DqnSettings settings;
  EXPECT_TRUE(CheckDqnSettings(settings).ok());
  EXPECT_EQ(settings.greedy_episodes, 150);
  EXPECT_EQ(settings.episodes, 200);
  EXPECT_EQ(settings.batch_size, 32);
  EXPECT_EQ(settings.discount, 0.99);
  EXPECT_EQ(settings.fixed_reward, 50);
  EXPECT_EQ(settings.last_learning_rate, 1e-4);
}

TEST(DqnSettingsTest, NamesTheSettingThatIsOutOfRange) {
  const auto message = [](auto change) {
    DqnSettings settings;
    change(settings);
    return std::string(CheckDqnSettings(settings).message());
  };
  EXPECT_THAT(message([](DqnSettings& s) { s.cost_priority = 1.01; }),
              HasSubstr("cost_priority (beta) is 1.01"));
  EXPECT_THAT(message([](DqnSettings& s) {
                s.cost_priority = std::numeric_limits<double>::quiet_NaN();
              }),
              HasSubstr("cost_priority"));
  EXPECT_THAT(message([](DqnSettings& s) { s.fast_price_usd_per_gb = -1; }),
              HasSubstr("fast_price_usd_per_gb is -1"));
  EXPECT_THAT(message([](DqnSettings& s) { s.replay_size = 31; }),
              HasSubstr("replay_size is 31"));
  EXPECT_THAT(message([](DqnSettings& s) { s.learning_rate = 0; }),
              HasSubstr("learning_rate"));
  EXPECT_THAT(message([](DqnSettings& s) { s.value_bound = -1; }),
              HasSubstr("value_bound is -1"));
}

TEST(DqnSettingsTest, TheGreedyProbabilityRisesOverTheGreedyEpisodes) {
  const DqnSettings settings;
  EXPECT_DOUBLE_EQ(GreedyProbability(settings, 0), 0.1);
  EXPECT_DOUBLE_EQ(GreedyProbability(settings, 75), 0.55);
  EXPECT_DOUBLE_EQ(GreedyProbability(settings, 150), 1.0);
  EXPECT_DOUBLE_EQ(GreedyProbability(settings, 199), 1.0);
}

TEST(DqnSettingsTest, TheLearningRateFallsWhileTheGreedyProbabilityRises) {
  DqnSettings settings;
  settings.learning_rate = 1e-2;
  settings.last_learning_rate = 1e-4;
  EXPECT_DOUBLE_EQ(LearningRate(settings, 0), 1e-2);
  EXPECT_NEAR(LearningRate(settings, 75), 1e-3, 1e-9);
  EXPECT_NEAR(LearningRate(settings, 150), 1e-4, 1e-9);
  EXPECT_NEAR(LearningRate(settings, 199), 1e-4, 1e-9);
  settings.last_learning_rate = 0;
  EXPECT_DOUBLE_EQ(LearningRate(settings, 199), 1e-2);
}

TEST(DqnSettingsTest, PricesAreTheMemorySystemsUnlessGiven) {
  MemorySystem system = *PresetMemorySystem("optane");
  DqnSettings settings;
  EXPECT_EQ(FindUnitPrices(settings, system).fast_usd_per_gb, 23.81);
  EXPECT_EQ(FindUnitPrices(settings, system).slow_usd_per_gb, 7.85);
  settings.fast_price_usd_per_gb = 30;
  EXPECT_EQ(FindUnitPrices(settings, system).fast_usd_per_gb, 30);
  system.tiers[1].price_usd_per_gb = 0;
  EXPECT_EQ(FindUnitPrices(settings, system).fast_usd_per_gb, 0);
}

}  // namespace
}  // namespace stowage::policies
