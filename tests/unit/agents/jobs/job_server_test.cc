#include "agents/jobs/job_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "agents/tiers/memory_provider.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/packed_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/jobs/profile_builder.h"
#include "tests/unit/agents/jobs/served_jobs.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

class JobServerTest : public ServedJobsTest {};

TEST_F(JobServerTest, GivesAJobItsSegmentAndItsTiers) {
  const auto job = Join({.fast = "8MiB", .slow = "file:/tmp,size=32MiB"});
  const session::Welcome& welcome = job->welcome();
  ASSERT_EQ(welcome.accepted, 1) << welcome.error;
  EXPECT_EQ(welcome.limit, (session::LimitOrder{.limit_bytes = 8 << 20}));
  EXPECT_EQ(welcome.segment_bytes, sizeof(session::Segment));
  ASSERT_EQ(welcome.tier_count, 2);
  EXPECT_STREQ(welcome.tiers[0].name, "dram");
  EXPECT_EQ(welcome.tiers[0].flags, session::kTierAddressable);
  // The limit may grow while the job runs.
  EXPECT_EQ(welcome.tiers[0].capacity_bytes, HostMemoryBytes());
  EXPECT_STREQ(welcome.tiers[1].name, "file");
  EXPECT_EQ(welcome.tiers[1].flags, session::kTierFile);
  EXPECT_EQ(welcome.tiers[1].capacity_bytes, 32 << 20);
  ASSERT_EQ(job->fds().size(), 3);
  for (int tier = 0; tier < 2; ++tier) {
    struct stat status;
    ASSERT_EQ(fstat(job->tier_fd(tier), &status), 0);
    EXPECT_EQ(status.st_size, welcome.tiers[tier].capacity_bytes);
  }
  EXPECT_EQ(fcntl(job->fds()[0], F_GET_SEALS),
            F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  const session::Report& report = job->segment()->report;
  EXPECT_EQ(job->segment()->magic, session::kMagic);
  EXPECT_EQ(report.pid, getpid());
  EXPECT_STREQ(report.job_id, welcome.job_id);
  EXPECT_STREQ(report.slow, "file:/tmp,size=32MiB");
}

TEST_F(JobServerTest, CountsTheProcessorTimeOfEachJobForItself) {
  const auto idle = Join({.fast = "8MiB"});
  const auto busy = Join({.fast = "8MiB"});
  const std::atomic<int64_t>& used_ns = busy->segment()->agent_processor_ns;
  for (int i = 0; i < 200; ++i) {
    const int64_t before_ns = used_ns;
    ASSERT_EQ(
        busy->Move(session::kLaneOut, {.to_tier = 1, .size_bytes = 1 << 20}),
        0);
    EXPECT_GT(used_ns, before_ns);
  }
  EXPECT_LT(idle->segment()->agent_processor_ns, used_ns);
  // Its threads work by themselves, too.
  const int64_t begin_ns = idle->segment()->agent_processor_ns;
  Await([&] { return idle->segment()->agent_processor_ns > begin_ns; });
}

TEST_F(JobServerTest, GivesTheDefaultsToAJobThatAsksForNothing) {
  const auto job = Join();
  ASSERT_EQ(job->welcome().accepted, 1) << job->welcome().error;
  EXPECT_EQ(job->welcome().limit.limit_fraction, 0.4);
  const session::TierInfo& slow = job->welcome().tiers[1];
  EXPECT_STREQ(slow.name, "emulated-cxl");
  EXPECT_GT(slow.kernel_read_ps_per_byte, 0);
  EXPECT_GT(slow.copy_to_ps_per_byte, 0);
}

TEST_F(JobServerTest, TouchesNoPageOfTheFastArenaByItself) {
  const auto job = Join({.fast = "8MiB"});
  ASSERT_EQ(
      job->Move(session::kLaneOut, {.to_tier = 1, .size_bytes = 2 * kPage}), 0);
  struct stat status;
  ASSERT_EQ(fstat(job->tier_fd(0), &status), 0);
  // One page, if the host has huge ones.
  EXPECT_LE(status.st_blocks * 512, 2 << 20);
}

TEST_F(JobServerTest, MovesBytesBetweenTheTiersOfAJob) {
  for (const char* slow : {"file:/tmp,size=32MiB", "emulated:cxl"}) {
    const auto job = Join({.fast = "8MiB", .slow = slow});
    ASSERT_EQ(job->welcome().accepted, 1) << job->welcome().error;
    auto* fast =
        static_cast<char*>(mmap(nullptr, 8 << 20, PROT_READ | PROT_WRITE,
                                MAP_SHARED, job->tier_fd(0), 0));
    ASSERT_NE(fast, MAP_FAILED);
    std::memset(fast, 'x', 1 << 20);
    ASSERT_EQ(job->Move(session::kLaneOut, {.to_tier = 1,
                                            .to_offset_bytes = 5 * kPage,
                                            .size_bytes = 1 << 20}),
              0);
    ASSERT_EQ(job->Move(session::kLaneIn, {.from_tier = 1,
                                           .from_offset_bytes = 5 * kPage,
                                           .to_offset_bytes = 4 << 20,
                                           .size_bytes = 1 << 20}),
              0);
    EXPECT_EQ(std::memcmp(fast, fast + (4 << 20), 1 << 20), 0) << slow;
    munmap(fast, 8 << 20);
  }
}

TEST_F(JobServerTest, TellsOnceWhyAMoveFailed) {
  const auto job = Join({.fast = "8MiB"});
  EXPECT_EQ(job->Move(session::kLaneOut, {.to_tier = 3, .size_bytes = kPage}),
            EINVAL);
  EXPECT_EQ(job->Move(session::kLaneOut, {.to_tier = 3, .size_bytes = kPage}),
            EINVAL);
  const session::EventLog& events = job->segment()->report.agent_events;
  Await([&] { return events.written.load() == 1; });
  EXPECT_EQ(ReasonOf(events, 0), "move-failed");
  EXPECT_THAT(events.entries[0].detail, HasSubstr("Invalid argument"));
}

TEST_F(JobServerTest, RefusesWithAReason) {
  const auto error = [this](const FakeJobOptions& options) -> std::string {
    const auto job = Join(options);
    EXPECT_EQ(job->welcome().accepted, 0);
    EXPECT_TRUE(job->fds().empty());
    return job->welcome().error;
  };
  EXPECT_THAT(error({.version = 99}), HasSubstr("same release"));
  EXPECT_THAT(error({.fast = "lots"}), HasSubstr("'lots'"));
  EXPECT_THAT(error({.slow = "tape:/x"}), HasSubstr("unknown kind 'tape'"));
  EXPECT_THAT(error({.slow = "file:/no/such"}),
              HasSubstr("make the directory or name another one"));
  EXPECT_THAT(error({.slow = "numa:999"}), HasSubstr("999"));
  // The server also serves the next job.
  EXPECT_EQ(Join()->welcome().accepted, 1);
}

TEST_F(JobServerTest, WritesTheReportWhenTheJobHangsUp) {
  const auto job = Join();
  session::Report& report = job->segment()->report;
  report.tensor_peak_bytes = 12345;
  report.steps.entries[0] = {
      .index = 0, .mode = session::kStepDemand, .duration_ns = 99};
  report.steps.written = 1;
  job->HangUp();
  Await([this] { return server_->active_jobs() == 0; });
  std::stringstream bytes;
  bytes << std::ifstream(ReportPath()).rdbuf();
  auto read = std::make_unique<session::Report>();
  ASSERT_TRUE(session::UnpackReport(bytes.str(), read.get()));
  EXPECT_EQ(read->magic, session::kMagic);
  EXPECT_EQ(read->tensor_peak_bytes, 12345);
  EXPECT_EQ(read->steps.entries[0].duration_ns, 99);
  EXPECT_THAT(service_.finished(), testing::ElementsAre(read->job_id));
  ASSERT_EQ(service_.steps().size(), 1);
  EXPECT_EQ(service_.steps()[0].duration_ns(), 99);
}

TEST_F(JobServerTest, LetsJobsGoWhenItStops) {
  const auto job = Join({.fast = "8MiB"});
  server_->Stop();
  job->WaitForHangUp();
  EXPECT_TRUE(std::filesystem::exists(ReportPath()));
  EXPECT_FALSE(std::filesystem::exists(socket_path_));
  // The agent has hung up, so what the job asks for now stays undone.
  LaneClient(job->segment()->lanes)
      .Issue(session::kLaneOut, {.to_tier = 1, .size_bytes = kPage});
  EXPECT_EQ(job->segment()->lanes[session::kLaneOut].completed.load(), 0);
}

TEST_F(JobServerTest, TakesOverASocketThatADeadAgentLeft) {
  server_.reset();
  // The socket is bound, but nobody listens on it any more.
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  SetText(address.sun_path, socket_path_);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
            0);
  close(fd);
  Start();
  EXPECT_EQ(Join()->welcome().accepted, 1);
}

