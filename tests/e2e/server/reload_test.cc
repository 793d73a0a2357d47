// Shows what SIGHUP changes in a stowaged that runs, and what it does not.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

class ReloadTest : public testing::Test {
 protected:
  void WriteFile(const std::string& text) {
    std::ofstream(path_ + ".new") << text;
    std::filesystem::rename(path_ + ".new", path_);
  }

  // Returns what the server says of a plan that takes more memory than 1 MiB.
  static absl::Status AskForAPlan(const StowagedProcess& server) {
    const std::unique_ptr<Client> client = server.Connect({.max_attempts = 1});
    v1::RegisterGraphRequest registration;
    *registration.mutable_graph() = ChainGraph(2000);
    v1::MakePlanRequest request;
    request.set_graph_id(client->RegisterGraph(registration)->graph_id());
    request.set_system_name("optane");
    request.set_fast_limit_bytes(int64_t{1} << 30);
    request.set_policy("autotm-static");
    return client->MakePlan(request).status();
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/stowaged.conf";
};

TEST_F(ReloadTest, NewLimitsAreInUseAndSaidToBe) {
  WriteFile("planning-memory-mib = 4096\n");
  StowagedProcess server({"--config=" + path_});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  WriteFile("planning-memory-mib = 1\ndrift-threshold = 0.3\n");
  server.Signal(SIGHUP);
  ASSERT_TRUE(
      server.WaitForOutput("setting=drift-threshold before=0.2 after=0.3"));
  EXPECT_THAT(server.output(),
              HasSubstr("message=\"a setting has changed and is in use\" "
                        "setting=planning-memory-mib before=4096 after=1"));
  EXPECT_EQ(AskForAPlan(server).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ReloadTest, SaysWhatNeedsARestart) {
  WriteFile("");
  StowagedProcess server({"--config=" + path_});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  WriteFile("heartbeat-interval = 7s\n");
  server.Signal(SIGHUP);
  ASSERT_TRUE(server.WaitForOutput("needs a restart"));
  ASSERT_TRUE(server.WaitForOutput("setting=heartbeat-interval"));
  server.Signal(SIGHUP);
  EXPECT_TRUE(server.WaitForOutput("setting=heartbeat-interval"));
}

TEST_F(ReloadTest, ABrokenFileIsRefusedAndTheServiceGoesOn) {
  WriteFile("planning-memory-mib = 1\n");
  StowagedProcess server({"--config=" + path_});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  for (const std::string text :
       {"planning-memory-mib = 4096\nbogus = 1\n", "training-nice = 20\n"}) {
    WriteFile(text);
    server.Signal(SIGHUP);
    ASSERT_TRUE(server.WaitForOutput("the new configuration is refused"));
    ASSERT_TRUE(server.WaitForOutput(path_));
  }
  std::filesystem::remove(path_);
  server.Signal(SIGHUP);
  ASSERT_TRUE(server.WaitForOutput("cannot be read"));
  EXPECT_EQ(AskForAPlan(server).code(), absl::StatusCode::kFailedPrecondition);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), 0);
}

TEST_F(ReloadTest, TheFormOfLogLinesChanges) {
  WriteFile("log-format = text\n");
  StowagedProcess server({"--config=" + path_});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  WriteFile("log-format = json\n");
  server.Signal(SIGHUP);
  EXPECT_TRUE(server.WaitForOutput("\"setting\":\"log-format\""));
}

}  // namespace
}  // namespace stowage
