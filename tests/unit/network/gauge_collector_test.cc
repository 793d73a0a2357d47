#include "network/gauge_collector.h"

#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(GaugeCollectorTest, ReadsEachGaugeWhenItIsAsked) {
  double value = 1;
  GaugeCollector gauges;
  gauges.Add("stowaged_graphs", "Graphs stored.", [&] { return value; });
  EXPECT_EQ(gauges.Collect()[0].metric[0].gauge.value, 1);
  value = 2;
  const auto families = gauges.Collect();
  ASSERT_EQ(families.size(), 1);
  EXPECT_EQ(families[0].name, "stowaged_graphs");
  EXPECT_EQ(families[0].type, prometheus::MetricType::Gauge);
  EXPECT_EQ(families[0].metric[0].gauge.value, 2);
}

}  // namespace
}  // namespace stowage
