#include "tools/stowage/compare/suite.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/stowage/compare/suite_report.h"
#include "tools/stowage/compare/suite_run.h"

namespace stowage::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSuite[] = R"json({
  "graphs": {"small": {"batch": 0, "captures": [{"file": "g.json", "batch": 0}]}},
  "figures": [{
    "id": "f1", "title": "A figure", "source": "A paper", "system": "optane",
    "graphs": ["small"],
    "limits": [{"label": "most", "fast_ratio": 0.7}, {"label": "all", "fast_ratio": 1}],
    "policies": ["all-slow", "belady", "not-written-yet"],
    "metrics": ["speedup:all-slow", "least_ratio:0.99"],
    "published": [{"metric": "speedup:all-slow", "graph": "small", "limit": "most",
                   "policy": "belady", "value": 3.25}],
    "claims": [{"claim": "it is faster", "where": "6.1", "paper": "2",
                "here": {"metric": "slowdown", "policy": "all-slow",
                         "over": "belady", "limit": "most"}}]}]})json";

constexpr char kGraph[] = R"json({
  "schemaVersion": 1, "name": "x",
  "tensors": [{"sizeBytes": "4096000", "persistent": true},
              {"sizeBytes": "4096000"}, {"sizeBytes": "4096000"}],
  "kernels": [
    {"name": "a", "operands": [{"tensor": 0, "read": true}, {"tensor": 1, "write": true}],
     "profile": {"fastInputsFastOutputs":
       {"durationNs": "1000000", "source": "DURATION_SOURCE_MEASURED"}}},
    {"name": "b", "operands": [{"tensor": 1, "read": true}, {"tensor": 2, "write": true}],
     "profile": {"fastInputsFastOutputs":
       {"durationNs": "1000000", "source": "DURATION_SOURCE_MEASURED"}}}]})json";

class SuiteTest : public testing::Test {
 protected:
  SuiteTest() : folder_(std::filesystem::path(testing::TempDir()) / "suite") {
    std::filesystem::create_directories(folder_ / "graphs");
    Write("graphs/g.json", kGraph);
  }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  absl::Status ErrorOf(const std::string& old_text,
                       const std::string& new_text) {
    std::string text = kSuite;
    text.replace(text.find(old_text), old_text.size(), new_text);
    return LoadSuite(Write("bad.json", text)).status();
  }

  const std::filesystem::path folder_;
};

TEST_F(SuiteTest, LaysWhatItFindsBesideWhatThePaperSays) {
  const absl::StatusOr<Suite> suite = LoadSuite(Write("s.json", kSuite));
  ASSERT_TRUE(suite.ok()) << suite.status();
  const absl::StatusOr<SuiteResults> results = RunSuite(*suite, {});
  ASSERT_TRUE(results.ok()) << results.status();
  const SuiteFigure& figure = suite->figures[0];
  const std::optional<double> faster =
      results->Value(figure, "speedup:all-slow", "small", "most", "belady");
  ASSERT_TRUE(faster.has_value());
  EXPECT_GT(*faster, 1);
  EXPECT_DOUBLE_EQ(*results->Value(figure, figure.claims[0].here), *faster);
  // Slow memory alone is as fast only with all of the peak.
  EXPECT_DOUBLE_EQ(
      *results->Value(figure, "least_ratio:0.99", "small", "", "all-slow"), 1);
  const std::string text = SuiteToMarkdown(*suite, *results);
  EXPECT_THAT(text, HasSubstr("(3.25)"));
  EXPECT_THAT(text, HasSubstr("| it is faster | 6.1 | 2 | "));
  EXPECT_THAT(text, HasSubstr("Not in this build: not-written-yet."));
}

TEST_F(SuiteTest, NamesWhatIsWrongInItsFile) {
  EXPECT_THAT(ErrorOf("\"id\": \"f1\",", "").message(), HasSubstr("'id'"));
  EXPECT_THAT(ErrorOf("slowdown", "slowness").message(),
              HasSubstr("relative_performance"));
  EXPECT_THAT(ErrorOf("[\"small\"]", "[\"large\"]").message(),
              HasSubstr("graph 'large'"));
  EXPECT_THAT(ErrorOf("\"over\": \"belady\"", "\"over\": \"lru\"").message(),
              HasSubstr("policy 'lru'"));
}

TEST_F(SuiteTest, NamesAGraphThatIsMissing) {
  std::string text = kSuite;
  text.replace(text.find("g.json"), 6, "h.json");
  const absl::StatusOr<Suite> suite = LoadSuite(Write("s2.json", text));
  ASSERT_TRUE(suite.ok()) << suite.status();
  EXPECT_THAT(RunSuite(*suite, {}).status().message(), HasSubstr("h.json"));
}

TEST_F(SuiteTest, TheSuiteOfThePapersIsValidAndItsGraphsAreThere) {
  const std::string folder = STOWAGE_SOURCE_DIR "/tools/stowage/suites";
  const absl::StatusOr<Suite> suite = LoadSuite(folder + "/papers.json");
  ASSERT_TRUE(suite.ok()) << suite.status();
  EXPECT_THAT(suite->figures, testing::Not(IsEmpty()));
  for (const SuiteGraph& graph : suite->graphs) {
    for (const SuiteCapture& capture : graph.captures) {
      EXPECT_TRUE(std::filesystem::exists(
          STOWAGE_SOURCE_DIR "/tools/stowage/suites/graphs/" + capture.file))
          << capture.file;
    }
  }
}

}  // namespace
}  // namespace stowage::cli
