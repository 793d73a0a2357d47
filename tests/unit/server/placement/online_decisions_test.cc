#include "server/placement/online_decisions.h"

#include <map>
#include <memory>

#include "gtest/gtest.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/memory_system_proto.h"
#include "policies/plan/plan_proto.h"
#include "server/placement/verified_plan.h"
#include "tests/unit/server/testing.h"
#include "tests/unit/server/training/fake_trainer.h"

namespace stowage {
namespace {

constexpr int kDecidedKernels = 8;
constexpr int64_t kLimitBytes = 2 * kChainTensorBytes;

class OnlineDecisionsTest : public ::testing::Test {
 protected:
  OnlineDecisionsTest()
      : policy_(RandomPolicy(graph_, system_, kLimitBytes,
                             policies::DqnSettings(),
                             /*seed=*/3)),
        plan_(policies::PlanToProto(*MakeVerifiedPlan(
            graph_, system_, *policies::MakeDeepTmPolicy(policy_),
            {.fast_limit_bytes = kLimitBytes}))),
        online_(*OnlineDecisions::Create(graph_, system_, plan_, policy_)) {}

  static JobSituation At(policies::KernelIndex kernel, int tensor = -1,
                         int tier = 0) {
    JobSituation situation = {
        .kernel = kernel, .residents = {}, .free_bytes = {}};
    if (tensor < 0) return situation;
    v1::Resident& resident = situation.residents.emplace_back();
    resident.set_tensor(tensor);
    resident.set_tier(tier);
    return situation;
  }

  const policies::Graph graph_ =
      *policies::GraphFromProto(ChainGraph(kDecidedKernels));
  const policies::MemorySystem system_ =
      *policies::MemorySystemFromProto(TwoTiers());
  const policies::DqnPolicy policy_;
  const v1::Plan plan_;
  const OnlineDecisions online_;
};

TEST_F(OnlineDecisionsTest, AJobThatIsAsPlannedDoesNotDeviate) {
  EXPECT_FALSE(*online_.Deviates(At(0)));
  // Kernel k reads tensor k, which is in one tier or the other.
  for (policies::KernelIndex k = 1; k < kDecidedKernels; ++k) {
    EXPECT_NE(*online_.Deviates(At(k, k, 0)), *online_.Deviates(At(k, k, 1)))
        << k;
  }
}

TEST_F(OnlineDecisionsTest, RefusesWhatThereIsNot) {
  for (const JobSituation& bad : {At(-1), At(kDecidedKernels), At(0, 99),
                                  At(4, 4, 2), At(4, 4, -1), At(4, 7)}) {
    EXPECT_TRUE(absl::IsInvalidArgument(online_.Deviates(bad).status()));
    EXPECT_TRUE(absl::IsInvalidArgument(online_.Window(bad, 1).status()));
  }
  JobSituation negative = At(0);
  negative.free_bytes = {-1};
  EXPECT_TRUE(absl::IsInvalidArgument(online_.Deviates(negative).status()));
}

TEST_F(OnlineDecisionsTest, EveryTensorIsPlacedWhenItIsBorn) {
  const auto window = online_.Window(At(0), kDecidedKernels);
  ASSERT_TRUE(window.ok()) << window.status();
  std::map<int, policies::KernelIndex> placed;
  for (const v1::KernelDecision& decision : *window) {
    for (const v1::TierAction& action : decision.actions()) {
      placed.try_emplace(action.tensor(), decision.kernel());
    }
  }
  for (policies::TensorIndex t = 1; t <= kDecidedKernels; ++t) {
    ASSERT_TRUE(placed.contains(t)) << t;
    EXPECT_EQ(placed[t], graph_.tensors[t].birth_kernel) << t;
  }
}

TEST_F(OnlineDecisionsTest, WhatIsDecidedFitsTheLimit) {
  const auto window = online_.Window(At(0, 0, 0), kDecidedKernels);
  ASSERT_TRUE(window.ok()) << window.status();
  std::map<int, int> tiers = {{0, 0}};
  auto decision = window->begin();
  for (policies::KernelIndex k = 0; k < kDecidedKernels; ++k) {
    if (decision != window->end() && decision->kernel() == k) {
      for (const v1::TierAction& action : decision->actions()) {
        tiers[action.tensor()] = action.tier();
      }
      ++decision;
    }
    int64_t fast_bytes = 0;
    for (const auto& [tensor, tier] : tiers) {
      if (tier == 0 && policies::AliveAt(graph_.tensors[tensor], k)) {
        fast_bytes += graph_.tensors[tensor].size_bytes;
      }
    }
    EXPECT_LE(fast_bytes, kLimitBytes) << k;
  }
}

TEST_F(OnlineDecisionsTest, WithoutRoomNothingGoesToTheFastTier) {
  JobSituation full = At(3, 3, 1);
  full.free_bytes = {0, 0};
  const auto window = online_.Window(full, 1);
  ASSERT_TRUE(window.ok()) << window.status();
  ASSERT_EQ(window->size(), 1);
  for (const v1::TierAction& action : window->front().actions()) {
    EXPECT_EQ(action.tier(), 1) << action.tensor();
  }
}

TEST_F(OnlineDecisionsTest, AWindowEndsWithTheStep) {
  const auto window = online_.Window(At(kDecidedKernels - 2), 1000);
  ASSERT_TRUE(window.ok()) << window.status();
  for (const v1::KernelDecision& decision : *window) {
    EXPECT_LT(decision.kernel(), kDecidedKernels);
  }
}

}  // namespace
}  // namespace stowage
