#include "tools/stowage/run/private_services.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/stowage/inputs/input_file.h"
#include "tools/stowage/process/temp_directory.h"

namespace stowage::cli {
namespace {

using ::testing::HasSubstr;

// Replaces the two programs by shell scripts, which note their arguments and,
// if told to, that they are ready.
class PrivateServicesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::make_unique<TempDirectory>(*TempDirectory::Make());
    installation_.service_path = Script("service", kReady);
    installation_.agent_path = Script("agent", kReady);
  }

  std::string Script(const std::string& name, const std::string& body) {
    std::string path = directory_->path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\necho \"$@\" > " << path << ".args\n"
                        << body;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  std::string ArgumentsOf(const std::string& name) {
    return *ReadFile(directory_->path() + "/" + name + ".args");
  }

  absl::StatusOr<PrivateServices> Start(const ServicesOptions& options,
                                        absl::Duration timeout) {
    const std::string path = directory_->path() + "/run";
    std::filesystem::create_directory(path);
    return PrivateServices::Start(installation_, options, path, timeout);
  }

  static constexpr char kReady[] = R"(
trap 'exit 0' TERM
for a in "$@"; do
  case $a in
    --port-file=*|--ready-file=*)
      printf 'a\n127.0.0.1:9464\n' > "${a#*=}.new"
      mv "${a#*=}.new" "${a#*=}" ;;
  esac
done
while :; do
  [ ! -e "$0.end" ] || exit 7
  sleep 0.05
done
)";

  std::unique_ptr<TempDirectory> directory_;
  Installation installation_;
};

TEST_F(PrivateServicesTest, StartsAServiceAndAnAgentThatKnowsIt) {
  absl::StatusOr<PrivateServices> services =
      Start({.fast = "40%", .slow = "file:/tmp"}, absl::Seconds(20));
  ASSERT_TRUE(services.ok()) << services.status();
  EXPECT_THAT(ArgumentsOf("service"), HasSubstr("--db=:memory:"));
  const std::string agent = ArgumentsOf("agent");
  EXPECT_THAT(agent, HasSubstr("--fast=40%"));
  EXPECT_THAT(agent, HasSubstr("--slow=file:/tmp"));
  EXPECT_THAT(agent, HasSubstr("--service=" + services->service_address()));
  EXPECT_LT(services->agent_socket().size(), 108);
  services->Stop();
}

TEST_F(PrivateServicesTest, UsesTheServiceThatIsNamed) {
  absl::StatusOr<PrivateServices> services =
      Start({.service_address = "host:7420"}, absl::Seconds(20));
  ASSERT_TRUE(services.ok()) << services.status();
  EXPECT_THAT(ArgumentsOf("agent"), HasSubstr("--service=host:7420"));
  EXPECT_FALSE(ReadFile(directory_->path() + "/service.args").ok());
}

TEST_F(PrivateServicesTest, SaysWhatAnAgentWroteBeforeItEnded) {
  installation_.agent_path = Script(
      "agent", "echo 'slow tier file:/x: no such directory' >&2\nexit 3");
  const absl::Status status = Start({}, absl::Seconds(20)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ended with status 3"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no such directory"));
}

TEST_F(PrivateServicesTest, SaysWhenOneHasEnded) {
  absl::StatusOr<PrivateServices> services = Start({}, absl::Seconds(20));
  ASSERT_TRUE(services.ok()) << services.status();
  EXPECT_TRUE(services->CheckRunning().ok()) << services->CheckRunning();
  std::ofstream(directory_->path() + "/agent.end") << "now";
  absl::Status status = absl::OkStatus();
  while (status.ok()) status = services->CheckRunning();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ended with status 7"));
}

TEST_F(PrivateServicesTest, ServesMetricsWhereItIsAskedTo) {
  absl::StatusOr<PrivateServices> services =
      Start({.metrics_address = "127.0.0.1:0"}, absl::Seconds(20));
  ASSERT_TRUE(services.ok()) << services.status();
  EXPECT_THAT(ArgumentsOf("service"),
              HasSubstr("--metrics-address=127.0.0.1:0"));
  EXPECT_EQ(services->metrics_address(), "127.0.0.1:9464");
}

TEST_F(PrivateServicesTest, GivesUpOnAServiceThatIsNeverReady) {
  installation_.service_path = Script("service", "exec sleep 1000");
  const absl::Status status = Start({}, absl::Milliseconds(50)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("was not ready"));
}

}  // namespace
}  // namespace stowage::cli
