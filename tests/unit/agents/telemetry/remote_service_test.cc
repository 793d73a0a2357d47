#include "agents/telemetry/remote_service.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/telemetry/recording_service.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> LinesWith(absl::string_view words,
                                   absl::string_view text) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StrContains(line, words)) lines.emplace_back(line);
  }
  return lines;
}

// A service that can die and come back at the same address.
class RemoteServiceTest : public testing::Test {
 protected:
  void StartServer() {
    server_ = recording_.Listen(address_);
    ASSERT_NE(server_, nullptr);
  }

  void StopServer() {
    server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
  }

  void Connect() {
    service_ = std::make_unique<RemoteService>(
        RemoteServiceOptions{.address = address_,
                             .node = "node",
                             .retry_interval = absl::Milliseconds(10),
                             .poll_interval = absl::Milliseconds(5)});
  }

  // Makes the service order a limit of job "a", once it has a heartbeat.
  void Order(int64_t number) {
    absl::MutexLock lock(&told_.mutex);
    v1::ResizeOrder& order = told_.orders.emplace_back();
    order.set_job_id("a");
    order.set_number(number);
    order.set_fast_limit_bytes(1 << 20);
  }

  // Makes the service refuse the node from now on, and blocks until it has done
  // so several times; OK: until it has registered the node.
  void Refuse(const grpc::Status& refusal) {
    int before = 0;
    {
      absl::MutexLock lock(&told_.mutex);
      told_.refusal = refusal;
      told_.forgot_the_node = true;
      before = told_.registrations;
    }
    const int times = refusal.ok() ? 1 : 4;
    EXPECT_TRUE(told_.Await([&] {
      told_.mutex.AssertReaderHeld();
      return told_.registrations >= before + times;
    }));
  }

  static v1::ResizeOutcome Obeyed(int64_t number) {
    v1::ResizeOutcome outcome;
    outcome.set_job_id("a");
    outcome.set_number(number);
    outcome.set_state(v1::RESIZE_STATE_OBEYED);
    return outcome;
  }

  static v1::Job JobNamed(const std::string& job_id) {
    v1::Job job;
    job.set_job_id(job_id);
    return job;
  }

  TempDirectory directory_;
  const std::string address_ = "unix:" + directory_.path() + "/service.sock";
  RecordingService recording_;
  Told& told_ = recording_.told;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<RemoteService> service_;
};

TEST_F(RemoteServiceTest, RegistersTheNodeAndSendsHeartbeats) {
  StartServer();
  Connect();
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.registrations == 1 && told_.heartbeats >= 2;
  }));
  EXPECT_TRUE(service_->connected());
}

TEST_F(RemoteServiceTest, BringsOrdersOfTheServiceAndTellsWhatCameOfThem) {
  StartServer();
  Connect();
  EXPECT_FALSE(service_->OrderOf("a"));
  Order(7);
  while (!service_->OrderOf("a")) std::this_thread::yield();
  EXPECT_EQ(service_->OrderOf("a")->number(), 7);
  service_->ReportOutcome(Obeyed(7));
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return !told_.outcomes.empty();
  }));
  absl::MutexLock lock(&told_.mutex);
  EXPECT_EQ(told_.outcomes[0].number(), 7);
  EXPECT_EQ(told_.outcomes[0].state(), v1::RESIZE_STATE_OBEYED);
}

TEST_F(RemoteServiceTest, TellsAnOutcomeLongBeforeTheNextHeartbeatIsDue) {
  {
    absl::MutexLock lock(&told_.mutex);
    told_.heartbeat_interval_ms = 3'600'000;
  }
  StartServer();
  Connect();
  service_->ReportOutcome(Obeyed(7));
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return !told_.outcomes.empty();
  }));
}

TEST_F(RemoteServiceTest, DoesNotHurryWhereTheIntervalOfHeartbeatsIsForEver) {
  {
    absl::MutexLock lock(&told_.mutex);
    told_.heartbeat_interval_ms = std::numeric_limits<int64_t>::max();
  }
  StartServer();
  Connect();
  v1::StepTelemetry step;
  step.set_job_id("a");
  // Each batch goes with a look at whether a heartbeat is due.
  for (size_t batches = 1; batches <= 3; ++batches) {
    service_->ReportSteps({step});
    EXPECT_TRUE(told_.Await([this, batches] {
      told_.mutex.AssertReaderHeld();
      return told_.batches.size() >= batches;
    }));
  }
  absl::MutexLock lock(&told_.mutex);
  EXPECT_EQ(told_.heartbeats, 0);
}

