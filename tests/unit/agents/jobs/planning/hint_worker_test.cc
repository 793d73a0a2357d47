#include "agents/jobs/planning/hint_worker.h"

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "client_sdk/session/futex.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/fake_service.h"

namespace stowage::agent {
namespace {

constexpr uint64_t kPlan = 3;

class HintWorkerTest : public testing::Test {
 protected:
  HintWorkerTest() {
    v1::Graph graph;
    for (int k = 0; k < 4; ++k) graph.add_kernels();
    graph.add_tensors()->set_persistent(true);
    SetAnswersOnline(true);
    plans_.Add(kPlan, DeliveredPlanOf("plan", graph));
    plans_.Add(kPlan + 1, DeliveredPlanOf("another", graph));
    service_.SetPlace([this](const v1::PlaceRequest& request) {
      ++asked_;
      last_plan_id_ = request.plan_id();
      v1::PlaceResponse response;
      v1::KernelDecision* decision = response.add_decisions();
      decision->set_kernel(request.kernel() + 1);
      decision->add_actions()->set_tier(1);
      return response;
    });
  }

  void SetAnswersOnline(bool answers_online) {
    v1::PolicyCapabilities can;
    can.set_answers_online(answers_online);
    service_.SetCapabilities(can);
  }

  void Start(absl::Duration retry_interval = absl::Hours(1)) {
    worker_.emplace(segment_.get(), &plans_, &service_,
                    HintWorkerOptions{.policy = "answers",
                                      .capacity_bytes = {1000, 1000},
                                      .retry_interval = retry_interval});
  }

  // States a situation and blocks until it is answered; returns the number of
  // hints.
  uint32_t State(uint64_t plan, int32_t kernel) {
    segment_->situation.plan = plan;
    segment_->situation.kernel = kernel;
    segment_->situation.resident_count = 1;
    const uint64_t number = segment_->situations_stated.load() + 1;
    segment_->situations_stated.store(number);
    session::FutexRing(segment_->situation_bell);
    while (segment_->situations_answered.load() != number) {
      std::this_thread::yield();
    }
    return segment_->hints.hint_count;
  }

  const std::unique_ptr<session::Segment> segment_ =
      std::make_unique<session::Segment>();
  DeliveredPlans plans_;
  FakeService service_;
  std::atomic<int> asked_{0};
  std::string last_plan_id_;
  std::optional<HintWorker> worker_;
};

TEST_F(HintWorkerTest, AsksTheServiceAndWritesItsAnswer) {
  Start();
  EXPECT_EQ(State(kPlan, 1), 1u);
  EXPECT_EQ(last_plan_id_, "plan");
  EXPECT_EQ(segment_->hints.hints[0].kernel, 2);
  EXPECT_EQ(segment_->hints.hints[0].tier, 1);
}

TEST_F(HintWorkerTest, KeepsOneStreamForAPlan) {
  Start();
  for (int i = 0; i < 3; ++i) State(kPlan, 1);
  EXPECT_EQ(service_.placements_opened(), 1);
  State(kPlan + 1, 1);
  EXPECT_EQ(service_.placements_opened(), 2);
  EXPECT_EQ(last_plan_id_, "another");
}

TEST_F(HintWorkerTest, HasNoHintsForPlansAndKernelsThatThereAreNot) {
  Start();
  EXPECT_EQ(State(kPlan + 7, 1), 0u);
  EXPECT_EQ(State(kPlan, 4), 0u);
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(State(kPlan, 1), 1u);
}

TEST_F(HintWorkerTest, LeavesTheServiceAloneAfterAnError) {
  service_.SetPlace([this](const v1::PlaceRequest&) {
    ++asked_;
    return absl::FailedPreconditionError("no DQN policy serves");
  });
  Start();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(State(kPlan, 1), 0u);
  EXPECT_EQ(asked_, 1);
}

TEST_F(HintWorkerTest, AsksAgainLater) {
  std::atomic<bool> serves{false};
  service_.SetPlace(
      [&](const v1::PlaceRequest&) -> absl::StatusOr<v1::PlaceResponse> {
        if (!serves) return absl::UnavailableError("away");
        v1::PlaceResponse response;
        response.add_decisions()->add_actions()->set_tier(1);
        return response;
      });
  Start(/*retry_interval=*/absl::ZeroDuration());
  EXPECT_EQ(State(kPlan, 0), 0u);
  serves = true;
  EXPECT_EQ(State(kPlan, 0), 1u);
  EXPECT_EQ(service_.placements_opened(), 2);
}

TEST_F(HintWorkerTest, GivesNoHintsOutOfAnAnswerThatMakesNoSense) {
  service_.SetPlace([](const v1::PlaceRequest&) {
    v1::PlaceResponse response;
    response.add_decisions()->add_actions()->set_tensor(77);
    return response;
  });
  Start();
  EXPECT_EQ(State(kPlan, 1), 0u);
}

TEST_F(HintWorkerTest, AnswersOnceTheServiceSaysThatThePolicyDoes) {
  SetAnswersOnline(false);
  Start();
  segment_->situation.plan = kPlan;
  segment_->situations_stated.store(1);
  session::FutexRing(segment_->situation_bell);
  EXPECT_EQ(segment_->situations_answered.load(), 0);
  SetAnswersOnline(true);
  while (segment_->situations_answered.load() != 1) std::this_thread::yield();
}

TEST_F(HintWorkerTest, StopsWhileThePolicyDoesNotAnswer) {
  SetAnswersOnline(false);
  Start();
  worker_->RequestStop();
  worker_.reset();
}

TEST_F(HintWorkerTest, StopsWhileItWaits) {
  Start();
  worker_->RequestStop();
  worker_.reset();
}

}  // namespace
}  // namespace stowage::agent
