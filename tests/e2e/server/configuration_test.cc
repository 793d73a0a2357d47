// Shows how stowaged is told what to do, and what it says when that is wrong.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(StowagedConfigurationTest, KeepsItsDatabaseInTheStateDirectoryByDefault) {
  TemporaryDirectory home;
  auto server = StowagedProcess::Bare(
      {"--listen=127.0.0.1:0", "--metrics-address="}, {"HOME=" + home.path()});
  ASSERT_TRUE(server->WaitReady()) << server->output();
  EXPECT_TRUE(std::filesystem::exists(home.path() +
                                      "/.local/state/stowage/stowaged.db"));
}

TEST(StowagedConfigurationTest, FlagsWinOverTheEnvironment) {
  auto server = StowagedProcess::Bare(
      {"--check-config", "--listen=127.0.0.1:2"},
      {"STOWAGE_LISTEN=127.0.0.1:1", "STOWAGE_METRICS_ADDRESS=127.0.0.1:3",
       "STOWAGE_DB=:memory:"});
  EXPECT_EQ(server->Wait(), 0);
  EXPECT_THAT(server->output(),
              HasSubstr("listen = \"127.0.0.1:2\"  # flag\n"));
  EXPECT_THAT(server->output(),
              HasSubstr("metrics-address = \"127.0.0.1:3\"  # "
                        "STOWAGE_METRICS_ADDRESS\n"));
}

TEST(StowagedConfigurationTest, RefusesWhatItDoesNotUnderstand) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--no-such-flag=1", "unknown flag '--no-such-flag=1'"},
      {"argument", "unexpected argument 'argument'"},
      {"--listen=", "--listen is empty"},
      {"--heartbeat-interval=0s", "--heartbeat-interval is 0"},
      {"--heartbeat-interval=often",
       "--heartbeat-interval is often; name 1ms to 1h"},
      {"--grace-period=1s", "--grace-period is 1s; name 2s to 1h"},
      {"--drain-timeout=-1s", "--drain-timeout is -1s"},
  };
  for (const auto& [argument, message] : cases) {
    StowagedProcess server({argument});
    EXPECT_EQ(server.Wait(), 1) << argument;
    EXPECT_THAT(server.output(), HasSubstr(message));
  }
}

TEST(StowagedConfigurationTest, AFileGivesWayToTheEnvironmentAndFlags) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/stowaged.conf";
  std::ofstream(path) << "listen = \"127.0.0.1:1\"\n"
                      << "metrics-address = \"127.0.0.1:1\"\n"
                      << "planning-waiting = 7\n";
  auto server = StowagedProcess::Bare(
      {"--check-config", "--listen=127.0.0.1:2", "--db=:memory:"},
      {"STOWAGE_CONFIG=" + path, "STOWAGE_METRICS_ADDRESS=127.0.0.1:3"});
  EXPECT_EQ(server->Wait(), 0);
  EXPECT_THAT(server->output(), HasSubstr("listen = \"127.0.0.1:2\"  # flag"));
  EXPECT_THAT(server->output(), HasSubstr("metrics-address = \"127.0.0.1:3\""));
  EXPECT_THAT(server->output(), HasSubstr("planning-waiting = 7  # " + path));
}

TEST(StowagedConfigurationTest, SaysWhatIsWrongInAFile) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/stowaged.conf";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"bogus = 1", path + ": bogus is unknown"},
      {"training-nice = 20", "training-nice in " + path + " is 20; name 0 to"},
      {"listen = \"\"", "listen in " + path + " is empty"},
      {"roles = \"chef=x\"", "roles in " + path + ": 'chef=x' is no rule"},
  };
  for (const auto& [text, message] : cases) {
    std::ofstream(path) << text << "\n";
    auto server =
        StowagedProcess::Bare({"--config", path}, {"STOWAGE_DB=:memory:"});
    EXPECT_EQ(server->Wait(), 1) << text;
    EXPECT_THAT(server->output(), HasSubstr(message));
  }
}

