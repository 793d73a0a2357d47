#include "server/access/stream_shares.h"

#include <string>

#include "gmock/gmock.h"

namespace stowage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(StreamSharesTest, RefusesTheStreamBeyondTheLimitAndSaysWhose) {
  StreamShares shares(2);
  const auto first = shares.Take("a");
  const auto second = shares.Take("a");
  ASSERT_TRUE(first.ok() && second.ok());
  const absl::Status third = shares.Take("a").status();
  EXPECT_TRUE(absl::IsResourceExhausted(third));
  EXPECT_THAT(
      std::string(third.message()),
      AllOf(HasSubstr("'a' has 2 streams open"), HasSubstr("may have 2")));
  EXPECT_TRUE(shares.Take("b").ok());
}

TEST(StreamSharesTest, AShareThatIsGivenBackMayBeTakenAgain) {
  StreamShares shares(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(shares.Take("a").ok());
}

TEST(StreamSharesTest, CopiesOfAShareAreOneStream) {
  StreamShares shares(1);
  auto share = shares.Take("a");
  const StreamShares::Share copy = *share;
  share->reset();
  EXPECT_FALSE(shares.Take("a").ok());
}

TEST(StreamSharesTest, AnotherLimitCountsForStreamsFromThenOn) {
  StreamShares shares(0);
  const auto first = shares.Take("a");
  const auto second = shares.Take("a");
  EXPECT_TRUE(first.ok() && second.ok());
  shares.SetLimit(2);
  EXPECT_FALSE(shares.Take("a").ok());
  shares.SetLimit(3);
  EXPECT_TRUE(shares.Take("a").ok());
}

}  // namespace
}  // namespace stowage
