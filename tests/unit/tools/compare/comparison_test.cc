#include "tools/stowage/compare/comparison.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/random_graph.h"
#include "tools/stowage/compare/comparison_output.h"

namespace stowage::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Subject TrainingSubject() {
  policies::Graph graph = policies::TrainingStepGraph(6, 1);
  graph.name = "training";
  return *MakeSubject(graph, *policies::PresetMemorySystem("optane"), true);
}

std::vector<ComparisonRow> RowsFor(const Subject& subject,
                                   const std::vector<std::string>& policies,
                                   double ratio) {
  std::vector<ComparisonCase> cases;
  for (const std::string& policy : policies) {
    cases.push_back(
        {.subject = &subject,
         .policy = policy,
         .options = {.fast_limit_bytes = static_cast<int64_t>(
                         ratio * static_cast<double>(subject.peak_bytes))}});
  }
  return Compare(cases, {});
}

TEST(ComparisonTest, MeasuresEveryPolicyAgainstAllFastAndTheLowerBound) {
  const Subject subject = TrainingSubject();
  const auto rows = RowsFor(subject, {"all-slow", "belady"}, 0.5);
  ASSERT_EQ(rows.size(), 2);
  for (const ComparisonRow& row : rows) {
    ASSERT_TRUE(row.planned()) << row.facts.error;
    EXPECT_GE(row.gap(), 0);
    EXPECT_LE(row.relative_performance(), 1);
    EXPECT_GE(row.lower_bound_ns, subject.all_fast_ns * 99 / 100);
    EXPECT_NEAR(row.fast_ratio, 0.5, 1e-6);
    EXPECT_GT(row.planning_peak_rss_bytes, 1 << 20);
    EXPECT_GT(row.facts.memory_price, 0);
  }
  EXPECT_LT(rows[0].relative_performance(), rows[1].relative_performance());
  EXPECT_LT(rows[0].facts.memory_price, rows[1].facts.memory_price);
}

TEST(ComparisonTest, SaysWhyAPolicyCannotPlan) {
  const Subject subject = TrainingSubject();
  const auto rows = RowsFor(subject, {"all-fast", "belady"}, 0.5);
  EXPECT_FALSE(rows[0].planned());
  EXPECT_THAT(rows[0].facts.error, HasSubstr("least"));
  const nlohmann::ordered_json json = RowToJson(rows[0]);
  EXPECT_TRUE(json["step_time_ns"].is_null());
  EXPECT_EQ(json["error"], rows[0].facts.error);
  EXPECT_THAT(RowsToText(rows),
              HasSubstr("training, all-fast, optane, 0.5000: no plan: "));
}

TEST(ComparisonTest, NamesTheOptionThatEndedAPlanner) {
  const Subject subject = TrainingSubject();
  const ComparisonCase one{
      .subject = &subject,
      .policy = "annealed-search",
      .options = {.fast_limit_bytes = subject.peak_bytes / 2}};
  const auto rows = Compare({one}, {.give_up_after = absl::ZeroDuration()});
  ASSERT_EQ(rows.size(), 1);
  EXPECT_FALSE(rows[0].planned());
  EXPECT_THAT(rows[0].facts.error, HasSubstr("--give-up-after 0"));
}

TEST(ComparisonTest, HasTheColumnsInTheirOrder) {
  const Subject subject = TrainingSubject();
  const nlohmann::ordered_json json =
      RowToJson(RowsFor(subject, {"belady"}, 0.5)[0]);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  keys.resize(15);
  EXPECT_THAT(
      keys,
      ElementsAre("graph", "policy", "system", "fast_ratio", "step_time_ns",
                  "relative_performance", "lower_bound_ns", "fast_peak_bytes",
                  "moved_bytes", "stall_ns", "locality", "memory_price",
                  "planning_seconds", "planning_peak_rss_bytes", "gap"));
  for (const std::string& key : keys) EXPECT_FALSE(json[key].is_null()) << key;
}

TEST(ComparisonTest, RehostsWhatAnotherProcessorMeasuredUnlessToldNotTo) {
  policies::Graph graph = policies::TrainingStepGraph(2, 1);
  graph.name = "training";
  graph.processor = "small";
  graph.processor_peak = {1'000'000'000, 1'000'000'000};
  graph.kernels[0].flops = 1000;
  const policies::MemorySystem system = *policies::PresetMemorySystem("optane");
  EXPECT_EQ(MakeSubject(graph, system, true)->durations, "rehosted");
  EXPECT_NE(MakeSubject(graph, system, false)->durations, "rehosted");
  EXPECT_LT(MakeSubject(graph, system, true)->all_fast_ns,
            MakeSubject(graph, system, false)->all_fast_ns);
}

}  // namespace
}  // namespace stowage::cli
