// Shows what a job that lies or harms can do to a stowage-agent: a real agent,
// a real socket, jobs of other users.
#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "agents/jobs/records/fixed_text.h"
#include "client_sdk/session/claim.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/agent_process.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/sizes.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kNobody = 65534;

// Returns how the agent answers.
std::string AnswerTo(const std::string& socket, const FakeJobOptions& options) {
  const FakeJob job(socket, options);
  if (job.welcome().accepted) return "accepted";
  return job.welcome().magic == 0 ? "unreachable" : job.welcome().error;
}

// Returns how it answers a process of another user and group.
std::string AnswerAs(uid_t uid, gid_t gid, const std::string& socket,
                     const FakeJobOptions& options) {
  int ends[2];
  if (pipe(ends) != 0) return "pipe";
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(gid) != 0 || setuid(uid) != 0) {
      _exit(1);
    }
    const std::string answer = AnswerTo(socket, options);
    _exit(write(ends[1], answer.data(), answer.size()) < 0);
  }
  close(ends[1]);
  std::string answer(1024, '\0');
  answer.resize(std::max<ssize_t>(read(ends[0], answer.data(), 1024), 0));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return answer;
}

// Returns the socket of a claim that the agent opens for this user; what it says,
// if it opens none.
std::string OpenClaimFor(uid_t uid, const std::string& agent_socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  SetText(address.sun_path, agent_socket);
  const int agent = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  session::ClaimRequest request{};
  request.magic = session::kClaimMagic;
  request.version = session::kVersion;
  request.action = session::kClaimOpen;
  SetText(request.name, "c1");
  request.fast_bytes = request.slow_bytes = 16 * kPage * kPage;
  request.uid = uid;
  struct {
    session::ClaimAnswer answer;
    session::ClaimEntry entry;
  } answered{};
  if (connect(agent, reinterpret_cast<sockaddr*>(&address), sizeof(address)) ==
      0) {
    send(agent, &request, sizeof(request), MSG_NOSIGNAL);
    recv(agent, &answered, sizeof(answered), 0);
  }
  close(agent);
  return answered.answer.count == 1 ? answered.entry.socket
                                    : answered.answer.text;
}

class AgentTrustTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(chmod(path().c_str(), 0755), 0); }

  const std::string& path() const { return directory_.path(); }

  void MakeDirectory(const std::string& name, mode_t mode) const {
    ASSERT_EQ(mkdir((path() + name).c_str(), mode), 0);
    ASSERT_EQ(chmod((path() + name).c_str(), mode), 0);
  }

  TempDirectory directory_;
};

// Runs the agent as root, as one that serves several users has to.
class RootAgentTrustTest : public AgentTrustTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root has jobs of other users";
    AgentTrustTest::SetUp();
  }
};

TEST_F(AgentTrustTest, BelievesTheSocketWhoseProcessAJobIs) {
  AgentProcess agent(path(), {"--slow=emulated:cxl"});
  FakeJob job(agent.socket(), {.fast = "1MiB", .claimed_pid = 1});
  ASSERT_EQ(job.welcome().accepted, 1) << job.welcome().error;
  const std::string own = std::to_string(getpid());
  EXPECT_THAT(job.welcome().job_id, HasSubstr("-" + own + "-"));
  EXPECT_EQ(job.segment()->report.pid, getpid());
  agent.Signal(SIGTERM);
  job.WaitForHangUp();
  EXPECT_TRUE(std::filesystem::exists(path() + "/run-" + own + ".session"));
  EXPECT_FALSE(std::filesystem::exists(path() + "/run-1.session"));
}

TEST_F(AgentTrustTest, WritesNoLongerReportThanThereIsToTell) {
  AgentProcess agent(path(), {"--slow=emulated:cxl"});
  { const FakeJob job(agent.socket(), {.fast = "1MiB"}); }
  agent.Signal(SIGTERM);
  EXPECT_EQ(agent.Wait(), 0);
  const std::string report =
      path() + "/run-" + std::to_string(getpid()) + ".session";
  EXPECT_LT(std::filesystem::file_size(report), 2048);
}

