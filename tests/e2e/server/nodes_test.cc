// Sends nodes, jobs and telemetry over the wire.
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"

namespace stowage {
namespace {

v1::RegisterNodeRequest Node(const std::string& name) {
  v1::RegisterNodeRequest request;
  request.set_node(name);
  *request.mutable_system() = TwoTiers();
  return request;
}

v1::Job NewJob(const std::string& id) {
  v1::Job job;
  job.set_job_id(id);
  job.set_node("host-1");
  return job;
}

v1::TelemetryBatch Batch(int64_t sequence, const std::string& job_id) {
  v1::TelemetryBatch batch;
  batch.set_node("host-1");
  batch.set_sequence(sequence);
  v1::StepTelemetry* step = batch.add_steps();
  step->set_job_id(job_id);
  step->set_index(sequence);
  step->set_mode(v1::STEP_MODE_PLAN);
  step->set_duration_ns(1000 * sequence);
  return batch;
}

class StowagedNodesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
    client_ = server_.Connect();
  }

  StowagedProcess server_{{"--heartbeat-interval=250ms"}};
  std::unique_ptr<Client> client_;
};

TEST_F(StowagedNodesTest, ANodeIsToldHowOftenToBeatAndIsListed) {
  const auto registered = client_->RegisterNode(Node("host-1"));
  ASSERT_TRUE(registered.ok()) << registered.status();
  EXPECT_EQ(registered->heartbeat_interval_ms(), 250);
  v1::HeartbeatRequest beat;
  beat.set_node("host-1");
  beat.set_active_jobs(2);
  ASSERT_TRUE(client_->Heartbeat(beat).ok());
  const v1::NodeSummary node = client_->ListNodes()->front();
  EXPECT_EQ(node.node(), "host-1");
  EXPECT_TRUE(node.alive());
  EXPECT_EQ(node.active_jobs(), 2);
  EXPECT_EQ(node.system().SerializeAsString(), TwoTiers().SerializeAsString());
}

TEST_F(StowagedNodesTest, RefusesMalformedNodes) {
  EXPECT_TRUE(
      absl::IsInvalidArgument(client_->RegisterNode(Node("")).status()));
  v1::RegisterNodeRequest no_system;
  no_system.set_node("host-1");
  EXPECT_TRUE(
      absl::IsInvalidArgument(client_->RegisterNode(no_system).status()));
  EXPECT_TRUE(client_->ListNodes()->empty());
}

TEST_F(StowagedNodesTest, AHeartbeatOfAnUnknownNodeIsNotFound) {
  v1::HeartbeatRequest beat;
  beat.set_node("host-1");
  EXPECT_TRUE(absl::IsNotFound(client_->Heartbeat(beat).status()));
}

