#include "server/fleet/fleet_exchange.h"

#include <memory>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "server/storage/open_database.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

v1::Job ExchangedJob(const std::string& id) {
  v1::Job job;
  job.set_job_id(id);
  job.set_node("node");
  return job;
}

v1::StepTelemetry StepOfJob(int64_t index) {
  v1::StepTelemetry step;
  step.set_job_id("j");
  step.set_index(index);
  return step;
}

// A service's part of the fleet.
struct Replica {
  explicit Replica(const std::shared_ptr<SqlDatabase>& database)
      : store(database) {
    EXPECT_TRUE(exchange.Load().ok());
  }

  FleetStore store;
  NodeRegistry nodes{absl::Hours(1)};
  JobRegistry jobs{&nodes};
  FleetExchange exchange{&store,
                         &nodes,
                         &jobs,
                         {.shared = true, .period = absl::Milliseconds(10)}};
};

class FleetExchangeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(first_->nodes.Register("node", TwoTiers(), absl::Now()).ok());
    ASSERT_TRUE(first_->jobs.Start(ExchangedJob("j"), absl::Now()).ok());
  }

  // Blocks until the replica knows something of the job.
  template <typename Predicate>
  static void AwaitJob(Replica& replica, Predicate predicate) {
    for (;;) {
      const auto job = replica.jobs.Get("j", absl::Now());
      if (job.ok() && predicate(*job)) return;
      std::this_thread::yield();
    }
  }

  const std::shared_ptr<SqlDatabase> database_ = *OpenDatabase(":memory:");
  std::unique_ptr<Replica> first_ = std::make_unique<Replica>(database_);
  std::unique_ptr<Replica> second_ = std::make_unique<Replica>(database_);
};

TEST_F(FleetExchangeTest, ReplicasLearnOfNodesJobsAndSteps) {
  AwaitJob(*second_, [](const v1::Job&) { return true; });
  // The job may be read before its node.
  while (!second_->nodes.IsAlive("node", absl::Now())) {
    std::this_thread::yield();
  }
  first_->jobs.RecordStep("node", StepOfJob(0), absl::Now());
  AwaitJob(*second_, [](const v1::Job& job) { return job.steps() == 1; });
  ASSERT_TRUE(first_->jobs.Finish("j", absl::Now()).ok());
  AwaitJob(*second_, [](const v1::Job& job) {
    return job.state() == v1::JOB_STATE_FINISHED;
  });
}

TEST_F(FleetExchangeTest, AJobIsResizedThroughAnyReplica) {
  ASSERT_TRUE(first_->exchange.StoreJob("j").ok());
  ASSERT_TRUE(second_->exchange.Refresh());
  v1::ResizeJobRequest request;
  request.set_job_id("j");
  request.set_fast_limit_bytes(77);
  ASSERT_TRUE(second_->jobs.Resize(request, absl::Now()).ok());
  ASSERT_TRUE(second_->exchange.StoreJob("j").ok());
  ASSERT_TRUE(first_->exchange.Refresh());
  const auto orders = first_->jobs.PendingOrders("node");
  ASSERT_EQ(orders.size(), 1);
  v1::ResizeOutcome outcome;
  outcome.set_job_id("j");
  outcome.set_number(orders[0].number());
  outcome.set_state(v1::RESIZE_STATE_OBEYED);
  first_->jobs.TakeOutcome("node", outcome);
  AwaitJob(*second_,
           [](const v1::Job& job) { return job.fast_limit_bytes() == 77; });
  EXPECT_TRUE(second_->jobs.PendingOrders("node").empty());
}

TEST_F(FleetExchangeTest, AServiceKnowsItsJobsWhenItHasRestarted) {
  first_->jobs.RecordStep("node", StepOfJob(4), absl::Now());
  first_.reset();  // stores the rest
  Replica again(database_);
  const auto job = again.jobs.Get("j", absl::Now());
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->steps(), 1);
  EXPECT_EQ(again.jobs.RecordStep("node", StepOfJob(4), absl::Now()),
            StepOutcome::kRepeated);
}

TEST_F(FleetExchangeTest, WhatTheDatabaseRefusesIsStoredLater) {
  ASSERT_TRUE(database_->Run("ALTER TABLE jobs RENAME TO away").ok());
  ASSERT_TRUE(first_->jobs.Start(ExchangedJob("k"), absl::Now()).ok());
  EXPECT_FALSE(first_->exchange.StoreJob("k").ok());
  ASSERT_TRUE(database_->Run("ALTER TABLE away RENAME TO jobs").ok());
  while (!second_->jobs.Get("k", absl::Now()).ok()) std::this_thread::yield();
}

TEST_F(FleetExchangeTest, NewerJobsHaveLargerNumbersOnAllReplicas) {
  AwaitJob(*second_, [](const v1::Job&) { return true; });
  ASSERT_TRUE(second_->jobs.Start(ExchangedJob("k"), absl::Now()).ok());
  const auto newest = second_->jobs.List("", std::nullopt, 9, absl::Now());
  ASSERT_EQ(newest.size(), 2);
  EXPECT_EQ(newest[0].job.job_id(), "k");
}

}  // namespace
}  // namespace stowage
