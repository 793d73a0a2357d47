#include "server/placement/placement_engine.h"

#include <sys/resource.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "server/graphs/graph_store.h"
#include "server/storage/open_database.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using PlanFunction = std::function<absl::StatusOr<policies::Plan>(
    const policies::Graph&, const policies::MemorySystem&,
    const policies::PlanOptions&)>;

class FakePolicy final : public policies::Policy {
 public:
  explicit FakePolicy(PlanFunction make) : make_(std::move(make)) {}
  std::string_view name() const override { return "fake"; }
  std::string_view description() const override { return "a test's"; }
  policies::PolicyCapabilities capabilities() const override {
    return {.plans_briefly = true};
  }
  absl::StatusOr<policies::Plan> MakePlan(
      const policies::Graph& graph, const policies::MemorySystem& system,
      const policies::PlanOptions& options) const override {
    return make_(graph, system, options);
  }

 private:
  const PlanFunction make_;
};

// Returns policies that know "fake" alone.
PolicyFactory FakePolicies(const PlanFunction& make) {
  return [make](std::string_view name)
             -> absl::StatusOr<std::unique_ptr<policies::Policy>> {
    if (name != "fake") return absl::NotFoundError("there is only fake");
    return std::make_unique<FakePolicy>(make);
  };
}

// Places everything side by side in the fast tier.
absl::StatusOr<policies::Plan> AllFast(const policies::Graph& graph,
                                       const policies::MemorySystem& system,
                                       const policies::PlanOptions& options) {
  policies::Plan plan = {.graph_id = policies::GraphId(graph),
                         .system = system.name,
                         .policy = "fake",
                         .fast_limit_bytes = options.fast_limit_bytes,
                         .fits = true};
  for (policies::TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const policies::Allocation allocation = {
        .tensor = t, .at = {.offset_bytes = t * kChainTensorBytes}};
    (graph.tensors[t].persistent ? plan.initial : plan.allocations)
        .push_back(allocation);
  }
  return plan;
}

class PlacementEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const v1::Graph proto = ChainGraph(4);
    v1::GraphSummary summary;
    summary.set_graph_id(policies::GraphId(*policies::GraphFromProto(proto)));
    ASSERT_TRUE(store_->PutGraph(summary, proto, "").ok());
    request_ = {.graph_id = summary.graph_id(),
                .system = *policies::MemorySystemFromProto(TwoTiers()),
                .fast_limit_bytes = 5 * kChainTensorBytes,
                .policy = "fake"};
  }

  int64_t StoredPlans() { return store_->ListPlans("", "", 10)->size(); }

  const std::unique_ptr<GraphStore> store_ =
      std::make_unique<GraphStore>(*OpenDatabase(":memory:"));
  PlanRequest request_;
};

TEST_F(PlacementEngineTest, StoresAPlanWithThePredictionOfTheSimulator) {
  PlacementEngine engine(store_.get(), FakePolicies(&AllFast));
  const absl::StatusOr<MadePlan> made = engine.MakePlan(request_);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->plan.prediction().step_time_ns(), 4'000'000);
  EXPECT_EQ(store_->GetPlan(made->plan_id)->SerializeAsString(),
            made->plan.SerializeAsString());
}

TEST_F(PlacementEngineTest, ReturnsTheStoredPlanForTheSameRequest) {
  int runs = 0;
  PlacementEngine engine(store_.get(), FakePolicies([&](auto&&... arguments) {
                           ++runs;
                           return AllFast(arguments...);
                         }));
  const MadePlan first = *engine.MakePlan(request_);
  const MadePlan second = *engine.MakePlan(request_);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(first.plan_id, second.plan_id);
  EXPECT_EQ(first.plan.SerializeAsString(), second.plan.SerializeAsString());
  EXPECT_GT(first.planning_time, absl::ZeroDuration());
  EXPECT_EQ(second.planning_time, absl::ZeroDuration());
}