TEST_F(JobServerTest, DoesNotTakeTheSocketOfALivingAgent) {
  const auto second = JobServer::Start(socket_path_, {}, {}, {});
  EXPECT_TRUE(absl::IsAlreadyExists(second.status())) << second.status();
}

// Writes a profile of two kernels with one tensor born at (0, 0).
TEST_F(JobServerTest, NotesThatTheServiceIsLostAndFoundOnceEach) {
  service_.SetAnswer(PlaceTensorZero);
  const auto job = Join({.fast = "8MiB"});
  WriteProfile(job->segment()->profile, 4096);
  job->PublishProfile();
  const session::EventLog& events = job->segment()->report.agent_events;
  service_.SetConnected(false);
  Await([&] { return events.written.load() == 1; });
  EXPECT_EQ(ReasonOf(events, 0), "service-lost");
  service_.SetConnected(true);
  Await([&] { return events.written.load() == 2; });
  EXPECT_EQ(ReasonOf(events, 1), "service-found");
}

// Writes noise over the whole segment, again and again, until it is killed.
[[noreturn]] void Scribble(const std::string& socket_path) {
  FakeJob job(socket_path, {.run_id = "hostile", .fast = "1MiB"});
  if (!job.welcome().accepted) _exit(1);
  auto* bytes = reinterpret_cast<char*>(job.segment());
  for (uint64_t seed = 1;; ++seed) {
    // Most noise goes to the lanes and counters, where it hurts most, the rest
    // to all of the segment.
    const size_t size = seed % 8 == 0 ? sizeof(session::Segment)
                                      : offsetof(session::Segment, report);
    uint64_t noise = seed * 0x9e3779b97f4a7c15;
    for (size_t i = 0; i + 8 <= size; i += 8) {
      noise = noise * 6364136223846793005 + 1442695040888963407;
      // Small numbers too: they pass more checks.
      const uint64_t value = noise & 64 ? noise : noise >> 60;
      std::memcpy(bytes + i, &value, sizeof(value));
    }
    for (int fd : job.fds()) {
      if (ftruncate(fd, 0) != 0) continue;
    }
    for (auto& lane : job.segment()->lanes) {
      session::FutexRing(lane.issue_bell);
    }
  }
}

TEST_F(JobServerTest, SurvivesAJobThatScribblesOverItsSegment) {
  service_.SetAnswer(PlaceTensorZero);
  const pid_t child = fork();
  if (child == 0) Scribble(socket_path_);
  Await([this] { return server_->active_jobs() == 1; });
  // Moves of an honest job mark the time; each crosses the agent's threads.
  const auto job = Join({.fast = "8MiB"});
  ASSERT_EQ(job->welcome().accepted, 1) << job->welcome().error;
  const int64_t begin_ns = session::NowNs();
  while (session::NowNs() - begin_ns < 1'500'000'000) {
    ASSERT_EQ(job->Move(session::kLaneOut, {.to_tier = 1, .size_bytes = kPage}),
              0);
  }
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "the scribbler died";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  Await([this] { return server_->active_jobs() == 1; });
  const auto next = Join();
  EXPECT_EQ(next->welcome().accepted, 1) << next->welcome().error;
}

}  // namespace
}  // namespace stowage::agent