TEST_F(AgentTrustTest, LetsJobsNameOnlyTheDirectoriesThatItWasGiven) {
  MakeDirectory("/default", 0700);
  MakeDirectory("/allowed", 0700);
  MakeDirectory("/allowed/below", 0700);
  MakeDirectory("/allowed-not", 0700);
  ASSERT_EQ(symlink("/etc", (path() + "/allowed/link").c_str()), 0);
  ASSERT_EQ(symlink("allowed/below", (path() + "/elsewhere").c_str()), 0);
  AgentProcess agent(path(), {"--slow=file:" + path() + "/default",
                              "--slow-dir=" + path() + "/allowed"});
  const auto answer = [&](const std::string& slow) {
    return AnswerTo(agent.socket(), {.fast = "1MiB", .slow = slow});
  };
  EXPECT_EQ(answer(""), "accepted");
  EXPECT_EQ(answer("emulated:cxl"), "accepted");
  for (const std::string name :
       {"/default", "/default/", "/allowed", "/allowed/below", "/elsewhere"}) {
    EXPECT_EQ(answer("file:" + path() + name + ",size=1MiB"), "accepted");
  }
  for (const std::string& refused :
       {path() + "/allowed-not", path() + "/allowed/link",
        path() + "/allowed/../allowed-not", path(), std::string("/etc"),
        std::string("/no/such")}) {
    EXPECT_THAT(answer("file:" + refused), HasSubstr("lets no job use"))
        << refused;
    EXPECT_THAT(answer("pmem:" + refused), HasSubstr("--slow-dir"));
  }
  EXPECT_THAT(answer("file:" + path() + "/allowed/none"),
              HasSubstr("make the directory"));
}

TEST_F(RootAgentTrustTest, LetsAJobNameOnlyWhereItsUserMayMakeFiles) {
  MakeDirectory("/roots", 0755);
  MakeDirectory("/alls", 01777);
  MakeDirectory("/hidden", 0700);
  MakeDirectory("/hidden/alls", 0777);
  MakeDirectory("/nobodys", 0700);
  ASSERT_EQ(chown((path() + "/nobodys").c_str(), kNobody, kNobody), 0);
  AgentProcess agent(path(), {"--slow=file:" + path() + "/roots",
                              "--slow-dir=/", "--socket-mode=0666"});
  const auto answer = [&](const std::string& slow) {
    return AnswerAs(kNobody, kNobody, agent.socket(),
                    {.fast = "1MiB", .slow = slow});
  };
  EXPECT_EQ(answer(""), "accepted") << "the default is everybody's";
  EXPECT_EQ(answer("file:" + path() + "/alls"), "accepted");
  EXPECT_EQ(answer("file:" + path() + "/nobodys"), "accepted");
  EXPECT_THAT(answer("file:/etc"),
              HasSubstr("user 65534 may not make files in '/etc'"));
  EXPECT_THAT(answer("file:" + path() + "/hidden/alls"),
              HasSubstr("/hidden')"));
}

TEST_F(RootAgentTrustTest, GivesAJobsArenasToItsUser) {
  AgentProcess agent(path(), {"--slow=file:" + path(), "--socket-mode=0666"});
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setuid(kNobody) != 0) _exit(1);
    const FakeJob job(agent.socket(), {.fast = "1MiB"});
    struct stat status;
    if (fstat(job.tier_fd(1), &status) != 0) _exit(2);
    _exit(status.st_uid == kNobody ? 0 : 3);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(RootAgentTrustTest, ServesThoseWhomItsSocketAdmits) {
  constexpr gid_t kGroup = 4321;
  struct Case {
    std::vector<std::string> flags;
    std::string same_group;
    std::string others;
  };
  const std::string group = "--socket-group=4321";
  for (const Case& c : std::vector<Case>{
           {{}, "unreachable", "unreachable"},
           {{group}, "accepted", "unreachable"},
           {{group, "--socket-mode=0660"}, "accepted", "unreachable"},
           {{"--socket-mode=0666"}, "accepted", "accepted"}}) {
    std::vector<std::string> flags = c.flags;
    flags.push_back("--slow=emulated:cxl");
    std::filesystem::remove(path() + "/ready");
    AgentProcess agent(path(), flags);
    const FakeJobOptions options{.fast = "1MiB"};
    EXPECT_EQ(AnswerTo(agent.socket(), options), "accepted");
    EXPECT_EQ(AnswerAs(kNobody, kGroup, agent.socket(), options), c.same_group);
    EXPECT_EQ(AnswerAs(kNobody, kNobody, agent.socket(), options), c.others);
  }
}

// Connects `count` times and says nothing.
void ConnectSilently(const std::string& socket_path, int count) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  SetText(address.sun_path, socket_path);
  for (int i = 0; i < count; ++i) {
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) !=
        0) {
      _exit(1);
    }
  }
}

TEST_F(RootAgentTrustTest, NoUserKeepsTheOthersOut) {
  constexpr int kMostJobsOfAUser = 64;
  AgentProcess agent(path(), {"--slow=emulated:cxl", "--socket-mode=0666"});
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setuid(kNobody) != 0) _exit(1);
    ConnectSilently(agent.socket(), kMostJobsOfAUser);
    const std::string answer = AnswerTo(agent.socket(), {.fast = "1MiB"});
    if (write(ends[1], answer.data(), answer.size()) < 0) _exit(1);
    pause();
  }
  close(ends[1]);
  std::string answer(1024, '\0');
  answer.resize(std::max<ssize_t>(read(ends[0], answer.data(), 1024), 0));
  close(ends[0]);
  EXPECT_THAT(answer, HasSubstr("64 jobs of user 65534 already"));
  const FakeJobOptions options{.fast = "1MiB"};
  EXPECT_EQ(AnswerAs(kNobody - 1, kNobody, agent.socket(), options),
            "accepted");
  EXPECT_EQ(AnswerTo(agent.socket(), options), "accepted");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// Maps the bytes of both tiers that a job sees.
