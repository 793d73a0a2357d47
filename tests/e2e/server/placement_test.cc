// Asks for plans over the wire: made, verified, kept, streamed kernel by
// kernel.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/v1/status.pb.h"
#include "tests/e2e/server/stowaged_process.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr int kKernels = 8;
// Weights and two activations.
constexpr int64_t kPeakBytes = 3 * kChainTensorBytes;

class StowagedPlacementTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
    client_ = server_.Connect();
    v1::RegisterGraphRequest registration;
    *registration.mutable_graph() = ChainGraph(kKernels);
    graph_id_ = client_->RegisterGraph(registration)->graph_id();
  }

  v1::MakePlanRequest Request(int64_t limit_bytes) {
    v1::MakePlanRequest request;
    request.set_graph_id(graph_id_);
    *request.mutable_system() = TwoTiers();
    request.set_fast_limit_bytes(limit_bytes);
    return request;
  }

  StowagedProcess server_;
  std::unique_ptr<Client> client_;
  std::string graph_id_;
};

TEST_F(StowagedPlacementTest, EveryPolicyMakesAPlanThatIsKept) {
  const std::vector<v1::PolicySummary> policies = *client_->ListPolicies();
  ASSERT_FALSE(policies.empty());
  for (const v1::PolicySummary& policy : policies) {
    EXPECT_FALSE(policy.description().empty()) << policy.name();
    EXPECT_EQ(policy.capabilities().needs_training(),
              policy.name() == "deeptm");
    v1::MakePlanRequest request = Request(2 * kPeakBytes);
    request.set_policy(policy.name());
    const auto made = client_->MakePlan(request);
    ASSERT_TRUE(made.ok()) << policy.name() << ": " << made.status();
    EXPECT_EQ(made->plan().policy(), policy.name());
    EXPECT_EQ(client_->GetPlan(made->plan_id())->SerializeAsString(),
              made->plan().SerializeAsString());
  }
  EXPECT_EQ(client_->ListPlans(graph_id_)->size(), policies.size());
  EXPECT_TRUE(client_->ListPlans(std::string(64, 'a'))->empty());
}

TEST_F(StowagedPlacementTest, WhatFitsStaysInFastMemory) {
  const auto made = client_->MakePlan(Request(2 * kPeakBytes));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(made->plan().fits());
  EXPECT_EQ(made->plan().moves_size(), 0);
  EXPECT_EQ(made->plan().prediction().step_time_ns(), kKernels * 1'000'000);
}

TEST_F(StowagedPlacementTest, TheSameRequestReturnsTheSamePlan) {
  const auto first = client_->MakePlan(Request(kPeakBytes));
  const auto second = client_->MakePlan(Request(kPeakBytes));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->SerializeAsString(), second->SerializeAsString());
  EXPECT_EQ(client_->ListPlans("")->size(), 1);
}

TEST_F(StowagedPlacementTest, AFormerNameOfAPolicyNamesTheSamePlan) {
  for (const auto& [former, present] :
       {std::pair("stow", "annealed-search"),
        std::pair("deeptm-plus", "learned-prices")}) {
    v1::MakePlanRequest request = Request(kPeakBytes);
    request.set_policy(former);
    const auto old = client_->MakePlan(request);
    request.set_policy(present);
    const auto made = client_->MakePlan(request);
    ASSERT_TRUE(old.ok() && made.ok()) << old.status() << made.status();
    EXPECT_EQ(old->plan().policy(), present);
    EXPECT_EQ(old->SerializeAsString(), made->SerializeAsString());
  }
}

TEST_F(StowagedPlacementTest, CallersAtTheSameTimeGetTheSamePlan) {
  std::vector<absl::StatusOr<v1::MakePlanResponse>> responses(
      4, absl::UnknownError("not called"));
  std::vector<std::thread> callers;
  for (auto& response : responses) {
    callers.emplace_back(
        [&] { response = client_->MakePlan(Request(kPeakBytes)); });
  }
  for (std::thread& caller : callers) caller.join();
  for (const auto& response : responses) {
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->SerializeAsString(), responses[0]->SerializeAsString());
  }
}

TEST_F(StowagedPlacementTest, ASystemMayBeAPresetByName) {
  v1::MakePlanRequest request = Request(2 * kPeakBytes);
  request.set_system_name("optane");
  const auto made = client_->MakePlan(request);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(client_->ListPlans("")->front().system(), made->plan().system());
}

