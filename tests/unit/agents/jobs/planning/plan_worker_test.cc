#include "agents/jobs/planning/plan_worker.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "agents/tiers/memory_provider.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/jobs/served_jobs.h"
#include "tests/unit/agents/sizes.h"
#include "timing/canceller.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

class PlanWorkerTest : public ServedJobsTest {};

TEST_F(PlanWorkerTest, TurnsAProfileIntoAPlan) {
  service_.SetAnswer(PlaceTensorZero);
  const auto job = Join({.fast = "8MiB", .policy = "belady"});
  session::Segment* segment = job->segment();
  segment->report.limit_bytes = (8 << 20) - 100;
  WriteProfile(segment->profile, 4096);
  job->PublishProfile();
  ASSERT_EQ(segment->plans_written.load(), 1);
  EXPECT_EQ(segment->profiles_taken.load(), 1);
  EXPECT_EQ(segment->profiles_refused.load(), 0);
  EXPECT_EQ(segment->plans[1].signature, 0xabc);
  EXPECT_EQ(segment->plans[1].allocations[0].offset_bytes, 3 * kPage);
  EXPECT_STREQ(segment->report.policy, "fake");
  const auto queries = service_.queries();
  ASSERT_EQ(queries.size(), 1);
  EXPECT_EQ(queries[0].policy, "belady");
  EXPECT_EQ(queries[0].fast_limit_bytes, (8 << 20) - kPage);
  EXPECT_EQ(queries[0].system.tiers_size(), 2);
  EXPECT_EQ(queries[0].graph.kernels_size(), 2);
  EXPECT_EQ(service_.started().back().graph_id(), "g");
  for (const char* what : {"graph", "plan", "system"}) {
    EXPECT_TRUE(std::filesystem::exists(directory_.path() + "/run-" +
                                        std::to_string(getpid()) + "-1." +
                                        what + ".pb"))
        << what;
  }
}

TEST_F(PlanWorkerTest, KnowsThePlanOfAStepThatItHasSeen) {
  service_.SetAnswer(PlaceTensorZero);
  const auto job = Join({.fast = "8MiB"});
  session::Segment* segment = job->segment();
  for (int64_t size_bytes : {4096, 8192, 4096}) {
    WriteProfile(segment->profile, size_bytes);
    job->PublishProfile();
    segment->plans_taken.store(segment->plans_written.load());
  }
  EXPECT_EQ(segment->plans_written.load(), 3);
  EXPECT_EQ(service_.queries().size(), 2);
}

TEST_F(PlanWorkerTest, AFurtherKindOfStepHasABriefPlanFirst) {
  service_.SetAnswer(PlaceTensorZero);
  const auto job = Join({.fast = "8MiB"});
  session::Segment* segment = job->segment();
  const auto publish = [&](int64_t size_bytes) {
    WriteProfile(segment->profile, size_bytes);
    job->PublishProfile();
    segment->plans_taken.store(segment->plans_written.load());
  };
  for (int64_t size_bytes : {4096, 8192, 8192}) publish(size_bytes);
  // The known plan, and then the thorough one.
  Await([&] { return segment->plans_written.load() == 4; });
  segment->plans_taken.store(4);
  publish(8192);
  EXPECT_EQ(segment->plans_written.load(), 5);
  const auto queries = service_.queries();
  ASSERT_EQ(queries.size(), 3);
  EXPECT_FALSE(queries[0].brief);
  EXPECT_TRUE(queries[1].brief && !queries[1].background);
  EXPECT_TRUE(queries[2].replan && queries[2].background && !queries[2].brief);
}

TEST_F(PlanWorkerTest, AsksForAnotherPlanOnceKernelsTakeAnotherTime) {
  service_.SetAnswer(PlaceTensorZero);
  const auto job = Join({.fast = "8MiB"});
  session::Segment* segment = job->segment();
  const auto publish = [&](int64_t duration_ns) {
    WriteProfile(segment->profile, 4096);
    segment->profile.kernels[0].duration_ns = duration_ns;
    segment->profile.kernels[1].duration_ns = duration_ns;
    job->PublishProfile();
    segment->plans_taken.store(segment->plans_written.load());
  };
  for (int64_t duration_ns : {100, 105, 50}) publish(duration_ns);
  // The known plan, and then the other one.
  Await([&] { return segment->plans_written.load() == 4; });
  segment->plans_taken.store(4);
  publish(50);
  const auto queries = service_.queries();
  ASSERT_EQ(queries.size(), 2);
  EXPECT_FALSE(queries[0].replan || queries[0].background);
  EXPECT_TRUE(queries[1].replan && queries[1].background);
}