TEST_F(RemoteServiceTest, AsksSoonWhetherOrdersStillStand) {
  {
    absl::MutexLock lock(&told_.mutex);
    told_.heartbeat_interval_ms = 3'600'000;
  }
  Order(7);
  StartServer();
  Connect();
  // An outcome makes the first heartbeat due. It brings the order, and others
  // follow.
  service_->ReportOutcome(Obeyed(1));
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.heartbeats >= 3;
  }));
}

TEST_F(RemoteServiceTest, AnnouncesAJobAgainWithTheLimitThatItObeys) {
  StartServer();
  Connect();
  v1::Job job = JobNamed("a");
  job.set_fast_limit_bytes(2 << 20);
  service_->StartJob(job);
  Order(7);
  while (!service_->OrderOf("a")) std::this_thread::yield();
  service_->ReportOutcome(Obeyed(7));
  {
    absl::MutexLock lock(&told_.mutex);
    told_.started.clear();
    told_.forgot_the_node = true;
  }
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return !told_.started.empty() && told_.registrations >= 2;
  }));
  absl::MutexLock lock(&told_.mutex);
  EXPECT_EQ(told_.announced_limit_bytes, 1 << 20);
}

TEST_F(RemoteServiceTest, SendsStepsInNumberedBatches) {
  StartServer();
  Connect();
  service_->ReportSteps(std::vector<v1::StepTelemetry>(3));
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.batches.size() == 1;
  }));
  service_->ReportSteps(std::vector<v1::StepTelemetry>(1));
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.batches.size() == 2;
  }));
  absl::MutexLock lock(&told_.mutex);
  EXPECT_EQ(told_.batches[0].node(), "node");
  EXPECT_EQ(told_.batches[0].sequence(), 1);
  EXPECT_EQ(told_.batches[0].steps_size(), 3);
  EXPECT_EQ(told_.batches[1].sequence(), 2);
}

TEST_F(RemoteServiceTest, TellsOfJobsAndTheirEndsBeforeItCloses) {
  StartServer();
  Connect();
  service_->StartJob(JobNamed("a"));
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.started.size() == 1;
  }));
  service_->FinishJob("a");
  service_->Close();
  absl::MutexLock lock(&told_.mutex);
  EXPECT_EQ(told_.finished, std::vector<std::string>{"a"});
}

TEST_F(RemoteServiceTest, TellsOnceOfAJobThatStartedBeforeTheNodeRegistered) {
  Connect();
  service_->StartJob(JobNamed("a"));
  StartServer();
  service_->ReportSteps(std::vector<v1::StepTelemetry>(1));
  // Steps are sent after all notices.
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.batches.size() == 1;
  }));
  absl::MutexLock lock(&told_.mutex);
  EXPECT_EQ(told_.started, std::vector<std::string>{"a"});
}

TEST_F(RemoteServiceTest, SaysOnceWhyTheServiceRefusesTheNode) {
  StartServer();
  testing::internal::CaptureStderr();
  Connect();
  Refuse({grpc::StatusCode::PERMISSION_DENIED, "speaks for node 'n' alone"});
  Refuse({grpc::StatusCode::PERMISSION_DENIED, "may not call"});
  Refuse({grpc::StatusCode::FAILED_PRECONDITION, "upgrade the agent"});
  Refuse(grpc::Status::OK);
  Refuse({grpc::StatusCode::FAILED_PRECONDITION, "upgrade the agent"});
  service_.reset();
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(LinesWith("refuses this agent", log),
              ElementsAre(HasSubstr("speaks for node 'n' alone"),
                          HasSubstr("may not call"),
                          HasSubstr("code=FAILED_PRECONDITION"),
                          HasSubstr("upgrade the agent")));
}

TEST_F(RemoteServiceTest, AServiceThatRefusesTheNodeAnswersAndHasItNot) {
  StartServer();
  Connect();
  while (!service_->registered()) std::this_thread::yield();
  Refuse({grpc::StatusCode::FAILED_PRECONDITION, "upgrade the agent"});
  EXPECT_TRUE(service_->connected());
  EXPECT_FALSE(service_->registered());
  Refuse(grpc::Status::OK);
  while (!service_->registered()) std::this_thread::yield();
}

TEST_F(RemoteServiceTest, RegistersAgainWhenTheServiceHasForgottenTheNode) {
  StartServer();
  Connect();
  service_->StartJob(JobNamed("a"));
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.started.size() == 1;
  }));
  {
    absl::MutexLock lock(&told_.mutex);
    told_.forgot_the_node = true;
  }
  // The node registers again, and so does the job, which the service has
  // forgotten with it.
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.registrations >= 2 && told_.started.size() >= 2;
  }));
}

