// Jobs that another agent has left, limits that change, and checksums: what
// JobServer does with them.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "agents/engine/tier_catalog.h"
#include "agents/jobs/job_server.h"
#include "agents/sharing/fast_memory.h"
#include "client_sdk/session/error_text.h"
#include "client_sdk/session/resize.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/fake_service.h"
#include "tests/unit/agents/jobs/profile_builder.h"
#include "tests/unit/agents/sizes.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

constexpr char kFile[] = "file:/tmp,size=32MiB";

class ReturningJobTest : public testing::Test {
 protected:
  explicit ReturningJobTest(int64_t total_bytes = 0)
      : fast_memory_(total_bytes) {
    Start();
  }

  void Start() {
    auto server = JobServer::Start(
        socket_path_, {}, {.fast = "40%", .slow = kFile},
        {.node = "node",
         .directories = {.slow = *SlowDirectories::Resolve(kFile, {})},
         .catalog = &catalog_,
         .service = &service_,
         .fast_memory = &fast_memory_});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  void Restart() {
    server_.reset();
    Start();
  }

  std::unique_ptr<FakeJob> Join(const FakeJobOptions& options = {}) {
    return std::make_unique<FakeJob>(socket_path_, options);
  }
  // Returns what the job says when it comes back.
  FakeJobOptions Return(const FakeJob& job) {
    return {.left_fds = job.CopyOfFds(),
            .job_id = job.welcome().job_id,
            .limit = job.welcome().limit};
  }

  session::ResizeAnswer Resize(const std::string& job,
                               const std::string& limit) {
    session::ResizeRequest request{};
    request.magic = session::kResizeMagic;
    request.version = session::kVersion;
    SetText(request.job, job);
    SetText(request.limit, limit);
    return Send(&request, sizeof(request));
  }
  session::ResizeAnswer Send(const void* bytes, size_t size) {
    const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    SetText(address.sun_path, socket_path_);
    EXPECT_EQ(
        connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
        0);
    send(socket, bytes, size, MSG_NOSIGNAL);
    session::ResizeAnswer answer{};
    EXPECT_EQ(recv(socket, &answer, sizeof(answer), 0),
              static_cast<ssize_t>(sizeof(answer)));
    close(socket);
    return answer;
  }

  TempDirectory directory_;
  const std::string socket_path_ = directory_.path() + "/agent.sock";
  TierCatalog catalog_{"node", "dram"};
  FakeService service_;
  FastMemory fast_memory_;
  std::unique_ptr<JobServer> server_;
};

// Answers one order after the other, as a job does that ends a step.
class Answering {
 public:
  Answering(session::LimitArea* area, int64_t answer)
      : thread_([this, area, answer] {
          while (!over_) {
            const uint64_t ordered = area->ordered;
            if (ordered != area->taken) {
              order_ = area->order;
              area->refused_below_bytes = answer;
              area->taken = ordered;
            }
            std::this_thread::yield();
          }
        }) {}
  ~Answering() {
    over_ = true;
    thread_.join();
  }
  session::LimitOrder Order() {
    over_ = true;
    thread_.join();
    thread_ = std::thread([] {});
    return order_;
  }

