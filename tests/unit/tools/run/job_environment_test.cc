#include "tools/stowage/run/job_environment.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::cli {
namespace {

using ::testing::Contains;
using ::testing::Not;

const Installation kInstallation = {.preload_path = "/lib/preload.so",
                                    .plugin_path = "/lib/torch.so",
                                    .python_dir = "/lib/python"};
const RunRequest kRequest = {
    .fast = "40%", .slow = "file:/tmp", .policy = "lru", .hints = true};
const JobWiring kWiring = {.run_id = "run-1",
                           .agent_socket = "/tmp/agent.sock",
                           .report_dir = "/tmp/reports"};

std::vector<std::string> EnvironmentFrom(const std::vector<std::string>& base) {
  return JobEnvironment(base, kInstallation, kRequest, kWiring);
}

TEST(JobEnvironmentTest, TellsTheJobAllItNeeds) {
  const std::vector<std::string> environment = EnvironmentFrom({"HOME=/root"});
  for (const char* entry :
       {"HOME=/root", "LD_PRELOAD=/lib/preload.so",
        "STOWAGE_PLUGIN=/lib/torch.so", "STOWAGE_PYTHON=/lib/python",
        "STOWAGE_AGENT=/tmp/agent.sock", "STOWAGE_RUN_ID=run-1",
        "STOWAGE_REPORT_DIR=/tmp/reports", "STOWAGE_FAST=40%",
        "STOWAGE_SLOW=file:/tmp", "STOWAGE_POLICY=lru", "STOWAGE_HINTS=1"}) {
    EXPECT_THAT(environment, Contains(entry));
  }
}

TEST(JobEnvironmentTest, NamesTheLogOfStepsForAnyDirectory) {
  const auto log_of = [](const std::string& path) {
    RunRequest request = kRequest;
    request.step_log_path = path;
    return JobEnvironment({}, kInstallation, request, kWiring);
  };
  EXPECT_THAT(log_of("-"), Contains("STOWAGE_STEP_LOG=-"));
  EXPECT_THAT(log_of("/tmp/steps"), Contains("STOWAGE_STEP_LOG=/tmp/steps"));
  const std::string here = std::filesystem::current_path();
  EXPECT_THAT(log_of("steps"), Contains("STOWAGE_STEP_LOG=" + here + "/steps"));
}

TEST(JobEnvironmentTest, KeepsWhatTheUserPreloads) {
  EXPECT_THAT(EnvironmentFrom({"LD_PRELOAD=/lib/jemalloc.so"}),
              Contains("LD_PRELOAD=/lib/preload.so:/lib/jemalloc.so"));
  EXPECT_THAT(EnvironmentFrom({"LD_PRELOAD="}),
              Contains("LD_PRELOAD=/lib/preload.so"));
}

TEST(JobEnvironmentTest, PreloadsALibraryOnce) {
  EXPECT_EQ(WithPreload("/lib/a.so", ""), "/lib/a.so");
  EXPECT_EQ(WithPreload("/lib/a.so", "/lib/b.so"), "/lib/a.so:/lib/b.so");
  EXPECT_EQ(WithPreload("/lib/a.so", "/lib/libasan.so.8:/lib/b.so"),
            "/lib/libasan.so.8:/lib/a.so:/lib/b.so");
  EXPECT_EQ(WithPreload("/lib/a.so", "/lib/b.so /lib/a.so"),
            "/lib/b.so /lib/a.so");
}

TEST(JobEnvironmentTest, ReplacesVariablesOfAnOuterRun) {
  const std::vector<std::string> environment =
      EnvironmentFrom({"STOWAGE_FAST=10%", "STOWAGE_FASTER=yes"});
  EXPECT_THAT(environment, Not(Contains("STOWAGE_FAST=10%")));
  EXPECT_THAT(environment, Contains("STOWAGE_FASTER=yes"));
}

}  // namespace
}  // namespace stowage::cli
