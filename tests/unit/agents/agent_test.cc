// Runs the stowage-agent binary from outside: configuration, exit codes,
// signals.
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/agent_process.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/temp_directory.h"
#include "tests/unit/network/metric_tables.h"
#include "tests/unit/network/tcp_connection.h"

namespace stowage::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

bool HasText(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

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

  TempDirectory directory_;
  const std::string socket_ = directory_.path() + "/agent.sock";
};

TEST_F(AgentTest, RefusesAMemorySystemOfAnotherSlowTier) {
  const std::string path = directory_.path() + "/system.json";
  std::ofstream(path) << R"({"tiers": [{"name": "dram"}, {"name": "file"}]})";
  const Outcome other =
      Run("--socket " + socket_ + " --slow emulated:cxl --system " + path);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.output, HasSubstr("'file', and --slow is 'emulated-cxl'"));
  const Outcome none =
      Run("--socket " + socket_ + " --system " + directory_.path() + "/none");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.output, HasSubstr("stowage calibrate"));
}

TEST_F(AgentTest, ServesItsMetricsAndSaysThatItIsAlive) {
  const AgentProcess agent(
      directory_.path(),
      {"--slow=emulated:cxl,size=64MiB", "--fast-total=1GiB",
       "--slow-endurance=600TB", "--metrics-address=127.0.0.1:0"});
  std::string address;
  std::ifstream(directory_.path() + "/ready") >> address;
  EXPECT_THAT(Fetch(address, "GET", "/healthz"), HasSubstr(" 200 OK"));
  EXPECT_THAT(
      Fetch(address, "GET", "/metrics"),
      AllOf(HasSubstr("stowage_agent_service_connected 0\n"),
            HasSubstr("stowage_agent_fast_total_bytes 1073741824\n"),
            HasSubstr(
                "stowage_agent_slow_endurance_bytes{medium=\"emulated cxl\","
                "tier=\"emulated-cxl\"} 600000000000000\n"),
            HasSubstr("stowage_agent_jobs_running 0\n")));
}

TEST_F(AgentTest, CountsWhatItsJobsTakeAndMoveAndWhatFails) {
  const AgentProcess agent(
      directory_.path(),
      {"--slow=emulated:cxl,size=64MiB", "--metrics-address=127.0.0.1:0"});
  std::string address;
  std::ifstream(directory_.path() + "/ready") >> address;
  const std::string tier = "{medium=\"emulated cxl\",tier=\"emulated-cxl\"} ";
  FakeJob job(agent.socket(), {.fast = "1MiB"});
  ASSERT_EQ(job.welcome().accepted, 1) << job.welcome().error;
  EXPECT_EQ(job.Move(session::kLaneOut, {.to_tier = 1, .size_bytes = 1 << 20}),
            0);
  EXPECT_EQ(job.Move(session::kLaneOut, {.to_tier = 7, .size_bytes = 1 << 20}),
            EINVAL);
  session::StepLog& steps = job.segment()->report.steps;
  steps.entries[0].mode = session::kStepDemand;
  steps.entries[0].stall_ns = 500'000'000;
  steps.entries[0].moved_out_bytes = 1 << 20;
  steps.written = 1;
  EXPECT_EQ(FakeJob(agent.socket(), {.slow = "tape:/x"}).welcome().accepted, 0);
  const auto page = [&] { return Fetch(address, "GET", "/metrics"); };
  // The job's use of its tiers is looked at about once a second, and is in huge
  // pages where the host has them.
  const std::string unused = "stowage_agent_tier_used_bytes" + tier + "0\n";
  while (HasText(page(), unused) ||
         !HasText(page(), "stowage_agent_stall_seconds_total 0.5")) {
  }
  EXPECT_THAT(
      page(),
      AllOf(HasSubstr("stowage_agent_tier_capacity_bytes" + tier + "67108864"),
            HasSubstr("stowage_agent_slow_written_bytes_total" + tier +
                      "1048576"),
            HasSubstr("stowage_agent_failed_moves_total{cause=\"refused\"} 1"),
            HasSubstr("stowage_agent_refused_jobs_total{code=\"INVALID_"
                      "ARGUMENT\"} 1")));
  job.HangUp();
  while (!HasText(page(), unused)) {
  }
}