TEST_F(RemoteServiceTest, ComesBackWithAServiceThatWasAway) {
  StartServer();
  Connect();
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.registrations == 1;
  }));
  // The node hears of it later than the service says so.
  while (!service_->connected()) std::this_thread::yield();
  StopServer();
  while (service_->connected()) std::this_thread::yield();
  service_->ReportSteps(std::vector<v1::StepTelemetry>(2));
  StartServer();
  EXPECT_TRUE(told_.Await([this] {
    told_.mutex.AssertReaderHeld();
    return told_.registrations == 2 && told_.batches.size() == 1;
  }));
  while (!service_->connected()) std::this_thread::yield();
}

TEST_F(RemoteServiceTest, AsksForAPlanOfTheRegisteredGraph) {
  StartServer();
  Connect();
  PlanQuery query{.fast_limit_bytes = 1000,
                  .policy = "belady",
                  .background = true,
                  .brief = true};
  query.graph.set_name("g");
  query.system.set_name("s");
  const auto plan = service_->MakePlan(query);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->plan().graph_id(), "id-of-g");
  EXPECT_EQ(plan->plan_id(), "plan-of-id-of-g");
  absl::MutexLock lock(&told_.mutex);
  EXPECT_EQ(told_.plan_request.system().name(), "s");
  EXPECT_EQ(told_.plan_request.policy(), "belady");
  EXPECT_EQ(told_.plan_request.fast_limit_bytes(), 1000);
  EXPECT_TRUE(told_.plan_request.background());
  EXPECT_TRUE(told_.plan_request.brief());
}

TEST_F(RemoteServiceTest, AsksForATrainingWhereAPolicyThatNeedsOneHasNone) {
  StartServer();
  Connect();
  PlanQuery query{.fast_limit_bytes = 1000, .policy = kTrainedPolicy};
  query.graph.set_name("g");
  query.system.set_name("s");
  const auto plan = service_->MakePlan(query);
  ASSERT_TRUE(plan.ok()) << plan.status();
  query.graph_id = plan->plan().graph_id();
  query.graph.Clear();
  ASSERT_TRUE(service_->MakePlan(query).ok());
  absl::MutexLock lock(&told_.mutex);
  EXPECT_EQ(told_.plan_request.policy(), "");  // the default's
  ASSERT_EQ(told_.trainings.size(), 2);
  EXPECT_EQ(told_.trainings[0].graph_id(), "id-of-g");
  EXPECT_EQ(told_.trainings[0].system().name(), "s");
  EXPECT_EQ(told_.trainings[0].fast_limit_bytes(), 1000);
  // There is one training, however often it is asked for.
  EXPECT_EQ(told_.trainings[0].request_id(), told_.trainings[1].request_id());
}

TEST_F(RemoteServiceTest, KnowsWhatPoliciesCanDoOnceTheServiceHasSaidSo) {
  RemoteService unreachable({.address = "unix:/nonexistent/stowaged.sock"});
  EXPECT_FALSE(unreachable.CapabilitiesOf(kTrainedPolicy).needs_training());
  StartServer();
  Connect();
  while (!service_->CapabilitiesOf(kTrainedPolicy).needs_training()) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(service_->CapabilitiesOf("belady").needs_training());
  EXPECT_FALSE(service_->CapabilitiesOf("unknown").needs_training());
}

TEST_F(RemoteServiceTest, AsksForPlacementsOnAStreamUntilItIsCancelled) {
  StartServer();
  Connect();
  auto stream = service_->OpenPlacement();
  ASSERT_TRUE(stream.ok()) << stream.status();
  v1::PlaceRequest request;
  for (int32_t kernel : {3, 7}) {
    request.set_kernel(kernel);
    const auto response = (*stream)->Ask(request);
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->decisions(0).kernel(), kernel);
  }
  request.set_kernel(kHangingKernel);
  std::thread canceller([&] { (*stream)->Cancel(); });
  EXPECT_FALSE((*stream)->Ask(request).ok());
  canceller.join();
}

TEST_F(RemoteServiceTest, PassesOnWhyThereIsNoPlan) {
  StartServer();
  Connect();
  const auto plan = service_->MakePlan({.fast_limit_bytes = 1});
  EXPECT_TRUE(absl::IsFailedPrecondition(plan.status()));
  EXPECT_EQ(plan.status().message(), "100 bytes would do");
}

}  // namespace
}  // namespace stowage::agent