TEST_F(StowagedPlacementTest, ALimitTooSmallIsRefusedWithTheLeastThatWorks) {
  v1::MakePlanRequest request = Request(4096);
  request.set_policy("all-fast");
  const absl::Status status = client_->MakePlan(request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr(std::to_string(kPeakBytes)));
  EXPECT_TRUE(client_->ListPlans("")->empty());
  request.set_fast_limit_bytes(kPeakBytes);
  EXPECT_TRUE(client_->MakePlan(request).ok());
}

TEST_F(StowagedPlacementTest, TheLeastLimitIsADetailOfTheStatus) {
  v1::MakePlanRequest request = Request(4096);
  request.set_system_name("gpu-pcie");
  const absl::Status status = client_->MakePlan(request).status();
  const absl::optional<absl::Cord> payload =
      status.GetPayload("type.googleapis.com/stowage.v1.LimitTooSmall");
  ASSERT_TRUE(payload.has_value()) << status;
  v1::LimitTooSmall detail;
  ASSERT_TRUE(detail.ParseFromString(std::string(*payload)));
  EXPECT_FALSE(detail.kernel_name().empty());
  request.set_fast_limit_bytes(detail.least_limit_bytes());
  EXPECT_TRUE(client_->MakePlan(request).ok());
  request.set_fast_limit_bytes(detail.least_limit_bytes() - 1);
  EXPECT_FALSE(client_->MakePlan(request).ok());
}