TEST(StowagedConfigurationTest, TakesWhatItPrintsAndTheExampleOfItsReference) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/printed.conf";
  const std::string example =
      std::string(STOWAGE_SOURCE_DIR) + "/docs/examples/stowaged.conf";
  StowagedProcess first({"--check-config", "--config=" + example});
  ASSERT_EQ(first.Wait(), 0) << first.output();
  std::ofstream(path) << first.output();
  auto second =
      StowagedProcess::Bare({"--check-config", "--config=" + path}, {});
  EXPECT_EQ(second->Wait(), 0) << second->output();
  EXPECT_THAT(second->output(), HasSubstr("planning-time = \"5m\"  # " + path));
}

TEST(StowagedConfigurationTest, ListensInPlainTextElsewhereOnlyWhenForced) {
  for (const std::string& address :
       {std::string("0.0.0.0:0"), std::string("[::]:0"), std::string(":0"),
        std::string("ipv4:0.0.0.0:0"), std::string("192.0.2.1:0")}) {
    const std::string listen = "--listen=" + address;
    StowagedProcess server({listen});
    EXPECT_EQ(server.Wait(), 1) << address;
    EXPECT_THAT(server.output(), HasSubstr("--allow-plaintext"));
    StowagedProcess forced({listen, "--allow-plaintext", "--check-config"});
    EXPECT_EQ(forced.Wait(), 0) << address;
  }
  StowagedProcess forced({"--listen=0.0.0.0:0", "--allow-plaintext"});
  EXPECT_TRUE(forced.WaitReady()) << forced.output();
}

TEST(StowagedConfigurationTest, ListensAtNamesAndAddressesOfTheLoopback) {
  for (const std::string& address :
       {std::string("localhost:0"), std::string("127.0.0.2:0")}) {
    StowagedProcess server({"--listen=" + address});
    EXPECT_TRUE(server.WaitReady()) << server.output();
  }
}

TEST(StowagedConfigurationTest, RefusesAMalformedEnvironmentVariable) {
  StowagedProcess server({}, {"STOWAGE_REFLECTION=perhaps"});
  EXPECT_EQ(server.Wait(), 1);
  EXPECT_THAT(server.output(), HasSubstr("STOWAGE_REFLECTION"));
}

TEST(StowagedConfigurationTest, HelpNamesFlagsAndVariables) {
  StowagedProcess server({"--help"});
  EXPECT_EQ(server.Wait(), 0);
  EXPECT_THAT(server.output(), HasSubstr("--metrics-address"));
  EXPECT_THAT(server.output(), HasSubstr("STOWAGE_METRICS_ADDRESS"));
}

TEST(StowagedConfigurationTest, VersionIsOneLine) {
  StowagedProcess server({"--version"});
  EXPECT_EQ(server.Wait(), 0);
  EXPECT_THAT(server.output(), StartsWith("stowaged "));
}

TEST(StowagedConfigurationTest, RefusesACorruptDatabase) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/a.db";
  std::ofstream(path) << std::string(8192, 'x');
  StowagedProcess server({"--db=" + path});
  EXPECT_EQ(server.Wait(), 2);
  EXPECT_THAT(server.output(), HasSubstr(path));
  EXPECT_THAT(server.output(), HasSubstr("restore the database"));
}

TEST(StowagedConfigurationTest, RefusesAddressesThatAreTaken) {
  StowagedProcess first;
  ASSERT_TRUE(first.WaitReady()) << first.output();
  StowagedProcess same_grpc({"--listen=" + first.grpc_address()});
  EXPECT_EQ(same_grpc.Wait(), 3);
  EXPECT_THAT(same_grpc.output(), HasSubstr(first.grpc_address()));
  StowagedProcess same_metrics(
      {"--metrics-address=" + first.metrics_address()});
  EXPECT_EQ(same_metrics.Wait(), 3);
  EXPECT_THAT(same_metrics.output(), HasSubstr("--metrics-address"));
}

TEST(StowagedConfigurationTest, ListensAtAUnixSocketWithoutMetrics) {
  TemporaryDirectory directory;
  const std::string address = "unix:" + directory.path() + "/stowaged.sock";
  StowagedProcess server({"--listen", address, "--metrics-address="});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  EXPECT_EQ(server.grpc_address(), address);
  EXPECT_THAT(server.metrics_address(), IsEmpty());
  EXPECT_TRUE(server.Connect()->ListGraphs().ok());
}

}  // namespace
}  // namespace stowage
