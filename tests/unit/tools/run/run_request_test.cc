#include "tools/stowage/run/run_request.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::cli {
namespace {

using ::testing::HasSubstr;

std::string RequestErrorOf(const RunRequest& request) {
  const absl::Status status = CheckRunRequest(request);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(RunRequestTest, AcceptsEveryFormOfALimit) {
  for (const char* fast :
       {"unlimited", "40%", "900MiB", "1.5GB", "0.4", "4194304", "auto"}) {
    EXPECT_TRUE(CheckRunRequest({.fast = fast, .command = {"true"}}).ok())
        << fast;
  }
}

TEST(RunRequestTest, RefusesALimitThatIsNone) {
  for (const char* fast : {"0", "-1", "0%", "140%", "40 %", "lots", "1XB"}) {
    EXPECT_THAT(RequestErrorOf({.fast = fast, .command = {"true"}}),
                HasSubstr(fast));
  }
}

TEST(RunRequestTest, ASlowdownIsForALimitThatIsFound) {
  EXPECT_EQ(FastOf({.fast = "auto"}), "auto");
  const RunRequest request = {
      .fast = "auto", .slowdown = "10%", .command = {"true"}};
  EXPECT_TRUE(CheckRunRequest(request).ok());
  EXPECT_EQ(FastOf(request), "auto:10%");
  EXPECT_THAT(
      RequestErrorOf({.fast = "40%", .slowdown = "10%", .command = {"true"}}),
      HasSubstr("--fast auto"));
  EXPECT_THAT(
      RequestErrorOf({.fast = "auto", .slowdown = "much", .command = {"true"}}),
      HasSubstr("--slowdown 'much'"));
}

TEST(RunRequestTest, AsksWhetherPercentWereMeant) {
  EXPECT_THAT(RequestErrorOf({.fast = "40", .command = {"true"}}),
              HasSubstr("did you mean 40%?"));
}

TEST(RunRequestTest, RefusesAPolicyThatItsOwnServiceDoesNotKnow) {
  EXPECT_THAT(RequestErrorOf({.policy = "stowe", .command = {"true"}}),
              HasSubstr("--policy: there is no policy 'stowe'"));
  for (const char* policy : {"", "annealed-search", "lru", "deeptm"}) {
    EXPECT_TRUE(CheckRunRequest({.policy = policy, .command = {"true"}}).ok())
        << policy;
  }
}

TEST(RunRequestTest, LeavesPoliciesToAServiceThatWasThereBefore) {
  EXPECT_TRUE(CheckRunRequest({.policy = "theirs",
                               .service_address = "host:7420",
                               .command = {"true"}})
                  .ok());
  EXPECT_TRUE(CheckRunRequest({.policy = "theirs",
                               .agent_socket = "/run/agent.sock",
                               .command = {"true"}})
                  .ok());
}

TEST(RunRequestTest, AsksForTheCommandAfterTheDashes) {
  EXPECT_THAT(RequestErrorOf({}), HasSubstr("'--'"));
}

TEST(RunRequestTest, RefusesAPictureOfAnotherKind) {
  EXPECT_THAT(RequestErrorOf({.plot_path = "step.pdf", .command = {"true"}}),
              HasSubstr(".svg or .png"));
}

TEST(RunRequestTest, RefusesAPictureOfAnAgentThatIsNotItsOwn) {
  EXPECT_THAT(RequestErrorOf({.agent_socket = "/run/agent.sock",
                              .plot_path = "step.svg",
                              .command = {"true"}}),
              HasSubstr("--agent"));
}

TEST(RunRequestTest, RefusesALowerBoundForAnAgentThatIsNotItsOwn) {
  EXPECT_THAT(RequestErrorOf({.agent_socket = "/run/agent.sock",
                              .lower_bound = true,
                              .command = {"true"}}),
              HasSubstr("--lower-bound is of what a private agent profiled"));
}

}  // namespace
}  // namespace stowage::cli
