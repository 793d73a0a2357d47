#include "server/fleet/fleet_merge.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stowage {
namespace {

v1::StoredJob Job(int64_t last_heard_ns) {
  v1::StoredJob job;
  job.mutable_job()->set_job_id("j");
  job.mutable_job()->set_node("n");
  job.mutable_job()->set_state(v1::JOB_STATE_RUNNING);
  job.set_number(1);
  job.set_last_heard_ns(last_heard_ns);
  job.set_last_step(-1);
  return job;
}

v1::StoredJob Resized(int64_t number, v1::ResizeState state,
                      int64_t limit_bytes) {
  v1::StoredJob job = Job(0);
  job.mutable_job()->mutable_resize()->set_number(number);
  job.mutable_job()->mutable_resize()->set_state(state);
  job.mutable_job()->mutable_resize()->set_fast_limit_bytes(limit_bytes);
  return job;
}

TEST(FleetMergeTest, TheLastHeartbeatOfANodeCounts) {
  v1::StoredNode early;
  early.set_last_heartbeat_ns(1);
  v1::StoredNode late;
  late.set_last_heartbeat_ns(2);
  late.set_active_jobs(3);
  v1::StoredNode ours = early;
  MergeNode(late, &ours);
  EXPECT_EQ(ours.active_jobs(), 3);
  MergeNode(early, &ours);
  EXPECT_EQ(ours.active_jobs(), 3);
}

TEST(FleetMergeTest, WhoeverHasTheLaterStepKnowsTheTelemetry) {
  v1::StoredJob theirs = Job(5);
  theirs.set_last_step(7);
  theirs.mutable_job()->set_steps(8);
  theirs.mutable_job()->set_fast_peak_bytes(10);
  v1::StoredJob ours = Job(9);
  ours.set_last_step(3);
  ours.mutable_job()->set_steps(4);
  ours.mutable_job()->set_fast_peak_bytes(20);
  MergeJob(theirs, &ours);
  EXPECT_EQ(ours.last_step(), 7);
  EXPECT_EQ(ours.job().steps(), 8);
  EXPECT_EQ(ours.job().fast_peak_bytes(), 20);
  EXPECT_EQ(ours.last_heard_ns(), 9);
}

TEST(FleetMergeTest, AFinishedJobStaysFinished) {
  v1::StoredJob finished = Job(1);
  finished.mutable_job()->set_state(v1::JOB_STATE_FINISHED);
  v1::StoredJob ours = Job(2);
  MergeJob(finished, &ours);
  EXPECT_EQ(ours.job().state(), v1::JOB_STATE_FINISHED);
  MergeJob(Job(3), &ours);
  EXPECT_EQ(ours.job().state(), v1::JOB_STATE_FINISHED);
}

TEST(FleetMergeTest, WhateverTheOrderTheLastResizeAndItsOutcomeStay) {
  std::vector<v1::StoredJob> states = {Resized(1, v1::RESIZE_STATE_PENDING, 10),
                                       Resized(1, v1::RESIZE_STATE_OBEYED, 10),
                                       Resized(2, v1::RESIZE_STATE_PENDING, 20),
                                       Resized(2, v1::RESIZE_STATE_OBEYED, 20)};
  std::vector<int> order = {0, 1, 2, 3};
  do {
    v1::StoredJob joined = Job(0);
    for (const int i : order) MergeJob(states[i], &joined);
    EXPECT_EQ(joined.job().resize().number(), 2);
    EXPECT_EQ(joined.job().resize().state(), v1::RESIZE_STATE_OBEYED);
    EXPECT_EQ(joined.job().fast_limit_bytes(), 20);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace stowage