TEST_F(PlacementEngineTest, ReplacesTheStoredPlanWhenAskedTo) {
  bool on_request = false;
  PlacementEngine engine(store_.get(), FakePolicies([&](auto&&... arguments) {
                           absl::StatusOr<policies::Plan> plan =
                               AllFast(arguments...);
                           plan->notes.push_back(on_request ? "new" : "old");
                           return plan;
                         }));
  const MadePlan first = *engine.MakePlan(request_);
  on_request = request_.replan = true;
  const MadePlan second = *engine.MakePlan(request_);
  EXPECT_EQ(first.plan_id, second.plan_id);
  EXPECT_EQ(second.plan.notes(0), "new");
  EXPECT_EQ(store_->GetPlan(first.plan_id)->notes(0), "new");
}

TEST_F(PlacementEngineTest, APlanOfAnotherThinkingTimeIsAnotherPlan) {
  std::vector<absl::Duration> limits;
  PlacementEngine engine(
      store_.get(), FakePolicies([&](const auto& graph, const auto& system,
                                     const policies::PlanOptions& options) {
        limits.push_back(options.time_limit);
        return AllFast(graph, system, options);
      }));
  const MadePlan thorough = *engine.MakePlan(request_);
  request_.think_time = absl::Milliseconds(200);
  const MadePlan hasty = *engine.MakePlan(request_);
  EXPECT_NE(thorough.plan_id, hasty.plan_id);
  EXPECT_THAT(limits, ::testing::ElementsAre(absl::ZeroDuration(),
                                             absl::Milliseconds(200)));
}

TEST_F(PlacementEngineTest, AThoroughPlanTakesThePlaceOfABriefOne) {
  std::vector<absl::Duration> limits;
  PlacementEngine engine(
      store_.get(), FakePolicies([&](const auto& graph, const auto& system,
                                     const policies::PlanOptions& options) {
        limits.push_back(options.time_limit);
        return AllFast(graph, system, options);
      }));
  request_.brief = true;
  const MadePlan brief = *engine.MakePlan(request_);
  request_.brief = false;
  request_.replan = true;
  const MadePlan thorough = *engine.MakePlan(request_);
  EXPECT_EQ(brief.plan_id, thorough.plan_id);
  EXPECT_THAT(limits,
              ElementsAre(absl::Milliseconds(200), absl::ZeroDuration()));
}

TEST_F(PlacementEngineTest, APlanThatNothingWaitsForHasTheLowestPriority) {
  std::vector<int> priorities;
  PlacementEngine engine(store_.get(), FakePolicies([&](auto&&... arguments) {
                           priorities.push_back(getpriority(PRIO_PROCESS, 0));
                           return AllFast(arguments...);
                         }));
  request_.replan = true;
  for (const bool background : {false, true, false}) {
    request_.background = background;
    ASSERT_TRUE(engine.MakePlan(request_).ok());
  }
  EXPECT_THAT(priorities, ElementsAre(priorities[0], 19, priorities[0]));
}

TEST_F(PlacementEngineTest, APlanThatNothingWaitsForKeepsNobodyWaiting) {
  absl::Notification begun, may_end;
  const auto make = [&](const auto& graph, const auto& system,
                        const auto& options) {
    if (options.seed == 7) {
      begun.Notify();
      may_end.WaitForNotification();
    }
    return AllFast(graph, system, options);
  };
  PlacementEngine engine(store_.get(), FakePolicies(make), nullptr,
                         {.threads = 1});
  PlanRequest background = request_;
  background.background = true;
  background.seed = 7;
  std::thread thread([&] { EXPECT_TRUE(engine.MakePlan(background).ok()); });
  begun.WaitForNotification();
  EXPECT_TRUE(engine.MakePlan(request_).ok());
  EXPECT_EQ(engine.CountRunning(), 1);
  may_end.Notify();
  thread.join();
}

