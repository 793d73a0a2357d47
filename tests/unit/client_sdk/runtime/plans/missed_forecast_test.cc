#include "client_sdk/runtime/plans/missed_forecast.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(MissedForecastTest, SaysWhatWasMeasuredAndWhatWasTold) {
  EXPECT_EQ(
      MissedForecast({.told = 1.37, .measured = 2.034}),
      "steps take at least 2.03x the time of training alone, and 1.37x was "
      "expected; stowage explain REPORT says why");
  EXPECT_EQ(MissedForecast({.told = 4.26, .measured = 97.4})->substr(0, 25),
            "steps take at least 97.4x");
}

TEST(MissedForecastTest, SaysThatMostStepsHaveNoPlan) {
  EXPECT_EQ(MissedUnplanned({.told = 1.25, .measured = 3.14}),
            "most steps have no plan, since their sizes are new each time; "
            "they take about 3.14x the time of training alone, and 1.25x was "
            "expected");
  EXPECT_EQ(MissedUnplanned({.told = 1.25, .measured = 1.5}), std::nullopt);
}

TEST(MissedForecastTest, SaysNothingOfWhatMachinesVaryBy) {
  EXPECT_EQ(MissedForecast({.told = 1.5, .measured = 1.9}), std::nullopt);
  EXPECT_EQ(MissedForecast({.told = 1.5, .measured = 1}), std::nullopt);
}

TEST(MissedForecastTest, SaysNothingWhereNothingWasTold) {
  EXPECT_EQ(MissedForecast({.told = 0, .measured = 5}), std::nullopt);
}

}  // namespace
}  // namespace stowage::runtime
