#include "server/placement/recent_decisions.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

std::shared_ptr<const KernelDecisions> EmptyDecisions() {
  const policies::Graph graph = *policies::GraphFromProto(ChainGraph(3));
  return std::make_shared<const KernelDecisions>(
      *KernelDecisions::Create(graph, v1::Plan()));
}

class RecentDecisionsTest : public ::testing::Test {
 protected:
  const std::shared_ptr<const KernelDecisions> decisions_ = EmptyDecisions();
  // Two fit.
  RecentDecisions recent_{2 * decisions_->SizeBytes()};
};

TEST_F(RecentDecisionsTest, FindsWhatWasKept) {
  EXPECT_EQ(recent_.Find("a", kStart), nullptr);
  recent_.Keep("a", decisions_, kStart);
  EXPECT_EQ(recent_.Find("a", kStart), decisions_);
}

TEST_F(RecentDecisionsTest, WhatIsNoLongerFreshIsLookedAtAgain) {
  recent_.Keep("a", decisions_, kStart);
  const absl::Time later = kStart + 2 * RecentDecisions::kFresh;
  EXPECT_EQ(recent_.Find("a", later), nullptr);
  recent_.Keep("a", decisions_, later);
  EXPECT_EQ(recent_.Find("a", later), decisions_);
}

TEST_F(RecentDecisionsTest, ThoseUsedLongestAgoMakeRoom) {
  recent_.Keep("a", decisions_, kStart);
  recent_.Keep("b", decisions_, kStart);
  EXPECT_NE(recent_.Find("a", kStart), nullptr);
  recent_.Keep("c", decisions_, kStart);
  EXPECT_EQ(recent_.Find("b", kStart), nullptr);
  EXPECT_NE(recent_.Find("a", kStart), nullptr);
  EXPECT_NE(recent_.Find("c", kStart), nullptr);
}

TEST_F(RecentDecisionsTest, OneThatIsLargerThanAllRoomIsNotKept) {
  RecentDecisions small(1);
  small.Keep("a", decisions_, kStart);
  EXPECT_EQ(small.Find("a", kStart), nullptr);
}

TEST_F(RecentDecisionsTest, ForgetsOne) {
  recent_.Keep("a", decisions_, kStart);
  recent_.Forget("a");
  recent_.Forget("none");
  EXPECT_EQ(recent_.Find("a", kStart), nullptr);
}

}  // namespace
}  // namespace stowage
