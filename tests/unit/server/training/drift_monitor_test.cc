#include "server/training/drift_monitor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "policies/model/memory_system_proto.h"
#include "server/graphs/graph_store.h"
#include "server/graphs/graph_summary.h"
#include "server/storage/open_database.h"
#include "server/training/training_store.h"
#include "tests/unit/server/testing.h"
#include "tests/unit/server/training/claims.h"
#include "tests/unit/server/training/fake_trainer.h"

namespace stowage {
namespace {

class DriftMonitorTest : public ::testing::Test {
 protected:
  // Sets up a job that runs under "deeptm", whose version 1 serves.
  void SetUp() override {
    const v1::Graph proto = ChainGraph(8);
    const policies::Graph graph = *policies::GraphFromProto(proto);
    graph_id_ = policies::GraphId(graph);
    ASSERT_TRUE(graphs_.PutGraph(Summarize(graph), proto, "").ok());
    const policies::MemorySystem system =
        *policies::MemorySystemFromProto(TwoTiers());
    policies::DqnSettings settings;
    settings.episodes = 2;
    const policies::DqnPolicy policy =
        RandomPolicy(graph, system, kLimitBytes, settings, /*seed=*/0);
    predicted_ns_ = PublishAsFirst(policy, system);
    StartJob("deeptm");
    trainer_.HoldAt(1);
    manager_.emplace(&graphs_, &trainings_, &versions_, trainer_.function(),
                     TrainingManagerOptions());
    monitor_.emplace(&graphs_, &trainings_, &*manager_, &jobs_, 0.2,
                     [this](DriftKind kind, double ratio, bool is_drift) {
                       compared_.push_back({kind, ratio, is_drift});
                     });
  }
  void TearDown() override {
    manager_->BeginDrain();
    trainer_.Release();
  }

  // Returns the step time that is predicted of the version.
  int64_t PublishAsFirst(const policies::DqnPolicy& policy,
                         const policies::MemorySystem& system) {
    const TrainingClaim claim = ClaimNew(trainings_, graph_id_, "first");
    v1::Training done = *trainings_.GetTraining(claim.training_id);
    done.set_state(v1::TRAINING_STATE_SUCCEEDED);
    EXPECT_TRUE(trainings_.UpdateTraining(claim, done).ok());
    return versions_.Publish(policy, system, claim)->predicted_step_time_ns();
  }

  void StartJob(const std::string& policy) {
    v1::Job job;
    job.set_job_id("job");
    job.set_node("node");
    job.set_policy(policy);
    job.set_graph_id(graph_id_);
    job.set_fast_limit_bytes(kLimitBytes);
    ASSERT_TRUE(nodes_.Register("node", TwoTiers(), absl::Now()).ok());
    ASSERT_TRUE(jobs_.Start(job, absl::Now()).ok());
  }

  void NoteWindow(double ratio, v1::StepMode mode = v1::STEP_MODE_PLAN) {
    v1::StepTelemetry step;
    step.set_job_id("job");
    step.set_mode(mode);
    step.set_predicted_duration_ns(predicted_ns_);
    step.set_duration_ns(
        static_cast<int64_t>(ratio * static_cast<double>(predicted_ns_)));
    for (int i = 0; i < DriftMonitor::kWindowSteps; ++i) {
      monitor_->NoteStep(step);
    }
  }

  int64_t FirstDurationNs() {
    return graphs_.GetGraph(graph_id_)
        ->kernels(0)
        .profile()
        .fast_inputs_fast_outputs()
        .duration_ns();
  }

  // Returns how many trainings there are beside the first.
  size_t Trainings() {
    return trainings_.ListTrainings("", std::nullopt, 10)->size() - 1;
  }