TEST_F(StowagedPlacementTest, RefusesMalformedRequests) {
  v1::MakePlanRequest limit = Request(0);
  v1::MakePlanRequest policy = Request(kPeakBytes);
  policy.set_policy("best");
  v1::MakePlanRequest preset = Request(kPeakBytes);
  preset.set_system_name("no-such-machine");
  v1::MakePlanRequest no_system = Request(kPeakBytes);
  no_system.clear_system();
  v1::MakePlanRequest system = Request(kPeakBytes);
  system.mutable_system()->mutable_tiers(1)->clear_read();
  for (const auto& request : {limit, policy, preset, no_system, system}) {
    EXPECT_TRUE(absl::IsInvalidArgument(client_->MakePlan(request).status()));
  }
  v1::MakePlanRequest graph = Request(kPeakBytes);
  graph.set_graph_id(std::string(64, 'a'));
  EXPECT_TRUE(absl::IsNotFound(client_->MakePlan(graph).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(client_->GetPlan("none").status()));
  EXPECT_TRUE(
      absl::IsNotFound(client_->GetPlan(std::string(64, 'a')).status()));
}

TEST_F(StowagedPlacementTest, DeletingTheGraphDeletesItsPlans) {
  const auto made = client_->MakePlan(Request(kPeakBytes));
  ASSERT_TRUE(client_->DeleteGraph(graph_id_).ok());
  EXPECT_TRUE(absl::IsNotFound(client_->GetPlan(made->plan_id()).status()));
}

TEST_F(StowagedPlacementTest, TheStreamDecidesKernelByKernelAsThePlanSays) {
  const auto made = client_->MakePlan(Request(kPeakBytes));
  ASSERT_TRUE(made.ok()) << made.status();
  std::unique_ptr<PlaceStream> stream = client_->Place();
  int allocations = 0;
  int moves = 0;
  for (int kernel = 0; kernel < kKernels; ++kernel) {
    v1::PlaceRequest request;
    // Only the first request has to name the plan.
    if (kernel == 0) request.set_plan_id(made->plan_id());
    request.set_kernel(kernel);
    const auto response = stream->Send(request);
    ASSERT_TRUE(response.ok()) << response.status();
    for (const v1::KernelDecision& decision : response->decisions()) {
      allocations += decision.allocations_size();
      moves += decision.moves_size();
    }
  }
  EXPECT_EQ(allocations, made->plan().allocations_size());
  EXPECT_EQ(moves, made->plan().moves_size());
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(StowagedPlacementTest, TheStreamEndsWithTheErrorOfABadRequest) {
  const std::string plan_id =
      client_->MakePlan(Request(2 * kPeakBytes))->plan_id();
  v1::PlaceRequest unknown;
  EXPECT_TRUE(
      absl::IsInvalidArgument(client_->Place()->Send(unknown).status()));
  unknown.set_plan_id(std::string(64, 'a'));
  EXPECT_TRUE(absl::IsNotFound(client_->Place()->Send(unknown).status()));
  v1::PlaceRequest kernel;
  kernel.set_plan_id(plan_id);
  kernel.set_kernel(kKernels);
  EXPECT_TRUE(absl::IsInvalidArgument(client_->Place()->Send(kernel).status()));
  v1::PlaceRequest window;
  window.set_plan_id(plan_id);
  window.set_window(-1);
  EXPECT_TRUE(absl::IsInvalidArgument(client_->Place()->Send(window).status()));
}

TEST_F(StowagedPlacementTest, ACallOfItsOwnAnswersAsTheStreamDoes) {
  const auto made = client_->MakePlan(Request(kPeakBytes));
  ASSERT_TRUE(made.ok()) << made.status();
  const std::unique_ptr<PlaceStream> stream = client_->Place();
  v1::PlaceRequest request;
  request.set_plan_id(absl::AsciiStrToUpper(made->plan_id()));
  // The first call reads the plan, and the others find it.
  for (int kernel = 0; kernel < kKernels; ++kernel) {
    request.set_kernel(kernel);
    request.set_window(1 + kernel % 3);
    const auto answer = client_->PlaceOnce(request);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->SerializeAsString(),
              stream->Send(request)->SerializeAsString());
  }
}

TEST_F(StowagedPlacementTest, ACallOfItsOwnFailsWithTheErrorOfABadRequest) {
  const std::string plan_id =
      client_->MakePlan(Request(2 * kPeakBytes))->plan_id();
  const auto ask = [&](const std::string& plan, int kernel) {
    v1::PlaceRequest request;
    request.set_plan_id(plan);
    request.set_kernel(kernel);
    return client_->PlaceOnce(request).status();
  };
  EXPECT_TRUE(ask(plan_id, 0).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(ask(plan_id, kKernels)));
  EXPECT_TRUE(absl::IsInvalidArgument(ask("", 0)));
  EXPECT_TRUE(absl::IsInvalidArgument(ask("no digest", 0)));
  EXPECT_TRUE(absl::IsNotFound(ask(std::string(64, 'a'), 0)));
  v1::PlaceRequest adapt;
  adapt.set_plan_id(plan_id);
  adapt.set_adapt(true);
  EXPECT_TRUE(absl::IsFailedPrecondition(client_->PlaceOnce(adapt).status()));
}

TEST_F(StowagedPlacementTest, TheStreamRefusesResidentsThatThereCannotBe) {
  const auto made = client_->MakePlan(Request(kPeakBytes));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->plan().tier_count(), 2);
  const auto ask = [&](int tensor, int tier) {
    v1::PlaceRequest request;
    request.set_plan_id(made->plan_id());
    request.set_kernel(4);
    v1::Resident* resident = request.add_residents();
    resident->set_tensor(tensor);
    resident->set_tier(tier);
    return client_->Place()->Send(request).status();
  };
  EXPECT_TRUE(ask(4, 1).ok());
  // Tensor -1, one beyond the graph, one that is dead; tiers that do not exist.
  for (const auto& [tensor, tier] :
       {std::pair(-1, 0), {99, 0}, {7, 0}, {4, -1}, {4, 99}, {4, 2}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ask(tensor, tier)))
        << tensor << " in tier " << tier;
  }
}

// gRPC's threads sleep for 100 ms when they have had nothing to do for a second
// (server/runtime/callback_waker.h).
TEST_F(StowagedPlacementTest, AnswersAtOnceAfterAPause) {
  v1::PlaceRequest place;
  place.set_plan_id(client_->MakePlan(Request(2 * kPeakBytes))->plan_id());
  absl::Duration fastest = absl::InfiniteDuration();
  for (int i = 0; i < 3; ++i) {
    absl::SleepFor(absl::Milliseconds(1020));
    const absl::Time begin = SteadyNow();
    ASSERT_TRUE(client_->PlaceOnce(place).ok());
    fastest = std::min(fastest, SteadyNow() - begin);
  }
  EXPECT_LT(fastest, absl::Milliseconds(30));
}

}  // namespace
}  // namespace stowage
