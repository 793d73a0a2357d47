// Scrapes the metrics as Prometheus would.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/network/metric_tables.h"

namespace stowage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class StowagedMetricsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
    client_ = server_.Connect();
  }

  // Returns the metrics, and leaves their text in scrape_path_ as well.
  std::string Scrape() {
    const std::string command =
        "python3 -c 'import sys, urllib.request; sys.stdout.buffer.write("
        "urllib.request.urlopen(sys.argv[1]).read())' http://" +
        server_.metrics_address() + "/metrics > " + scrape_path_;
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(scrape_path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string RegisterGraph(const v1::Graph& graph) {
    v1::RegisterGraphRequest registration;
    *registration.mutable_graph() = graph;
    return client_->RegisterGraph(registration)->graph_id();
  }

  // Returns the plan's id.
  std::string RegisterGraphAndPlanTwice() {
    v1::MakePlanRequest request;
    request.set_graph_id(RegisterGraph(ChainGraph(3)));
    request.set_system_name("optane");
    request.set_fast_limit_bytes(int64_t{1} << 30);
    EXPECT_TRUE(client_->MakePlan(request).ok());
    return client_->MakePlan(request)->plan_id();
  }

  // Trains, and returns the training when it has ended.
  v1::Training Train(const std::string& request_id,
                     const std::string& graph_id) {
    v1::StartTrainingRequest request;
    request.set_request_id(request_id);
    request.set_graph_id(graph_id);
    *request.mutable_system() = TwoTiers();
    request.set_fast_limit_bytes(2 * kChainTensorBytes);
    request.mutable_options()->set_episodes(3);
    const auto started = client_->StartTraining(request);
    EXPECT_TRUE(started.ok()) << started.status();
    EXPECT_TRUE(client_
                    ->WatchTraining(started->training_id(),
                                    [](const auto&) { return true; })
                    .ok());
    return *client_->GetTraining(started->training_id());
  }

  void RegisterNode() {
    v1::RegisterNodeRequest node;
    node.set_node("host-1");
    *node.mutable_system() = TwoTiers();
    ASSERT_TRUE(client_->RegisterNode(node).ok());
  }

  void ReportAStep() {
    RegisterNode();
    v1::TelemetryBatch batch;
    batch.set_node("host-1");
    batch.set_sequence(1);
    batch.set_dropped_steps(3);
    v1::StepTelemetry* step = batch.add_steps();
    step->set_job_id("j");
    step->set_mode(v1::STEP_MODE_DEMAND);
    step->set_duration_ns(2'000'000'000);
    step->set_stall_ns(250'000'000);
    step->set_moved_in_bytes(11);
    step->set_moved_out_bytes(22);
    step->set_fallbacks(1);
    step->set_hints_taken(4);
    step->set_hints_ignored(5);
    step->set_plan_skip(v1::PLAN_SKIP_DEMAND_FASTER);
    ASSERT_TRUE(client_->StreamTelemetry()->Send(batch).ok());
  }

  TemporaryDirectory directory_;
  const std::string scrape_path_ = directory_.path() + "/scrape";
  StowagedProcess server_{{"--training-nice=0"}};
  std::unique_ptr<Client> client_;
};

TEST_F(StowagedMetricsTest, CountWhatTheServiceDid) {
  RegisterGraphAndPlanTwice();
  ReportAStep();
  EXPECT_TRUE(
      absl::IsNotFound(client_->GetPlan(std::string(64, 'a')).status()));
  EXPECT_THAT(
      Scrape(),
      AllOf(
          HasSubstr("stowaged_build_info{version=\""),
          HasSubstr("stowaged_graphs 1"), HasSubstr("stowaged_nodes_alive 1"),
          HasSubstr("stowaged_jobs_running 1"),
          // The second time the plan was found, not made.
          HasSubstr("stowaged_plans_made_total{policy=\"annealed-search\"} 1"),
          HasSubstr("stowaged_planning_duration_seconds_count{policy="
                    "\"annealed-search\"} 1"),
          HasSubstr("stowaged_steps_total{mode=\"demand\"} 1"),
          HasSubstr("stowaged_plan_bound_ratio_bucket{policy=\"annealed-search"
                    "\",le=\"1.001\"} 1"),
          HasSubstr("stowaged_steps_total{mode=\"plan\"} 0"),
          HasSubstr("stowaged_step_seconds_total{mode=\"demand\"} 2"),
          HasSubstr("stowaged_stall_seconds_total 0.25"),
          HasSubstr("stowaged_step_prediction_ratio_count 0"),
          HasSubstr("stowaged_fallbacks_total 1"),
          HasSubstr("stowaged_skipped_plans_total{reason=\"demand-faster\"} 1"),
          HasSubstr("stowaged_skipped_plans_total{reason=\"demand-trial\"} 0"),
          HasSubstr("stowaged_telemetry_dropped_steps_total 3"),
          HasSubstr("stowaged_telemetry_repeated_steps_total 0")));
  EXPECT_THAT(
      Scrape(),
      AllOf(HasSubstr("stowaged_moved_bytes_total{direction=\"in\"} 11"),
            HasSubstr("stowaged_moved_bytes_total{direction=\"out\"} 22"),
            HasSubstr("stowaged_hints_total{outcome=\"taken\"} 4"),
            HasSubstr("stowaged_hints_total{outcome=\"ignored\"} 5"),
            HasSubstr("stowaged_adaptive_placements_total{source=\"plan\"} 0"),
            HasSubstr("stowaged_rpcs_total{code=\"NOT_FOUND\",method=\""
                      "stowage.v1.PlacementService/GetPlan\"} 1"),
            HasSubstr("stowaged_rpcs_total{code=\"OK\",method=\""
                      "stowage.v1.PlacementService/MakePlan\"} 2"),
            HasSubstr("stowaged_rpc_duration_seconds_count{method=\""
                      "stowage.v1.GraphService/RegisterGraph\"} 1")));
}

TEST_F(StowagedMetricsTest, CountDecisionsAndOpenStreams) {
  constexpr char kOpen[] =
      "stowaged_streams_open{method=\"stowage.v1.PlacementService/Place\"} ";
  v1::PlaceRequest request;
  request.set_plan_id(RegisterGraphAndPlanTwice());
  std::unique_ptr<PlaceStream> stream = client_->Place();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(stream->Send(request).ok());
  EXPECT_TRUE(client_->PlaceOnce(request).ok());
  EXPECT_THAT(
      Scrape(),
      AllOf(
          HasSubstr(kOpen + std::string("1")),
          HasSubstr("stowaged_decision_duration_seconds_count{method=\""
                    "stowage.v1.PlacementService/Place\",source=\"plan\"} 3"),
          HasSubstr("stowaged_decision_duration_seconds_count{method=\"stowage"
                    ".v1.PlacementService/PlaceOnce\",source=\"plan\"} 1"),
          HasSubstr("stowaged_decision_duration_seconds_count{method=\""
                    "stowage.v1.PlacementService/Place\",source=\"policy\"} "
                    "0")));
  request.set_kernel(99);
  EXPECT_FALSE(stream->Send(request).ok());
  EXPECT_THAT(Scrape(), HasSubstr(kOpen + std::string("0")));
}

TEST_F(StowagedMetricsTest, CountTrainingsAndVersions) {
  const std::string graph_id = RegisterGraph(ChainGraph(8));
  const std::string policy_id = Train("a", graph_id).policy_id();
  Train("b", graph_id);  // no better
  ASSERT_TRUE(client_->PromoteVersion(policy_id, 2).ok());
  ASSERT_TRUE(client_->RollBackVersion(policy_id, 2).ok());
  EXPECT_THAT(
      Scrape(),
      AllOf(
          HasSubstr("stowaged_training_episodes_total 6"),
          HasSubstr("stowaged_training_last_reward "),
          HasSubstr("stowaged_training_last_loss "),
          HasSubstr("stowaged_trainings_queued 0"),
          HasSubstr("stowaged_trainings_total{state=\"succeeded\"} 2"),
          HasSubstr("stowaged_trainings_total{state=\"failed\"} 0"),
          HasSubstr("stowaged_policy_versions 2"),
          HasSubstr("stowaged_policy_versions_made_total{verdict=\"kept\"} 1"),
          HasSubstr(
              "stowaged_policy_versions_made_total{verdict=\"promoted\"} 1"),
          HasSubstr("stowaged_policy_promotions_total 2"),
          HasSubstr("stowaged_policy_roll_backs_total 1")));
}

TEST_F(StowagedMetricsTest, SayHowWellPlansPredictAndWhenThatDrifts) {
  RegisterNode();
  v1::TelemetryBatch batch;
  batch.set_node("host-1");
  batch.set_sequence(1);
  for (int i = 0; i < 16; ++i) {
    v1::StepTelemetry* step = batch.add_steps();
    step->set_job_id("j");
    step->set_index(i);
    step->set_mode(v1::STEP_MODE_PLAN);
    step->set_predicted_duration_ns(2'000'000);
    step->set_duration_ns(3'000'000);
  }
  ASSERT_TRUE(client_->StreamTelemetry()->Send(batch).ok());
  v1::Graph graph = ChainGraph(3);
  RegisterGraph(graph);
  for (v1::Kernel& kernel : *graph.mutable_kernels()) {
    v1::ProfiledDuration* fast =
        kernel.mutable_profile()->mutable_fast_inputs_fast_outputs();
    fast->set_duration_ns(fast->duration_ns() / 2);
  }
  RegisterGraph(graph);
  EXPECT_THAT(
      Scrape(),
      AllOf(HasSubstr("stowaged_step_prediction_ratio_sum 24"),
            HasSubstr("stowaged_step_prediction_ratio_bucket{le=\"1.5\"} 16"),
            HasSubstr("stowaged_step_prediction_ratio_bucket{le=\"1.2\"} 0"),
            HasSubstr("stowaged_drifts_total{kind=\"steps\"} 1"),
            HasSubstr("stowaged_drift_last_ratio{kind=\"steps\"} 1.5"),
            HasSubstr("stowaged_drifts_total{kind=\"profile\"} 1"),
            HasSubstr("stowaged_drift_last_ratio{kind=\"profile\"} 0.5")));
}

TEST_F(StowagedMetricsTest, AreThoseOfTheReferencePage) {
  RegisterGraphAndPlanTwice();
  EXPECT_EQ(ServedMetrics(Scrape()),
            DocumentedMetrics("docs/reference-stowaged.md"));
}

TEST_F(StowagedMetricsTest, HaveNoLabelsThatStrangersChoose) {
  v1::MakePlanRequest request;
  request.set_graph_id("chosen-by-a-stranger");
  request.set_policy("chosen-by-a-stranger");
  request.set_system_name("chosen-by-a-stranger");
  EXPECT_FALSE(client_->MakePlan(request).ok());
  EXPECT_THAT(Scrape(), Not(HasSubstr("stranger")));
}

TEST_F(StowagedMetricsTest, PassPromtool) {
  if (std::system("command -v promtool > /dev/null") != 0) {
    GTEST_SKIP() << "promtool is not installed";
  }
  RegisterGraphAndPlanTwice();
  ReportAStep();
  Scrape();
  EXPECT_EQ(std::system(("promtool check metrics < " + scrape_path_).c_str()),
            0);
}

}  // namespace
}  // namespace stowage