// A step has drifted, and its plan is made until something else comes.
class DriftedStepTest : public PlanWorkerTest {
 protected:
  static constexpr uint64_t kKind = 0xabc;
  static constexpr uint64_t kOtherKind = 0xdef;

  void SetUp() override {
    service_.SetAnswer([this](const PlanQuery& query) {
      if (query.background) AwaitFirstCancel(query);
      return PlaceTensorZero(query);
    });
    job_ = Join({.fast = "8MiB"});
    PublishDrifting(kKind, 4096);
    Await([&] { return background_sizes().size() == 1; });
  }
  // Plans that are being made use what this class has.
  void TearDown() override {
    job_.reset();
    server_.reset();
  }

  // Publishes two profiles, the second of which is twice as fast.
  void PublishDrifting(uint64_t signature, int64_t size_bytes) {
    for (int64_t duration_ns : {100, 50}) {
      Publish(signature, size_bytes, duration_ns);
    }
  }
  void Publish(uint64_t signature, int64_t size_bytes, int64_t duration_ns) {
    session::ProfileArea& profile = segment()->profile;
    WriteProfile(profile, size_bytes);
    profile.signature = signature;
    profile.kernels[0].duration_ns = duration_ns;
    profile.kernels[1].duration_ns = duration_ns;
    job_->PublishProfile();
    segment()->plans_taken.store(segment()->plans_written.load());
  }

  session::Segment* segment() { return job_->segment(); }
  // Returns the sizes of the tensors for which background plans were asked.
  std::vector<int64_t> background_sizes() {
    std::vector<int64_t> sizes_bytes;
    for (const PlanQuery& query : service_.queries()) {
      if (!query.background) continue;
      sizes_bytes.push_back(query.graph.tensors(0).size_bytes());
    }
    return sizes_bytes;
  }

 private:
  void AwaitFirstCancel(const PlanQuery& query) {
    if (std::exchange(has_waited_, true)) return;
    absl::Notification cancelled;
    const Canceller::Call call(query.canceller, [&] { cancelled.Notify(); });
    cancelled.WaitForNotification();
  }

  std::unique_ptr<FakeJob> job_;
  bool has_waited_ = false;
};

TEST_F(DriftedStepTest, GivesWayToAProfileOfAnotherKindAndIsPlannedThen) {
  Publish(kOtherKind, 8192, 100);
  EXPECT_EQ(segment()->plans[1].allocations[0].size_bytes, 8192);
  Await([&] { return segment()->plans_written.load() == 4; });
  EXPECT_EQ(segment()->plans[0].allocations[0].size_bytes, 4096);
}

TEST_F(DriftedStepTest, IsForgottenOnceItsKindIsProfiledAgain) {
  PublishDrifting(kKind, 8192);
  Await([&] { return background_sizes().size() == 2; });
  EXPECT_EQ(background_sizes().back(), 8192);
}

TEST_F(DriftedStepTest, IsForgottenOnceTheLimitIsAnotherOne) {
  segment()->report.limit_bytes = 4 << 20;
  PublishDrifting(kOtherKind, 8192);
  Await([&] { return background_sizes().size() == 2; });
  EXPECT_EQ(background_sizes().back(), 8192);
}

TEST_F(PlanWorkerTest, KeepsItsPlanWhereTheServiceHasNoOther) {
  service_.SetAnswer(PlaceTensorZero);
  const auto job = Join({.fast = "8MiB"});
  session::Segment* segment = job->segment();
  WriteProfile(segment->profile, 4096);
  job->PublishProfile();
  segment->plans_taken.store(1);
  service_.SetAnswer(
      [](const PlanQuery&) { return absl::UnavailableError("gone"); });
  WriteProfile(segment->profile, 4096);
  segment->profile.kernels[0].duration_ns *= 10;
  job->PublishProfile();
  EXPECT_EQ(segment->plans_written.load(), 2);
  EXPECT_EQ(segment->profiles_refused.load(), 0);
}