class MappedJob : public FakeJob {
 public:
  MappedJob(const std::string& socket, const std::string& slow)
      : FakeJob(socket, {.fast = "1MiB", .slow = slow}) {}

  int Out(int64_t offset_bytes) {
    return Move(
        session::kLaneOut,
        {.to_tier = 1, .to_offset_bytes = offset_bytes, .size_bytes = kPage});
  }
  int In(int64_t offset_bytes) {
    return Move(session::kLaneIn, {.from_tier = 1,
                                   .from_offset_bytes = offset_bytes,
                                   .to_offset_bytes = kPage,
                                   .size_bytes = kPage});
  }
};

TEST_F(AgentTrustTest, AJobThatCutsItsFileHarmsItselfAlone) {
  for (const std::string kind : {"file:", "pmem:"}) {
    const std::string slow = kind + path() + ",size=4MiB";
    std::filesystem::remove(path() + "/ready");
    AgentProcess agent(path(), {"--slow=" + slow});
    MappedJob bad(agent.socket(), slow);
    MappedJob good(agent.socket(), slow);
    ASSERT_EQ(bad.welcome().accepted, 1) << bad.welcome().error;
    ASSERT_EQ(good.welcome().accepted, 1) << good.welcome().error;
    const std::string bytes(kPage, 'g');
    ASSERT_EQ(pwrite(good.tier_fd(0), bytes.data(), kPage, 0), kPage);
    ASSERT_EQ(good.Out(kPage), 0);
    ASSERT_EQ(bad.Out(kPage), 0);

    ASSERT_EQ(ftruncate(bad.tier_fd(1), kPage), 0);
    EXPECT_EQ(bad.In(kPage), EIO);
    const session::EventLog& events = bad.segment()->report.agent_events;
    while (events.written.load() == 0) std::this_thread::yield();
    EXPECT_STREQ(events.entries[0].reason, "move-failed");
    EXPECT_THAT(events.entries[0].detail, HasSubstr(kind + path()));
    EXPECT_THAT(events.entries[0].detail,
                HasSubstr("whose arena the job cut to 4096 of 4194304 bytes"));

    // The agent lives, and the other job has what it had.
    ASSERT_EQ(good.In(kPage), 0);
    std::string read(kPage, '\0');
    ASSERT_EQ(pread(good.tier_fd(0), read.data(), kPage, kPage), kPage);
    EXPECT_EQ(read, bytes);
    EXPECT_EQ(good.segment()->report.agent_events.written.load(), 0);
    EXPECT_EQ(AnswerTo(agent.socket(), {.fast = "1MiB"}), "accepted");
  }
}

TEST_F(AgentTrustTest, NobodyCutsTheMemoryThatTheAgentMaps) {
  AgentProcess agent(path(), {"--slow=emulated:cxl,size=4MiB"});
  MappedJob job(agent.socket(), "");
  ASSERT_EQ(job.welcome().accepted, 1) << job.welcome().error;
  for (int fd : job.fds()) {
    EXPECT_NE(ftruncate(fd, 0), 0);
    EXPECT_NE(ftruncate(fd, int64_t{1} << 40), 0);
  }
  EXPECT_EQ(job.Out(0), 0);
  EXPECT_EQ(job.In(0), 0);
}

TEST_F(RootAgentTrustTest, ServesTheUserOfAClaimAndNoOther) {
  AgentProcess agent(path(), {"--slow=emulated:cxl", "--fast-total=1GiB"});
  const std::string socket = OpenClaimFor(kNobody, agent.socket());
  ASSERT_EQ(socket, path() + "/local-claims/c1/agent.sock");
  const FakeJobOptions asked{.fast = "1MiB", .slow = "emulated:cxl,size=16MiB"};
  EXPECT_EQ(AnswerAs(kNobody, kNobody, socket, asked), "accepted");
  EXPECT_THAT(AnswerAs(kNobody - 1, kNobody, socket, asked),
              HasSubstr("may not connect"));
  EXPECT_EQ(AnswerTo(socket, asked), "accepted");
  // A claim is no place to open another one.
  EXPECT_THAT(OpenClaimFor(kNobody, socket), HasSubstr("agent's own socket"));
}

}  // namespace
}  // namespace stowage::agent
