// The stowage-agent binary from outside: configuration, exit codes, signals.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

constexpr char kBinary[] = STOWAGE_BINARY_DIR "/bin/stowage-agent";

struct Outcome {
  int exit_code = -1;
  std::string output;
};

class AgentTest : public testing::Test {
 protected:
  // Runs the agent to its end; `variables` go before the command.
  Outcome Run(const std::string& flags, const std::string& variables = "") {
    const std::string path = directory_.path() + "/output";
    const int status = std::system(
        (variables + " " + kBinary + " " + flags + " >" + path + " 2>&1")
            .c_str());
    std::ostringstream output;
    output << std::ifstream(path).rdbuf();
    return {WEXITSTATUS(status), output.str()};
  }

  // Starts an agent that listens when this returns.
  pid_t Start() {
    const std::string ready = directory_.path() + "/ready";
    const pid_t agent = fork();
    if (agent == 0) {
      execl(kBinary, kBinary, "--socket", socket_.c_str(), "--slow",
            "emulated:cxl", "--report-dir", directory_.path().c_str(),
            "--ready-file", ready.c_str(), nullptr);
      _exit(127);
    }
    while (!std::filesystem::exists(ready)) std::this_thread::yield();
    return agent;
  }

  TempDirectory directory_;
  const std::string socket_ = directory_.path() + "/agent.sock";
};

TEST_F(AgentTest, RefusesWhatItDoesNotKnow) {
  const Outcome flag = Run("--bogus 1");
  EXPECT_EQ(flag.exit_code, 1);
  EXPECT_THAT(flag.output, HasSubstr("--bogus"));
  const Outcome variable = Run("--check-config", "STOWAGE_AGENT_BOGUS=1");
  EXPECT_EQ(variable.exit_code, 1);
  EXPECT_THAT(variable.output, HasSubstr("STOWAGE_AGENT_BOGUS"));
  const Outcome limit = Run("--check-config --fast much");
  EXPECT_EQ(limit.exit_code, 1);
  EXPECT_THAT(limit.output, HasSubstr("'much'"));
  const Outcome tier = Run("--check-config --slow tape:/x");
  EXPECT_EQ(tier.exit_code, 1);
  EXPECT_THAT(tier.output, HasSubstr("unknown kind 'tape'"));
}

TEST_F(AgentTest, PrefersFlagsToVariablesToDefaults) {
  const Outcome variable =
      Run("--check-config", "STOWAGE_AGENT_FAST=30% STOWAGE_AGENT_NODE=n1");
  EXPECT_EQ(variable.exit_code, 0);
  EXPECT_THAT(variable.output, HasSubstr("fast: 30%"));
  EXPECT_THAT(variable.output, HasSubstr("node: n1"));
  EXPECT_THAT(variable.output, HasSubstr("slow: file:/tmp"));
  const Outcome both =
      Run("--check-config --fast 20%", "STOWAGE_AGENT_FAST=30%");
  EXPECT_THAT(both.output, HasSubstr("fast: 20%"));
}

TEST_F(AgentTest, SaysWhyItDoesNotStart) {
  const std::string at = "--socket " + socket_;
  const Outcome tier = Run(at + " --slow file:/no/such");
  EXPECT_EQ(tier.exit_code, 2);
  EXPECT_THAT(tier.output, HasSubstr("make the directory"));
  const Outcome reports =
      Run(at + " --slow emulated:cxl --report-dir /no/such");
  EXPECT_EQ(reports.exit_code, 2);
  EXPECT_THAT(reports.output, HasSubstr("/no/such"));
  const Outcome socket =
      Run("--slow emulated:cxl --socket " + directory_.path());
  EXPECT_EQ(socket.exit_code, 3);
  EXPECT_THAT(socket.output, HasSubstr("is no socket"));
}

TEST_F(AgentTest, LetsItsJobsGoOnSigterm) {
  const pid_t agent = Start();
  FakeJob job(socket_, {.fast = "1MiB"});
  ASSERT_EQ(job.welcome().accepted, 1) << job.welcome().error;
  kill(agent, SIGTERM);
  job.WaitForHangUp();
  int status = -1;
  waitpid(agent, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(directory_.path() + "/run-" +
                                      std::to_string(getpid()) + ".session"));
  EXPECT_FALSE(std::filesystem::exists(socket_));
}

TEST_F(AgentTest, LeavesAJobItsDescriptorsWhenItIsKilled) {
  const pid_t agent = Start();
  FakeJob job(socket_, {.fast = "1MiB"});
  ASSERT_EQ(job.welcome().accepted, 1) << job.welcome().error;
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  job.WaitForHangUp();
  const char byte = 7;
  for (int tier = 0; tier < 2; ++tier) {
    EXPECT_EQ(pwrite(job.tier_fd(tier), &byte, 1, 0), 1);
  }
}

}  // namespace
}  // namespace stowage::agent