TEST_F(PlanWorkerTest, WritesNoPlanBeforeTheOneBeforeWasTaken) {
  service_.SetAnswer(PlaceTensorZero);
  const auto job = Join({.fast = "8MiB"});
  session::Segment* segment = job->segment();
  WriteProfile(segment->profile, 4096);
  job->PublishProfile();
  WriteProfile(segment->profile, 8192);
  segment->profiles_written.fetch_add(1);
  Await([&] { return segment->profiles_taken.load() == 2; });
  Await([&] { return service_.queries().size() == 2; });
  EXPECT_EQ(segment->plans_written.load(), 1);
  segment->plans_taken.store(1);
  Await([&] { return segment->plans_written.load() == 2; });
  EXPECT_EQ(segment->plans[0].allocations[0].size_bytes, 8192);
}

TEST_F(PlanWorkerTest, HandsOnTheBetterPlanThatTheServiceHasByNow) {
  service_.SetAnswer(PlaceTensorZero);
  v1::PolicyCapabilities learns;
  learns.set_needs_training(true);
  service_.SetCapabilities(learns);
  const auto job = Join({.fast = "8MiB", .policy = "learns"});
  session::Segment* segment = job->segment();
  WriteProfile(segment->profile, 4096);
  job->PublishProfile();
  segment->plans_taken.store(1);
  // The same plan again is no news.
  Await([&] { return service_.queries().size() >= 3; });
  EXPECT_EQ(segment->plans_written.load(), 1);
  service_.SetAnswer([](const PlanQuery& query) {
    absl::StatusOr<v1::Plan> plan = PlaceTensorZero(query);
    plan->set_policy("better");
    plan->mutable_allocations(0)->mutable_at()->set_offset_bytes(kPage);
    return plan;
  });
  Await([&] { return segment->plans_written.load() == 2; });
  EXPECT_EQ(segment->plans[0].allocations[0].offset_bytes, kPage);
  EXPECT_STREQ(segment->report.policy, "better");
  EXPECT_EQ(service_.started().back().policy(), "better");
  EXPECT_EQ(service_.queries().back().graph_id, "g");
  EXPECT_EQ(service_.queries().back().graph.kernels_size(), 0);
}

TEST_F(PlanWorkerTest, AsksForNoBetterPlanUnderALimitThatIsNoMore) {
  service_.SetAnswer(PlaceTensorZero);
  v1::PolicyCapabilities learns;
  learns.set_needs_training(true);
  service_.SetCapabilities(learns);
  const auto job = Join({.fast = "8MiB", .policy = "learns"});
  session::Segment* segment = job->segment();
  WriteProfile(segment->profile, 4096);
  job->PublishProfile();
  segment->plans_taken.store(1);
  segment->report.limit_bytes = 4 << 20;
  WriteProfile(segment->profile, 8192);
  job->PublishProfile();
  const size_t before = service_.queries().size();
  Await([&] { return service_.queries().size() >= before + 3; });
  const auto queries = service_.queries();
  for (size_t i = before; i < queries.size(); ++i) {
    EXPECT_EQ(queries[i].fast_limit_bytes, 4 << 20);
  }
}

TEST_F(PlanWorkerTest, LeavesPlansOfOtherPoliciesAlone) {
  service_.SetAnswer(PlaceTensorZero);
  const auto job = Join({.fast = "8MiB", .policy = "belady"});
  session::Segment* segment = job->segment();
  for (int64_t size_bytes : {4096, 8192}) {
    WriteProfile(segment->profile, size_bytes);
    job->PublishProfile();
    segment->plans_taken.store(segment->plans_written.load());
  }
  EXPECT_EQ(service_.queries().size(), 2);
}

