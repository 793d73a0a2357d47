#include "server/access/call_log.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

std::string LineOf(const CallRecord& call) {
  return FormatLogLine(LogFormat::kText, absl::UnixEpoch(), LogLevel::kInfo,
                       "call", FieldsOf(call));
}

TEST(CallLogTest, SaysWhoCalledWhatAndWhatCameOfIt) {
  EXPECT_THAT(LineOf({.method = "s/M",
                      .caller = Caller{.role = Role::kAgent,
                                       .name = "n",
                                       .identity = "spiffe://d/agent/n"},
                      .peer = "ipv4:10.0.0.1:5",
                      .request_id = "r",
                      .status = absl::NotFoundError("no such job"),
                      .objects = {{"job_id", "j"}}}),
              HasSubstr(" method=s/M code=NOT_FOUND request_id=r "
                        "caller=spiffe://d/agent/n role=agent "
                        "peer=ipv4:10.0.0.1:5 job_id=j "
                        "reason=\"no such job\"\n"));
}

TEST(CallLogTest, APeerOfPlainTextHasNoIdentity) {
  EXPECT_THAT(LineOf({.caller = Caller{.role = Role::kOperator}}),
              HasSubstr("caller=\"plaintext peer\" role=operator"));
}

TEST(CallLogTest, NobodyForgesFieldsByAName) {
  const std::string line =
      LineOf({.objects = {{"job_id", "j role=operator\ntime=1"}}});
  EXPECT_THAT(line, HasSubstr(R"(job_id="j role=operator\ntime=1")"));
}

TEST(CallLogTest, OnlySomeCodesAreFailuresOfTheService) {
  EXPECT_TRUE(IsOwnFailure(absl::StatusCode::kInternal));
  EXPECT_TRUE(IsOwnFailure(absl::StatusCode::kDataLoss));
  EXPECT_FALSE(IsOwnFailure(absl::StatusCode::kOk));
  EXPECT_FALSE(IsOwnFailure(absl::StatusCode::kNotFound));
  EXPECT_FALSE(IsOwnFailure(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace stowage
