// Asks the service for another limit of a job that a real agent serves.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client_sdk/session/limit_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/agents/agent_process.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMiB = 1 << 20;

// Ends a step of the job whenever the agent has an order, as long as it lives.
class ObeyingJob {
 public:
  explicit ObeyingJob(const std::string& socket)
      : job_(socket, {.fast = "64MiB", .slow = "emulated:cxl,size=64MiB"}),
        thread_([this](const std::stop_token& stop) { Obey(stop); }) {}

  // Obeys nothing below this limit.
  void SetLeast(int64_t bytes) { least_bytes_ = bytes; }
  std::string id() const { return job_.welcome().job_id; }
  int64_t limit_bytes() const { return limit_bytes_; }

 private:
  void Obey(const std::stop_token& stop) {
    session::LimitArea& area = job_.segment()->limits;
    while (!stop.stop_requested()) {
      const uint64_t ordered = area.ordered.load(std::memory_order_acquire);
      if (ordered != area.taken.load(std::memory_order_relaxed)) {
        const bool obeys = area.order.limit_bytes >= least_bytes_;
        if (obeys) limit_bytes_ = area.order.limit_bytes;
        area.refused_below_bytes.store(obeys ? session::kLimitObeyed
                                             : least_bytes_.load());
        area.taken.store(ordered, std::memory_order_release);
      }
      std::this_thread::yield();
    }
  }

  agent::FakeJob job_;
  std::atomic<int64_t> least_bytes_{0}, limit_bytes_{0};
  std::jthread thread_;  // last: it uses all above
};

class StowagedResizeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
    client_ = server_.Connect();
    agent_ = std::make_unique<agent::AgentProcess>(
        directory_.path(),
        std::vector<std::string>{"--service=" + server_.grpc_address(),
                                 "--slow=emulated:cxl,size=64MiB"});
  }

  // Blocks until the service knows the job.
  void AwaitJob(const std::string& job_id) {
    while (!client_->GetJob(job_id).ok()) std::this_thread::yield();
  }

  absl::StatusOr<v1::Job> Resize(const std::string& job_id, int64_t bytes) {
    v1::ResizeJobRequest request;
    request.set_job_id(job_id);
    request.set_fast_limit_bytes(bytes);
    return client_->ResizeJob(request);
  }

  // Blocks until something came of the resize.
  v1::Job Settled(const std::string& job_id) {
    v1::Job job;
    do {
      std::this_thread::yield();
      job = *client_->GetJob(job_id);
    } while (job.resize().state() == v1::RESIZE_STATE_PENDING);
    return job;
  }

  agent::TempDirectory directory_;
  StowagedProcess server_{{"--heartbeat-interval=100ms"}};
  std::unique_ptr<Client> client_;
  std::unique_ptr<agent::AgentProcess> agent_;
};

TEST_F(StowagedResizeTest, AJobObeysAndTheServiceKnows) {
  ObeyingJob job(agent_->socket());
  AwaitJob(job.id());
  const auto asked = Resize(job.id(), 32 * kMiB);
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->resize().state(), v1::RESIZE_STATE_PENDING);
  const v1::Job settled = Settled(job.id());
  EXPECT_EQ(settled.resize().state(), v1::RESIZE_STATE_OBEYED);
  EXPECT_EQ(settled.resize().number(), asked->resize().number());
  EXPECT_EQ(settled.fast_limit_bytes(), 32 * kMiB);
  EXPECT_EQ(job.limit_bytes(), 32 * kMiB);
}

TEST_F(StowagedResizeTest, AJobRefusesWhatIsTooSmallAndSaysWhatWouldDo) {
  ObeyingJob job(agent_->socket());
  job.SetLeast(9 * kMiB);
  AwaitJob(job.id());
  ASSERT_TRUE(Resize(job.id(), 2 * kMiB).ok());
  const v1::Job settled = Settled(job.id());
  EXPECT_EQ(settled.resize().state(), v1::RESIZE_STATE_REFUSED);
  EXPECT_EQ(settled.resize().least_limit_bytes(), 9 * kMiB);
  EXPECT_THAT(settled.resize().reason(), HasSubstr("9.00 MiB"));
  EXPECT_EQ(settled.fast_limit_bytes(), 64 * kMiB);
}

TEST_F(StowagedResizeTest, RefusesTwoLimitsAtOnceAndUnknownJobs) {
  EXPECT_TRUE(absl::IsNotFound(Resize("nobody", kMiB).status()));
  v1::ResizeJobRequest request;
  request.set_job_id("nobody");
  request.set_fast_limit_bytes(kMiB);
  request.set_fast_limit_fraction(0.5);
  const absl::Status both = client_->ResizeJob(request).status();
  EXPECT_TRUE(absl::IsInvalidArgument(both)) << both;
  EXPECT_THAT(std::string(both.message()), HasSubstr("send one of them"));
}

TEST_F(StowagedResizeTest, AJobThatHasFinishedIsRefused) {
  std::string job_id;
  {
    ObeyingJob job(agent_->socket());
    job_id = job.id();
    AwaitJob(job_id);
  }
  while (client_->GetJob(job_id)->state() == v1::JOB_STATE_RUNNING) {
    std::this_thread::yield();
  }
  const absl::Status status = Resize(job_id, kMiB).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

// Runs the command line; returns its exit status and what it printed.
std::pair<int, std::string> RunStowage(const std::string& arguments) {
  const std::string command =
      std::string(STOWAGE_BINARY_DIR "/bin/stowage ") + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe))
    output += static_cast<char>(c);
  return {WEXITSTATUS(pclose(pipe)), output};
}

TEST_F(StowagedResizeTest, TheCommandLineSaysWhatCameOfIt) {
  ObeyingJob job(agent_->socket());
  job.SetLeast(9 * kMiB);
  AwaitJob(job.id());
  const std::string service = " --service " + server_.grpc_address();
  const auto obeyed = RunStowage("resize " + job.id() + " 32MiB" + service);
  EXPECT_EQ(obeyed.first, 0);
  EXPECT_EQ(obeyed.second, "job " + job.id() + ": the limit is 32MiB now\n");
  const auto refused = RunStowage("resize " + job.id() + " 2MiB" + service);
  EXPECT_EQ(refused.first, 78);
  EXPECT_THAT(refused.second, HasSubstr("the least limit that the job works "
                                        "with is 9.00 MiB"));
  const auto unknown = RunStowage("resize nobody 2MiB" + service);
  EXPECT_EQ(unknown.first, 78);
  EXPECT_THAT(unknown.second, HasSubstr("no job 'nobody'"));
}

TEST_F(StowagedResizeTest, StatusShowsALimitThatIsPending) {
  agent::FakeJob job(agent_->socket(), {.fast = "64MiB"});
  const std::string id = job.welcome().job_id;
  AwaitJob(id);
  const std::string status = "status --service " + server_.grpc_address();
  EXPECT_THAT(RunStowage(status + " --format json").second,
              HasSubstr("\"resize_pending\": false"));
  ASSERT_TRUE(Resize(id, 32 * kMiB).ok());
  EXPECT_THAT(RunStowage(status).second, HasSubstr("64.0 MiB -> 32.0 MiB"));
  EXPECT_THAT(RunStowage(status + " --format json").second,
              HasSubstr("\"resize_pending\": true"));
  job.HangUp();
  EXPECT_EQ(Settled(id).resize().state(), v1::RESIZE_STATE_REFUSED);
}

}  // namespace
}  // namespace stowage
