#include "server/training/policy_versions.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "server/graphs/graph_store.h"
#include "server/graphs/graph_summary.h"
#include "server/placement/placement_engine.h"
#include "server/storage/open_database.h"
#include "server/training/training_store.h"
#include "tests/unit/server/testing.h"
#include "tests/unit/server/training/claims.h"
#include "tests/unit/server/training/fake_trainer.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

class PolicyVersionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(graphs_.PutGraph(Summarize(graph_), ChainGraph(8), "").ok());
  }

  policies::DqnPolicy Policy(int64_t seed, double cost_priority = 0.75) {
    policies::DqnSettings settings;
    settings.cost_priority = cost_priority;
    return RandomPolicy(graph_, system_, kLimitBytes, settings, seed);
  }

  PlanRequest Request(int64_t limit_bytes = kLimitBytes) {
    return {.graph_id = policies::GraphId(graph_),
            .system = system_,
            .fast_limit_bytes = limit_bytes,
            .policy = "deeptm"};
  }

  // Returns the claim of training `number`; each claims the next one.
  TrainingClaim Claim(int64_t number) {
    return ClaimNew(trainings_, policies::GraphId(graph_),
                    std::to_string(number));
  }

  const policies::Graph graph_ = *policies::GraphFromProto(ChainGraph(8));
  const policies::MemorySystem system_ =
      *policies::MemorySystemFromProto(TwoTiers());
  std::shared_ptr<SqlDatabase> database_ = *OpenDatabase(":memory:");
  GraphStore graphs_{database_};
  TrainingStore trainings_{database_};
  PolicyVersions versions_{&graphs_, &trainings_};
};

TEST_F(PolicyVersionsTest, TheFirstVersionServes) {
  const auto version = versions_.Publish(Policy(0), system_, Claim(1));
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_TRUE(version->serving());
  EXPECT_EQ(version->training_id(), 1);
  EXPECT_GT(version->predicted_step_time_ns(), 0);
  EXPECT_GT(version->default_step_time_ns(), 0);
  EXPECT_EQ(versions_.ForRequest(Request())->policy.seed, 0);
}

TEST_F(PolicyVersionsTest, ATrainingThatWasInterruptedPublishesOnce) {
  const TrainingClaim claim = Claim(1);
  ASSERT_TRUE(versions_.Publish(Policy(0), system_, claim).ok());
  const auto again = versions_.Publish(Policy(0), system_, claim);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->version(), 1);
  EXPECT_TRUE(again->serving());
  EXPECT_EQ(trainings_.ListVersions("", {}, 9)->size(), 1);
}

TEST_F(PolicyVersionsTest, APolicyThatCannotPlanIsNotStored) {
  policies::DqnPolicy damaged = Policy(0);
  damaged.weights.resize(4);
  EXPECT_FALSE(versions_.Publish(damaged, system_, Claim(1)).ok());
  EXPECT_TRUE(trainings_.ListVersions("", {}, 9)->empty());
}

TEST_F(PolicyVersionsTest, CostPrioritiesAreDifferentPolicies) {
  ASSERT_TRUE(versions_.Publish(Policy(0, 0.25), system_, Claim(1)).ok());
  ASSERT_TRUE(versions_.Publish(Policy(1, 0.75), system_, Claim(2)).ok());
  EXPECT_NE(PolicyId(Policy(0, 0.25)), PolicyId(Policy(0, 0.75)));
  EXPECT_EQ(versions_.ForRequest(Request())->policy.seed, 1);
}

TEST_F(PolicyVersionsTest, SaysWhatIsTrainedWhereNothingServes) {
  ASSERT_TRUE(versions_.Publish(Policy(0), system_, Claim(1)).ok());
  const absl::Status status =
      versions_.ForRequest(Request(kLimitBytes + 4096)).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("stowage train"));
  EXPECT_THAT(status.message(), HasSubstr(std::to_string(kLimitBytes)));
}

TEST_F(PolicyVersionsTest, WhatFitsNeedsNoTraining) {
  const auto serving = versions_.ForRequest(Request(100 * kChainTensorBytes));
  ASSERT_TRUE(serving.ok()) << serving.status();
  EXPECT_TRUE(serving->policy.fits);
}

TEST_F(PolicyVersionsTest, AnotherVersionMakesAnotherPlan) {
  PlacementEngine engine(&graphs_, policies::MakePolicy, &versions_);
  EXPECT_TRUE(absl::IsFailedPrecondition(engine.MakePlan(Request()).status()));
  const v1::PolicyVersion first =
      *versions_.Publish(Policy(0), system_, Claim(1));
  const std::string first_plan = engine.MakePlan(Request())->plan_id;
  EXPECT_EQ(engine.MakePlan(Request())->plan_id, first_plan);
  const v1::PolicyVersion second =
      *versions_.Publish(Policy(1), system_, Claim(2));
  ASSERT_TRUE(versions_.Promote({second.policy_id(), 2}).ok());
  EXPECT_NE(engine.MakePlan(Request())->plan_id, first_plan);
  EXPECT_EQ(versions_.RollBack({second.policy_id(), 2})->version(),
            first.version());
  EXPECT_EQ(engine.MakePlan(Request())->plan_id, first_plan);
}

TEST_F(PolicyVersionsTest, DecidesOnlineForPlansOfOtherPoliciesToo) {
  PlacementEngine engine(&graphs_, policies::MakePolicy, &versions_);
  PlanRequest request = Request();
  request.policy = "belady";
  const std::string plan_id = engine.MakePlan(request)->plan_id;
  EXPECT_TRUE(absl::IsFailedPrecondition(engine.Online(plan_id).status()));
  ASSERT_TRUE(versions_.Publish(Policy(0), system_, Claim(1)).ok());
  EXPECT_TRUE(engine.Online(plan_id).ok());
  EXPECT_TRUE(absl::IsNotFound(engine.Online("none").status()));
}

}  // namespace
}  // namespace stowage
