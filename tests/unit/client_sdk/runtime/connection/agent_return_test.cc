#include "client_sdk/runtime/connection/agent_return.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(AgentReturnTest, TheFirstSearchIsDueAtOnce) {
  EXPECT_TRUE(AgentReturn().IsDue(/*now_ns=*/1));
}

TEST(AgentReturnTest, ASearchThatCostsNothingIsRepeatedSoon) {
  AgentReturn search;
  for (int64_t now_ns = 1; now_ns < 100 * AgentReturn::kFirstPauseNs;
       now_ns += AgentReturn::kFirstPauseNs) {
    EXPECT_TRUE(search.IsDue(now_ns));
    search.NoteNotFound(now_ns, /*dear=*/false);
    EXPECT_FALSE(search.IsDue(now_ns));
  }
}

TEST(AgentReturnTest, SearchesThatTakeTimeBecomeRare) {
  AgentReturn search;
  int64_t now_ns = 1;
  int searches = 0;
  for (; now_ns < 10 * AgentReturn::kLongestPauseNs; now_ns += 1'000'000) {
    if (!search.IsDue(now_ns)) continue;
    ++searches;
    search.NoteNotFound(now_ns, /*dear=*/true);
  }
  EXPECT_LE(searches, 20);
  search.NoteFound();
  EXPECT_TRUE(search.IsDue(1));
}

}  // namespace
}  // namespace stowage::runtime