 private:
  std::atomic<bool> over_ = false;
  session::LimitOrder order_{};
  std::thread thread_;
};

TEST_F(ReturningJobTest, AJobGoesOnWithTheNextAgent) {
  const auto before = Join({.fast = "8MiB"});
  ASSERT_EQ(before->welcome().accepted, 1) << before->welcome().error;
  ASSERT_EQ(
      before->Move(session::kLaneOut, {.to_tier = 1, .size_bytes = 1 << 20}),
      0);
  before->segment()->report.steps.written = 17;
  const FakeJobOptions left = Return(*before);
  Restart();
  const auto job = Join(left);
  ASSERT_EQ(job->welcome().accepted, 1) << job->welcome().error;
  EXPECT_STREQ(job->welcome().job_id, before->welcome().job_id);
  EXPECT_EQ(job->welcome().limit.limit_bytes, 8 * kMiB);
  EXPECT_EQ(job->segment()->report.steps.written, 17u);
  // Moves go on where the last agent stopped.
  EXPECT_EQ(job->Move(session::kLaneOut, {.to_tier = 1, .size_bytes = 1 << 20}),
            0);
  EXPECT_EQ(job->segment()->lanes[session::kLaneOut].completed, 2u);
}

class ReturningNeighbourTest : public ReturningJobTest {
 protected:
  ReturningNeighbourTest() : ReturningJobTest(/*total_bytes=*/1024 * kMiB) {}
};

TEST_F(ReturningNeighbourTest, NoFloorThatAJobStatesKeepsTheNextJobOut) {
  const auto before = Join({.fast = "unlimited"});
  FakeJobOptions left = Return(*before);
  left.floor = "900TiB";
  Restart();
  const auto back = Join(left);
  ASSERT_EQ(back->welcome().accepted, 1) << back->welcome().error;
  const auto next = Join({.fast = "8MiB"});
  EXPECT_EQ(next->welcome().accepted, 1) << next->welcome().error;
}

TEST_F(ReturningNeighbourTest, AJobHasWhatItsArenaHasAndElseWhatIsFree) {
  const auto before = Join({.fast = "1GiB", .floor = "1MiB"});
  before->segment()->report.limit_bytes = 1024 * kMiB;
  const std::vector<char> bytes(16 * kMiB, 'b');
  ASSERT_EQ(pwrite(before->tier_fd(0), bytes.data(), bytes.size(), 0),
            16 * kMiB);
  FakeJobOptions left = Return(*before);
  left.floor = "1MiB";
  Restart();
  const auto other = Join({.fast = "1020MiB", .floor = "1MiB"});
  ASSERT_EQ(other->welcome().limit.most_bytes, 1020 * kMiB);
  const auto back = Join(left);
  EXPECT_EQ(back->welcome().limit.most_bytes, 16 * kMiB);
}

TEST_F(ReturningJobTest, AJobKeepsNoIdThatIsNotItsOwn) {
  const auto before = Join();
  FakeJobOptions left = Return(*before);
  left.job_id = "node-1-1";
  const auto job = Join(left);
  ASSERT_EQ(job->welcome().accepted, 1) << job->welcome().error;
  EXPECT_STRNE(job->welcome().job_id, "node-1-1");
}

TEST_F(ReturningJobTest, RefusesDescriptorsThatNoAgentHasMade) {
  const auto before = Join();
  const int unsealed = memfd_create("unsealed", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(unsealed, 64 << 20), 0);
  for (const int bad_place : {0, 1, 2}) {
    FakeJobOptions left = Return(*before);
    close(left.left_fds[bad_place]);
    left.left_fds[bad_place] = fcntl(unsealed, F_DUPFD_CLOEXEC, 0);
    const auto job = Join(left);
    EXPECT_EQ(job->welcome().accepted, 0) << bad_place;
    EXPECT_THAT(job->welcome().error, HasSubstr("descriptor"));
  }
  close(unsealed);
}

TEST_F(ReturningJobTest, RefusesTooFewDescriptorsAndALimitThatMakesNoSense) {
  const auto before = Join();
  FakeJobOptions few = Return(*before);
  close(few.left_fds.back());
  few.left_fds.pop_back();
  EXPECT_EQ(Join(few)->welcome().accepted, 0);
  FakeJobOptions nonsense = Return(*before);
  nonsense.limit = {.limit_fraction = 7};
  EXPECT_THAT(Join(nonsense)->welcome().error, HasSubstr("limit"));
}

TEST_F(ReturningJobTest, AResizeIsAnsweredWhenTheJobHasObeyed) {
  const auto job = Join({.fast = "8MiB"});
  Answering answering(&job->segment()->limits, session::kLimitObeyed);
  const session::ResizeAnswer answer = Resize(std::to_string(getpid()), "4MiB");
  EXPECT_EQ(answer.result, session::kResizeObeyed) << answer.text;
  EXPECT_STREQ(answer.job_id, job->welcome().job_id);
  EXPECT_EQ(answering.Order(), (session::LimitOrder{.limit_bytes = 4 * kMiB}));
}

TEST_F(ReturningJobTest, AResizeThatTheJobRefusesNamesTheLeast) {
  const auto job = Join({.fast = "8MiB"});
  const Answering answering(&job->segment()->limits, 6 * kMiB);
  const session::ResizeAnswer answer = Resize("run", "4MiB");
  EXPECT_EQ(answer.result, session::kResizeRefused);
  EXPECT_THAT(answer.text, HasSubstr("6.00 MiB (6291456 bytes)"));
}

TEST_F(ReturningJobTest, AJobThatEndsHasNotBeenResized) {
  auto job = Join({.fast = "8MiB"});
  std::thread ender([&job] {
    while (job->segment()->limits.ordered == 0) std::this_thread::yield();
    job->HangUp();
  });
  EXPECT_THAT(Resize("run", "4MiB").text, HasSubstr("has ended"));
  ender.join();
}

TEST_F(ReturningJobTest, ARequestThatMakesNoSenseIsRefusedWithAReason) {
  const auto job = Join({.fast = "8MiB"});
  EXPECT_THAT(Resize("nobody", "4MiB").text, HasSubstr("no job 'nobody'"));
  EXPECT_THAT(Resize("run", "40").text, HasSubstr("did you mean"));
  EXPECT_THAT(Resize("run", "auto").text, HasSubstr("name a size"));
  session::ResizeRequest old{};
  old.magic = session::kResizeMagic;
  old.version = session::kVersion - 1;
  EXPECT_THAT(Send(&old, sizeof(old)).text, HasSubstr("same release"));
  EXPECT_THAT(Send(&old, sizeof(old.magic)).text, HasSubstr("same release"));
  EXPECT_EQ(job->segment()->limits.ordered, 0u);
}

// Each flip is one of a byte that the job's file has.
TEST_F(ReturningJobTest, EachOfAThousandBytesThatChangeInAFileIsFound) {
  const auto job = Join({.fast = "8MiB", .checksums = true});
  ASSERT_EQ(job->welcome().accepted, 1) << job->welcome().error;
  ASSERT_EQ(job->welcome().has_sums, 1u);
  constexpr int64_t kBytes = 64 << 10;
  const MoveOrder out{.to_tier = 1, .size_bytes = kBytes};
  const MoveOrder in{
      .from_tier = 1, .to_offset_bytes = kMiB, .size_bytes = kBytes};
  std::mt19937 random(5);
  std::vector<unsigned char> bytes(kBytes);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  ASSERT_EQ(pwrite(job->tier_fd(0), bytes.data(), kBytes, 0), kBytes);
  ASSERT_EQ(job->Move(session::kLaneOut, out), 0);
  ASSERT_EQ(job->Move(session::kLaneIn, in), 0);
  // Not direct: single bytes.
  const int file = open(
      ("/proc/self/fd/" + std::to_string(job->tier_fd(1))).c_str(), O_RDWR);
  ASSERT_GE(file, 0);
  for (int i = 0; i < 1000; ++i) {
    const int64_t at = static_cast<int64_t>(random() % kBytes);
    const unsigned char flipped =
        bytes[at] ^ static_cast<unsigned char>(1 + random() % 255);
    ASSERT_EQ(pwrite(file, &flipped, 1, at), 1);
    ASSERT_EQ(fdatasync(file), 0);
    ASSERT_EQ(job->Move(session::kLaneIn, in), session::kBadSum) << at;
    ASSERT_EQ(pwrite(file, &bytes[at], 1, at), 1);
    ASSERT_EQ(fdatasync(file), 0);
  }
  EXPECT_EQ(job->Move(session::kLaneIn, in), 0);
  close(file);
}

TEST_F(ReturningJobTest, ChecksumsComeBackWithTheJob) {
  const auto before = Join({.fast = "8MiB", .checksums = true});
  const MoveOrder out{.to_tier = 1, .size_bytes = 1 << 16};
  ASSERT_EQ(before->Move(session::kLaneOut, out), 0);
  FakeJobOptions left = Return(*before);
  left.checksums = true;
  Restart();
  const auto job = Join(left);
  ASSERT_EQ(job->welcome().accepted, 1) << job->welcome().error;
  EXPECT_EQ(job->welcome().has_sums, 1u);
  std::vector<char> noise(4096, 'n');
  const int file = open(
      ("/proc/self/fd/" + std::to_string(job->tier_fd(1))).c_str(), O_RDWR);
  ASSERT_EQ(pwrite(file, noise.data(), 4096, 0), 4096);
  ASSERT_EQ(fdatasync(file), 0);
  close(file);
  EXPECT_EQ(job->Move(session::kLaneIn, {.from_tier = 1,
                                         .to_offset_bytes = kMiB,
                                         .size_bytes = 1 << 16}),
            session::kBadSum);
}

}  // namespace
}  // namespace stowage::agent
