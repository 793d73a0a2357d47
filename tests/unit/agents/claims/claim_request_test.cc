#include "agents/claims/claim_request.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "agents/jobs/records/fixed_text.h"
#include "client_sdk/session/session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

using testing::HasSubstr;

session::ClaimRequest Request(session::ClaimAction action) {
  session::ClaimRequest request{};
  request.magic = session::kClaimMagic;
  request.version = session::kVersion;
  request.action = action;
  SetText(request.name, "slurm-17");
  request.fast_bytes = 8;
  request.slow_bytes = 64;
  request.uid = 1000;
  return request;
}

absl::StatusOr<ClaimWish> Parse(const session::ClaimRequest& request) {
  return ParseClaimRequest(absl::string_view(
      reinterpret_cast<const char*>(&request), sizeof(request)));
}

TEST(ClaimRequestTest, ReadsWhatIsToBeOpened) {
  const absl::StatusOr<ClaimWish> wish = Parse(Request(session::kClaimOpen));
  ASSERT_TRUE(wish.ok()) << wish.status();
  EXPECT_EQ(wish->action, session::kClaimOpen);
  EXPECT_EQ(wish->claim.id, "slurm-17");
  EXPECT_EQ(wish->claim.owner, "claim 'slurm-17'");
  EXPECT_EQ(wish->claim.fast_bytes, 8);
  EXPECT_EQ(wish->claim.slow_bytes, 64);
  EXPECT_EQ(wish->claim.user, 1000);
}

TEST(ClaimRequestTest, NeedsNoAmountsToClose) {
  session::ClaimRequest request = Request(session::kClaimClose);
  request.fast_bytes = 0;
  EXPECT_TRUE(Parse(request).ok());
}

TEST(ClaimRequestTest, RefusesOtherReleases) {
  session::ClaimRequest request = Request(session::kClaimList);
  request.version += 1;
  EXPECT_THAT(Parse(request).status().message(), HasSubstr("same release"));
  EXPECT_THAT(ParseClaimRequest("short").status().message(),
              HasSubstr("same release"));
  request = Request(session::ClaimAction{});
  request.action = 99;
  EXPECT_THAT(Parse(request).status().message(), HasSubstr("same release"));
}

TEST(ClaimRequestTest, RefusesWhatMakesNoSense) {
  session::ClaimRequest request = Request(session::kClaimOpen);
  request.fast_bytes = 0;
  EXPECT_THAT(Parse(request).status().message(), HasSubstr("0 bytes of fast"));
  request = Request(session::kClaimOpen);
  request.slow_bytes = -1;
  EXPECT_THAT(Parse(request).status().message(), HasSubstr("of slow memory"));
  request = Request(session::kClaimOpen);
  request.uid = -1;
  EXPECT_THAT(Parse(request).status().message(), HasSubstr("no user"));
  request = Request(session::kClaimClose);
  std::fill(std::begin(request.name), std::end(request.name), 'x');
  EXPECT_THAT(Parse(request).status().message(), HasSubstr("no name"));
}

}  // namespace
}  // namespace stowage::agent
