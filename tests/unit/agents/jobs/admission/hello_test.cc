#include "agents/jobs/admission/hello.h"

#include <cstring>
#include <string>

#include "agents/jobs/records/fixed_text.h"
#include "client_sdk/session/session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

const JobDefaults kDefaults{.fast = "40%", .slow = "file:/tmp", .policy = "p"};

session::Hello ValidHello() {
  session::Hello hello{};
  hello.magic = session::kMagic;
  hello.version = session::kVersion;
  hello.reserved = 1;  // the pid that older plug-ins claimed
  SetText(hello.run_id, "run-1.a_b");
  SetText(hello.command, "python3 train.py");
  return hello;
}

absl::StatusOr<JobRequest> Parse(const session::Hello& hello) {
  return ParseHello({reinterpret_cast<const char*>(&hello), sizeof(hello)},
                    {.pid = 42}, kDefaults);
}

std::string Message(const absl::StatusOr<JobRequest>& request) {
  return std::string(request.status().message());
}

TEST(HelloTest, TakesTheDefaultsForWhatIsEmpty) {
  const auto request = Parse(ValidHello());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->peer.pid, 42);
  EXPECT_EQ(request->run_id, "run-1.a_b");
  EXPECT_EQ(request->command, "python3 train.py");
  EXPECT_EQ(request->fast_limit, session::Limit{.fraction = 0.4});
  EXPECT_EQ(request->slow, "file:/tmp");
  EXPECT_EQ(request->policy, "p");
  EXPECT_FALSE(request->wants_hints);
}

TEST(HelloTest, PrefersWhatTheJobAsksFor) {
  session::Hello hello = ValidHello();
  SetText(hello.fast, "900MiB");
  SetText(hello.slow, "emulated:cxl");
  SetText(hello.policy, "belady");
  hello.wants_hints = 1;
  const auto request = Parse(hello);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->fast_limit, session::Limit{.bytes = int64_t{900} << 20});
  EXPECT_EQ(request->slow, "emulated:cxl");
  EXPECT_EQ(request->policy, "belady");
  EXPECT_TRUE(request->wants_hints);
}

TEST(HelloTest, KnowsHowManyRanksTrainOnTheHost) {
  session::Hello hello = ValidHello();
  EXPECT_EQ(Parse(hello)->local_ranks, 1);
  hello.local_ranks = 2;
  EXPECT_EQ(Parse(hello)->local_ranks, 2);
  hello.local_ranks = -1;
  EXPECT_EQ(Parse(hello)->local_ranks, 1);
  hello.local_ranks = int64_t{1} << 40;
  EXPECT_EQ(Parse(hello)->local_ranks, 1024);
}

TEST(HelloTest, KnowsHowMuchTheProcessMayMap) {
  session::Hello hello = ValidHello();
  EXPECT_EQ(Parse(hello)->address_bytes, 0);
  hello.address_bytes = int64_t{1} << 33;
  EXPECT_EQ(Parse(hello)->address_bytes, int64_t{1} << 33);
  hello.address_bytes = -1;
  EXPECT_EQ(Parse(hello)->address_bytes, 0);
}

TEST(HelloTest, TakesALimitForTheHostIfTheAgentHoldsIt) {
  session::Hello hello = ValidHello();
  SetText(hello.fast, "8GiB/host");
  EXPECT_THAT(Message(Parse(hello)), HasSubstr("LOCAL_WORLD_SIZE"));
  const auto parse = [&hello](int64_t total_bytes) {
    return ParseHello({reinterpret_cast<const char*>(&hello), sizeof(hello)},
                      {.pid = 42}, {.fast_total_bytes = total_bytes});
  };
  EXPECT_TRUE(parse(int64_t{8} << 30)->fast_limit.unlimited());
  EXPECT_FALSE(parse((int64_t{8} << 30) + 1).ok());
}

TEST(HelloTest, RefusesAnotherVersionAndSaysWhatToInstall) {
  session::Hello hello = ValidHello();
  hello.version = 99;
  EXPECT_THAT(Message(Parse(hello)), HasSubstr("version 99"));
  EXPECT_THAT(Message(Parse(hello)), HasSubstr("same release"));
}

TEST(HelloTest, RefusesMessagesOfAnotherSize) {
  const session::Hello hello = ValidHello();
  const std::string bytes(reinterpret_cast<const char*>(&hello), sizeof(hello));
  for (const std::string& text :
       {std::string(), std::string("GET / HTTP/1.1"),
        bytes.substr(0, bytes.size() - 1), bytes + "x"}) {
    EXPECT_TRUE(
        absl::IsInvalidArgument(ParseHello(text, {}, kDefaults).status()));
  }
}

TEST(HelloTest, RefusesAStringWithoutAnEnd) {
  session::Hello hello = ValidHello();
  std::memset(hello.slow, 'x', sizeof(hello.slow));
  EXPECT_THAT(Message(Parse(hello)), HasSubstr("without an end"));
}

TEST(HelloTest, RefusesRunIdsThatLeaveTheReportDirectory) {
  for (const char* run_id : {"../x", "a/b", ".hidden", "a b", "a\nb"}) {
    session::Hello hello = ValidHello();
    SetText(hello.run_id, run_id);
    EXPECT_THAT(Message(Parse(hello)), HasSubstr("run id")) << run_id;
  }
}

TEST(HelloTest, RefusesALimitThatIsNone) {
  session::Hello hello = ValidHello();
  SetText(hello.fast, "much");
  EXPECT_THAT(Message(Parse(hello)), HasSubstr("'much'"));
}

}  // namespace
}  // namespace stowage::agent