TEST_F(PlanWorkerTest, SaysWhyThereIsNoPlan) {
  service_.SetAnswer([](const PlanQuery&) {
    return absl::FailedPreconditionError("the limit is below 12 MiB");
  });
  const auto job = Join({.fast = "8MiB"});
  session::Segment* segment = job->segment();
  WriteProfile(segment->profile, 4096);
  job->PublishProfile();
  EXPECT_EQ(segment->profiles_refused.load(), 1);
  EXPECT_EQ(segment->plans_written.load(), 0);
  const session::EventLog& events = segment->report.agent_events;
  ASSERT_EQ(events.written.load(), 1);
  EXPECT_EQ(ReasonOf(events, 0), "no-plan");
  EXPECT_THAT(events.entries[0].detail, HasSubstr("the limit is below 12 MiB"));
}

TEST_F(PlanWorkerTest, AsksAgainWhereTheServiceWasAway) {
  service_.SetAnswer(
      [](const PlanQuery&) { return absl::UnavailableError("away"); });
  const auto job = Join({.fast = "8MiB"});
  session::Segment* segment = job->segment();
  WriteProfile(segment->profile, 4096);
  job->PublishProfile();
  // The job goes on without a plan meanwhile.
  EXPECT_EQ(segment->profiles_refused.load(), 1);
  Await([&] { return service_.queries().size() >= 3; });
  EXPECT_EQ(segment->plans_written.load(), 0);
  service_.SetAnswer(PlaceTensorZero);
  Await([&] { return segment->plans_written.load() == 1; });
  EXPECT_EQ(segment->profiles_refused.load(), 1);
  EXPECT_EQ(segment->report.agent_events.written.load(), 1);
}

TEST_F(PlanWorkerTest, ANewProfileOfAStepTakesThePlaceOfOneThatWaits) {
  service_.SetAnswer(
      [](const PlanQuery&) { return absl::UnavailableError("away"); });
  const auto job = Join({.fast = "8MiB"});
  session::Segment* segment = job->segment();
  for (int i = 0; i < 2; ++i) {
    WriteProfile(segment->profile, 4096);
    job->PublishProfile();
  }
  service_.SetAnswer(PlaceTensorZero);
  Await([&] { return segment->plans_written.load() == 1; });
  segment->plans_taken.store(1);
  const size_t queries = service_.queries().size();
  WriteProfile(segment->profile, 8192);
  job->PublishProfile();
  EXPECT_EQ(segment->plans_written.load(), 2);
  EXPECT_EQ(service_.queries().size(), queries + 1);
}

TEST_F(PlanWorkerTest, RefusesATornProfileAndServesTheNext) {
  service_.SetAnswer(PlaceTensorZero);
  const auto job = Join({.fast = "8MiB"});
  session::Segment* segment = job->segment();
  segment->profile.kernel_count = ~0u;
  job->PublishProfile();
  EXPECT_EQ(segment->profiles_refused.load(), 1);
  WriteProfile(segment->profile, 4096);
  job->PublishProfile();
  EXPECT_EQ(segment->plans_written.load(), 1);
}

TEST_F(PlanWorkerTest, RefusesAPlanThatDoesNotFitTheArena) {
  service_.SetAnswer([](const PlanQuery& query) {
    absl::StatusOr<v1::Plan> plan = PlaceTensorZero(query);
    plan->mutable_allocations(0)->mutable_at()->set_offset_bytes(
        HostMemoryBytes());
    return plan;
  });
  const auto job = Join({.fast = "8MiB"});
  WriteProfile(job->segment()->profile, 4096);
  job->PublishProfile();
  EXPECT_EQ(job->segment()->plans_written.load(), 0);
  EXPECT_EQ(job->segment()->profiles_refused.load(), 1);
}

TEST_F(PlanWorkerTest, CancelsAPlanWhoseJobHasEndedAndTellsNothingOfIt) {
  absl::Notification ended;
  service_.SetAnswer([&ended](const PlanQuery& query) {
    ended.WaitForNotification();
    return PlaceTensorZero(query);
  });
  const auto job = Join({.fast = "8MiB"});
  WriteProfile(job->segment()->profile, 4096);
  job->segment()->profiles_written.fetch_add(1);
  Await([this] { return service_.queries().size() == 1; });
  job->HangUp();
  Await([this] { return service_.finished().size() == 1; });
  EXPECT_TRUE(service_.queries().front().canceller->cancelled());
  ended.Notify();
  server_.reset();  // waits for the plan
  EXPECT_EQ(service_.started().size(), 1);
}

}  // namespace
}  // namespace stowage::agent
