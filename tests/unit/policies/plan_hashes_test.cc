// Compares the plans that take little time with their hashes, in every test
// run. tests/bench/plan_hashes makes all of them.
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/bench/plan_hashes/plan_cases.h"

namespace stowage::policies {
namespace {

using ::testing::IsEmpty;

// Chooses the cases that together take about fifteen seconds.
bool IsQuick(const PlanCase& one) {
  if (one.graph == "dlrm-trace") return true;
  if (one.graph != "resnet-trace") return false;
  const bool is_slow =
      one.policy == "annealed-search" || one.policy == "learned-prices" ||
      one.policy == "swapadvisor" || one.policy.substr(0, 6) == "deeptm";
  return !is_slow || one.limit_percent == 40;
}

TEST(PlanHashesTest, EveryPlanIsKept) {
  const std::map<std::string, std::string> kept = KeptHashes();
  std::vector<std::string> missing;
  for (const PlanCase& one : AllPlanCases()) {
    if (!kept.contains(Key(one))) missing.push_back(Key(one));
  }
  EXPECT_THAT(missing, IsEmpty());
  EXPECT_EQ(kept.size(), AllPlanCases().size());
}

TEST(PlanHashesTest, QuickPlansAreWhatTheyWere) {
  const std::map<std::string, std::string> kept = KeptHashes();
  std::map<std::string, Graph> graphs;
  std::vector<std::string> changed;
  for (const PlanCase& one : AllPlanCases()) {
    if (!IsQuick(one)) continue;
    auto graph = graphs.find(one.graph);
    if (graph == graphs.end()) {
      graph = graphs.emplace(one.graph, LoadDataGraph(one.graph)).first;
    }
    const auto known = kept.find(Key(one));
    if (known == kept.end() || PlanHash(graph->second, one) != known->second) {
      changed.push_back(Key(one));
    }
  }
  EXPECT_THAT(changed, IsEmpty())
      << "where plans are meant to change, write them again: "
         "plan_hashes --print > tests/bench/plan_hashes/hashes.txt";
}

}  // namespace
}  // namespace stowage::policies