TEST_F(AgentTest, ServesTheMetricsOfItsReferencePage) {
  const AgentProcess agent(
      directory_.path(),
      {"--slow=emulated:cxl,size=64MiB", "--metrics-address=127.0.0.1:0"});
  std::string address;
  std::ifstream(directory_.path() + "/ready") >> address;
  EXPECT_EQ(ServedMetrics(Fetch(address, "GET", "/metrics")),
            DocumentedMetrics("docs/reference-agent.md"));
}

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
  EXPECT_THAT(variable.output,
              HasSubstr("fast = \"30%\"  # STOWAGE_AGENT_FAST"));
  EXPECT_THAT(variable.output, HasSubstr("node = \"n1\""));
  EXPECT_THAT(variable.output, HasSubstr("slow = \"file:/tmp\"  # default"));
  const Outcome both =
      Run("--check-config --fast 20%", "STOWAGE_AGENT_FAST=30%");
  EXPECT_THAT(both.output, HasSubstr("fast = \"20%\"  # flag"));
}

TEST_F(AgentTest, TakesTheFileThatItPrints) {
  const std::string example =
      std::string(STOWAGE_SOURCE_DIR) + "/docs/examples/stowage-agent.conf";
  const Outcome first = Run("--check-config --config " + example);
  ASSERT_EQ(first.exit_code, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("fast = \"40%\"  # " + example));
  const std::string printed = directory_.path() + "/printed.conf";
  std::ofstream(printed) << first.output;
  const Outcome second =
      Run("--check-config --node n2", "STOWAGE_AGENT_CONFIG=" + printed);
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.output, AllOf(HasSubstr("fast = \"40%\"  # " + printed),
                                   HasSubstr("node = \"n2\"  # flag")));
}

TEST_F(AgentTest, SaysWhichFileIsWrong) {
  const std::string path = directory_.path() + "/agent.conf";
  std::ofstream(path) << "fast = much\n";
  const Outcome value = Run("--config " + path);
  EXPECT_EQ(value.exit_code, 1);
  EXPECT_THAT(value.output, HasSubstr("fast in " + path + " 'much'"));
  std::ofstream(path) << "bogus = 1\n";
  const Outcome name = Run("--config " + path);
  EXPECT_EQ(name.exit_code, 1);
  EXPECT_THAT(name.output, HasSubstr(path + ": bogus is unknown"));
}

TEST_F(AgentTest, ChecksWhoMayConnect) {
  EXPECT_THAT(Run("--check-config").output,
              HasSubstr("socket-mode = \"0600\""));
  const Outcome group = Run("--check-config --socket-group root");
  EXPECT_THAT(group.output, AllOf(HasSubstr("socket-mode = \"0660\""),
                                  HasSubstr("socket-group = \"0\"")));
  const Outcome both =
      Run("--check-config --socket-group 12", "STOWAGE_AGENT_SOCKET_MODE=0666");
  EXPECT_THAT(both.output, AllOf(HasSubstr("socket-mode = \"0666\""),
                                 HasSubstr("socket-group = \"12\"")));
  for (const std::string mode : {"0777", "4660", "0060", "660x", "rw", "06"}) {
    const Outcome refused = Run("--check-config --socket-mode " + mode);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.output, HasSubstr("0600, 0660 or 0666"));
  }
  const Outcome nobody = Run("--check-config --socket-group no-such-group");
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.output, HasSubstr("is no group of this host"));
  const Outcome useless =
      Run("--check-config --socket-group root --socket-mode 0600");
  EXPECT_EQ(useless.exit_code, 1);
  EXPECT_THAT(useless.output, HasSubstr("leave one of them out"));
}

TEST_F(AgentTest, SpeaksPlainTextToOtherHostsOnlyWhenItIsForced) {
  for (const std::string service : {"192.0.2.1:7420", "0.0.0.0:7420"}) {
    const Outcome refused = Run("--check-config --service " + service);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.output, HasSubstr("--allow-plaintext"));
    EXPECT_EQ(
        Run("--check-config --allow-plaintext --service " + service).exit_code,
        0);
    EXPECT_EQ(Run("--check-config --service " + service,
                  "STOWAGE_AGENT_ALLOW_PLAINTEXT=true")
                  .exit_code,
              0);
  }
  for (const std::string service :
       {"127.0.0.1:7420", "localhost:7420", "unix:/run/stowaged.sock"}) {
    EXPECT_EQ(Run("--check-config --service " + service).exit_code, 0);
  }
  EXPECT_THAT(Run("--check-config --service 127.0.0.1").output,
              HasSubstr("has no port"));
}