  std::shared_ptr<SqlDatabase> database_ = *OpenDatabase(":memory:");
  GraphStore graphs_{database_};
  TrainingStore trainings_{database_};
  PolicyVersions versions_{&graphs_, &trainings_};
  FakeTrainer trainer_;
  NodeRegistry nodes_{absl::Seconds(60)};
  JobRegistry jobs_{&nodes_};
  // Made when the first training is over, which it would claim.
  std::optional<TrainingManager> manager_;
  std::optional<DriftMonitor> monitor_;
  struct Compared {
    DriftKind kind;
    double ratio;
    bool is_drift;
  };
  std::vector<Compared> compared_;
  std::string graph_id_;
  int64_t predicted_ns_ = 0;
};

TEST_F(DriftMonitorTest, DriftUpdatesTheProfileAndRetrainsFromTheLastWeights) {
  NoteWindow(1.5);
  EXPECT_NEAR(FirstDurationNs(), 1'500'000, 1000);
  ASSERT_EQ(Trainings(), 1);
  trainer_.AwaitEpisode(1);
  const TrainingJob job = trainer_.jobs().at(0);
  EXPECT_EQ(policies::EncodeDqnPolicy(*job.start),
            trainings_.ListServing(graph_id_)->at(0).policy);
  EXPECT_EQ(job.fast_limit_bytes, kLimitBytes);
}

TEST_F(DriftMonitorTest, StepsNearTheirPredictionChangeNothing) {
  NoteWindow(1.15);
  NoteWindow(0.85);
  EXPECT_EQ(Trainings(), 0);
  EXPECT_EQ(FirstDurationNs(), 1'000'000);
}

TEST_F(DriftMonitorTest, DriftThatWasSeenIsNotSeenAgain) {
  NoteWindow(1.5);
  NoteWindow(1.5);
  EXPECT_EQ(Trainings(), 1);
  NoteWindow(3);
  EXPECT_EQ(Trainings(), 2);
  EXPECT_GT(FirstDurationNs(), 2'500'000);
}

TEST_F(DriftMonitorTest, TellsEachRatioThatItCompares) {
  NoteWindow(1.1);
  NoteWindow(1.5);
  NoteWindow(1.5);
  const v1::Graph before = *graphs_.GetGraph(graph_id_);
  monitor_->NoteProfile(graph_id_, before, ScaleDurations(before, 0.5));
  ASSERT_EQ(compared_.size(), 4);
  EXPECT_NEAR(compared_[0].ratio, 1.1, 1e-3);
  EXPECT_FALSE(compared_[0].is_drift);
  EXPECT_NEAR(compared_[1].ratio, 1.5, 1e-3);
  EXPECT_TRUE(compared_[1].is_drift);
  EXPECT_FALSE(compared_[2].is_drift);
  EXPECT_EQ(compared_[2].kind, DriftKind::kSteps);
  EXPECT_EQ(compared_[3].kind, DriftKind::kProfile);
  EXPECT_NEAR(compared_[3].ratio, 0.5, 1e-3);
  EXPECT_TRUE(compared_[3].is_drift);
}

TEST_F(DriftMonitorTest, WhatAJobHasMeasuredAnewIsNotScaled) {
  const v1::Graph before = *graphs_.GetGraph(graph_id_);
  const v1::Graph after = ScaleDurations(before, 1.5);
  ASSERT_TRUE(
      graphs_.PutGraph(Summarize(*policies::GraphFromProto(after)), after, "")
          .ok());
  monitor_->NoteProfile(graph_id_, before, after);
  EXPECT_EQ(Trainings(), 1);
  NoteWindow(1.3);  // what the new profile predicts, more or less
  EXPECT_EQ(Trainings(), 1);
  EXPECT_EQ(FirstDurationNs(), 1'500'000);
}

TEST_F(DriftMonitorTest, AProfileThatIsNearlyTheSameChangesNothing) {
  const v1::Graph before = *graphs_.GetGraph(graph_id_);
  monitor_->NoteProfile(graph_id_, before, ScaleDurations(before, 1.1));
  EXPECT_EQ(Trainings(), 0);
}

TEST_F(DriftMonitorTest, OnlyStepsThatAPlanDroveCount) {
  NoteWindow(5, v1::STEP_MODE_DEMAND);
  NoteWindow(5, v1::STEP_MODE_PROFILE);
  EXPECT_EQ(Trainings(), 0);
}

TEST_F(DriftMonitorTest, JobsOfOtherPoliciesAreLeftAlone) {
  StartJob("belady");
  NoteWindow(5);
  EXPECT_EQ(Trainings(), 0);
  EXPECT_EQ(FirstDurationNs(), 1'000'000);
}

TEST_F(DriftMonitorTest, WithoutAThresholdItNeverRetrains) {
  DriftMonitor monitor(&graphs_, &trainings_, &*manager_, &jobs_, 0);
  v1::StepTelemetry step;
  step.set_job_id("job");
  step.set_mode(v1::STEP_MODE_PLAN);
  step.set_predicted_duration_ns(1);
  step.set_duration_ns(1000);
  for (int i = 0; i < DriftMonitor::kWindowSteps; ++i) monitor.NoteStep(step);
  EXPECT_EQ(Trainings(), 0);
}

TEST(ScaleDurationsTest, ScalesWhatIsKnownAndSaysThatItIsDerived) {
  v1::Graph graph = ChainGraph(1);
  graph.mutable_kernels(0)->set_gap_ns(10);
  const v1::Graph scaled = ScaleDurations(graph, 0.5);
  const v1::KernelProfile& profile = scaled.kernels(0).profile();
  EXPECT_EQ(scaled.kernels(0).gap_ns(), 5);
  EXPECT_EQ(profile.fast_inputs_fast_outputs().duration_ns(), 500'000);
  EXPECT_EQ(profile.fast_inputs_fast_outputs().source(),
            v1::DURATION_SOURCE_DERIVED);
  EXPECT_EQ(profile.slow_inputs_slow_outputs().source(),
            v1::DURATION_SOURCE_UNSPECIFIED);
}

}  // namespace
}  // namespace stowage