TEST_F(StowagedNodesTest, TelemetryIsAcknowledgedAndShowsInItsJob) {
  ASSERT_TRUE(client_->RegisterNode(Node("host-1")).ok());
  ASSERT_TRUE(client_->StartJob(NewJob("j")).ok());
  std::unique_ptr<TelemetryStream> stream = client_->StreamTelemetry();
  for (int64_t sequence : {1, 2, 2}) {  // the last one is sent again
    const auto ack = stream->Send(Batch(sequence, "j"));
    ASSERT_TRUE(ack.ok()) << ack.status();
    EXPECT_EQ(ack->sequence(), sequence);
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(client_->GetJob("j")->steps(), 2);
  EXPECT_EQ(client_->GetJob("j")->last_step_duration_ns(), 2000);
}

TEST_F(StowagedNodesTest, ABadBatchEndsTheStreamWithItsError) {
  EXPECT_TRUE(absl::IsNotFound(
      client_->StreamTelemetry()->Send(Batch(1, "j")).status()));
  ASSERT_TRUE(client_->RegisterNode(Node("host-1")).ok());
  v1::TelemetryBatch batch = Batch(1, "j");
  batch.mutable_steps(0)->set_duration_ns(-1);
  std::unique_ptr<TelemetryStream> stream = client_->StreamTelemetry();
  EXPECT_TRUE(absl::IsInvalidArgument(stream->Send(batch).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(stream->Send(Batch(2, "j")).status()));
}

TEST_F(StowagedNodesTest, WhatAnotherStreamHasSentAlreadyCountsOnce) {
  ASSERT_TRUE(client_->RegisterNode(Node("host-1")).ok());
  for (int stream = 0; stream < 2; ++stream) {
    EXPECT_TRUE(client_->StreamTelemetry()->Send(Batch(1, "j")).ok());
  }
  EXPECT_EQ(client_->GetJob("j")->steps(), 1);
}

TEST_F(StowagedNodesTest, RefusesTelemetryThatGoesBackwards) {
  ASSERT_TRUE(client_->RegisterNode(Node("host-1")).ok());
  v1::TelemetryBatch batch = Batch(1, "j");
  *batch.add_steps() = batch.steps(0);
  batch.mutable_steps(1)->set_index(0);
  const absl::Status status = client_->StreamTelemetry()->Send(batch).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("steps[1].index is 0 after 1"));
}

TEST_F(StowagedNodesTest, RefusesJobsOfUnknownNodesAndGraphs) {
  EXPECT_TRUE(absl::IsNotFound(client_->StartJob(NewJob("j"))));
  ASSERT_TRUE(client_->RegisterNode(Node("host-1")).ok());
  v1::Job job = NewJob("j");
  job.set_graph_id(std::string(64, 'a'));
  const absl::Status status = client_->StartJob(job);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_TRUE(absl::IsNotFound(client_->GetJob("j").status()));
  // The job may begin before its graph is known.
  EXPECT_TRUE(client_->StartJob(NewJob("j")).ok());
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = ChainGraph(3);
  job.set_graph_id(client_->RegisterGraph(registration)->graph_id());
  EXPECT_TRUE(client_->StartJob(job).ok());
  EXPECT_EQ(client_->GetJob("j")->graph_id(), job.graph_id());
  job.set_node("host-2");
  ASSERT_TRUE(client_->RegisterNode(Node("host-2")).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(client_->StartJob(job)));
}

TEST_F(StowagedNodesTest, RefusesNegativeCountsInHeartbeats) {
  ASSERT_TRUE(client_->RegisterNode(Node("host-1")).ok());
  v1::HeartbeatRequest beat;
  beat.set_node("host-1");
  beat.set_active_jobs(-1);
  EXPECT_TRUE(absl::IsInvalidArgument(client_->Heartbeat(beat).status()));
}

TEST_F(StowagedNodesTest, JobsAreListedNewestFirstUntilTheyFinishAndAfter) {
  ASSERT_TRUE(client_->RegisterNode(Node("host-1")).ok());
  ASSERT_TRUE(client_->StartJob(NewJob("first")).ok());
  ASSERT_TRUE(client_->StartJob(NewJob("second")).ok());
  ASSERT_TRUE(client_->FinishJob("first").ok());
  ASSERT_TRUE(client_->FinishJob("first").ok());
  const auto jobs = client_->ListJobs("host-1");
  ASSERT_EQ(jobs->size(), 2);
  EXPECT_EQ(jobs->at(0).job_id(), "second");
  EXPECT_EQ(jobs->at(1).state(), v1::JOB_STATE_FINISHED);
  EXPECT_TRUE(client_->ListJobs("host-2")->empty());
}

TEST_F(StowagedNodesTest, RefusesMalformedAndUnknownJobs) {
  EXPECT_TRUE(absl::IsInvalidArgument(client_->StartJob(NewJob(""))));
  EXPECT_TRUE(absl::IsNotFound(client_->FinishJob("none")));
  EXPECT_TRUE(absl::IsNotFound(client_->GetJob("none").status()));
}

}  // namespace
}  // namespace stowage