TEST_F(PlacementEngineTest, TwoCallersOfOneRequestShareOneRun) {
  absl::Notification planning;
  absl::Notification released;
  std::atomic<int> runs = 0;
  std::atomic<int> made = 0;
  PlacementEngine engine(store_.get(), FakePolicies([&](auto&&... arguments) {
                           ++runs;
                           planning.Notify();
                           released.WaitForNotification();
                           return AllFast(arguments...);
                         }),
                         /*dqn=*/nullptr, {},
                         [&](const PlanRequest& request, const MadePlan& plan) {
                           EXPECT_EQ(request.policy, "fake");
                           EXPECT_GE(plan.bound_ratio, 1);
                           ++made;
                         });
  std::thread first([&] { EXPECT_TRUE(engine.MakePlan(request_).ok()); });
  planning.WaitForNotification();
  std::thread second([&] { EXPECT_TRUE(engine.MakePlan(request_).ok()); });
  released.Notify();
  first.join();
  second.join();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(made, 1);
}

TEST_F(PlacementEngineTest, RefusesAndDoesNotStoreAPlanTheVerifierRejects) {
  PlacementEngine engine(
      store_.get(), FakePolicies([](const policies::Graph& graph,
                                    const policies::MemorySystem& system,
                                    const policies::PlanOptions& options) {
        absl::StatusOr<policies::Plan> plan = AllFast(graph, system, options);
        for (policies::Allocation& allocation : plan->allocations) {
          allocation.at.offset_bytes = 0;
        }
        return plan;
      }));
  const absl::Status status = engine.MakePlan(request_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("overlap"));
  EXPECT_EQ(StoredPlans(), 0);
}

TEST_F(PlacementEngineTest, PassesOnThatTheLimitIsTooSmall) {
  PlacementEngine engine(
      store_.get(), FakePolicies([](auto&&...) {
        return absl::FailedPreconditionError("the least limit is 2097152");
      }));
  const absl::Status status = engine.MakePlan(request_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("2097152"));
  EXPECT_EQ(StoredPlans(), 0);
}

TEST_F(PlacementEngineTest, AnUnknownPolicyIsInvalid) {
  PlacementEngine engine(store_.get(), FakePolicies(&AllFast));
  request_.policy = "best";
  const absl::Status status = engine.MakePlan(request_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("there is only fake"));
}

TEST_F(PlacementEngineTest, ALimitBelowOneByteIsInvalid) {
  PlacementEngine engine(store_.get(), FakePolicies(&AllFast));
  for (int64_t limit_bytes : {int64_t{0}, int64_t{-1}}) {
    request_.fast_limit_bytes = limit_bytes;
    EXPECT_TRUE(absl::IsInvalidArgument(engine.MakePlan(request_).status()));
  }
}

TEST_F(PlacementEngineTest, AnUnknownGraphIsNotFound) {
  PlacementEngine engine(store_.get(), FakePolicies(&AllFast));
  request_.graph_id = "0";
  EXPECT_TRUE(absl::IsNotFound(engine.MakePlan(request_).status()));
}

TEST_F(PlacementEngineTest, AGraphDeletedWhileThePolicyThinksIsNotFound) {
  PlacementEngine engine(
      store_.get(), FakePolicies([&](auto&&... arguments) {
        EXPECT_TRUE(store_->DeleteGraph(request_.graph_id).ok());
        return AllFast(arguments...);
      }));
  EXPECT_TRUE(absl::IsNotFound(engine.MakePlan(request_).status()));
}

TEST_F(PlacementEngineTest, TellsADamagedGraphFromAMalformedRequest) {
  v1::GraphSummary summary;
  summary.set_graph_id(request_.graph_id);
  ASSERT_TRUE(store_->PutGraph(summary, v1::Graph(), "").ok());
  PlacementEngine engine(store_.get(), FakePolicies(&AllFast));
  EXPECT_EQ(engine.MakePlan(request_).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(PlacementEngineTest, RollsOutAStoredPlan) {
  PlacementEngine engine(store_.get(), FakePolicies(&AllFast));
  const std::string plan_id = engine.MakePlan(request_)->plan_id;
  EXPECT_FALSE((*engine.Decisions(plan_id))->EncodedWindow(0, 4)->empty());
  EXPECT_TRUE(absl::IsNotFound(engine.Decisions("none").status()));
}

}  // namespace
}  // namespace stowage