TEST_F(AgentTest, SaysWhyItDoesNotStart) {
  const std::string at = "--socket " + socket_;
  const Outcome tier = Run(at + " --slow file:/no/such");
  EXPECT_EQ(tier.exit_code, 2);
  EXPECT_THAT(tier.output, HasSubstr("make the directory"));
  const Outcome directory =
      Run(at + " --slow emulated:cxl --slow-dir /no/such");
  EXPECT_EQ(directory.exit_code, 2);
  EXPECT_THAT(directory.output, HasSubstr("make the directory"));
  const Outcome reports =
      Run(at + " --slow emulated:cxl --report-dir /no/such");
  EXPECT_EQ(reports.exit_code, 2);
  EXPECT_THAT(reports.output, HasSubstr("/no/such"));
  const Outcome socket =
      Run("--slow emulated:cxl --socket " + directory_.path());
  EXPECT_EQ(socket.exit_code, 3);
  EXPECT_THAT(socket.output, HasSubstr("is no socket"));
}

TEST_F(AgentTest, WritesItsLogAsJsonIfAsked) {
  const Outcome tier =
      Run("--socket " + socket_ + " --slow file:/no/such --log-format=json");
  EXPECT_EQ(tier.exit_code, 2);
  EXPECT_THAT(tier.output,
              AllOf(HasSubstr("{\"time\":\"20"),
                    HasSubstr("\"level\":\"error\""), HasSubstr("/no/such")));
}

TEST_F(AgentTest, LetsItsJobsGoOnSigterm) {
  AgentProcess agent(directory_.path(), {"--slow=emulated:cxl"});
  FakeJob job(socket_, {.fast = "1MiB"});
  ASSERT_EQ(job.welcome().accepted, 1) << job.welcome().error;
  agent.Signal(SIGTERM);
  job.WaitForHangUp();
  EXPECT_EQ(agent.Wait(), 0);
  EXPECT_TRUE(std::filesystem::exists(directory_.path() + "/run-" +
                                      std::to_string(getpid()) + ".session"));
  EXPECT_FALSE(std::filesystem::exists(socket_));
}

TEST_F(AgentTest, ReadsItsConfigurationAgainOnSighup) {
  const std::string disk = directory_.path() + "/disk";
  std::filesystem::create_directory(disk);
  const std::string path = directory_.path() + "/agent.conf";
  std::ofstream(path) << "fast = 40%\n";
  AgentProcess agent(directory_.path(),
                     {"--slow=emulated:cxl", "--config=" + path});
  const FakeJobOptions on_disk = {.fast = "1MiB",
                                  .slow = "file:" + disk + ",size=1MiB"};
  EXPECT_EQ(FakeJob(socket_, on_disk).welcome().accepted, 0);
  std::ofstream(path) << "bogus = 1\n";
  agent.Signal(SIGHUP);  // refused, without an end
  std::ofstream(path + ".new") << "slow-dir = \"" << disk << "\"\n";
  std::filesystem::rename(path + ".new", path);
  agent.Signal(SIGHUP);
  while (FakeJob(socket_, on_disk).welcome().accepted == 0) {
  }
  agent.Signal(SIGTERM);
  EXPECT_EQ(agent.Wait(), 0);
}

TEST_F(AgentTest, LeavesAJobItsDescriptorsWhenItIsKilled) {
  AgentProcess agent(directory_.path(), {"--slow=emulated:cxl"});
  FakeJob job(socket_, {.fast = "1MiB"});
  ASSERT_EQ(job.welcome().accepted, 1) << job.welcome().error;
  agent.Signal(SIGKILL);
  agent.Wait();
  job.WaitForHangUp();
  const char byte = 7;
  for (int tier = 0; tier < 2; ++tier) {
    EXPECT_EQ(pwrite(job.tier_fd(tier), &byte, 1, 0), 1);
  }
}

}  // namespace
}  // namespace stowage::agent
