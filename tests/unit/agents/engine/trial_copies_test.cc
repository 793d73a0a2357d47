#include "agents/engine/trial_copies.h"

#include <iostream>
#include <string>

#include "absl/strings/match.h"
#include "agents/tiers/tier_spec.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/small_disk.h"

namespace stowage::agent {
namespace {

TEST(TrialCopiesTest, RoundsToTwoDigits) {
  EXPECT_EQ(RoundToTwoDigits(0), 0);
  EXPECT_EQ(RoundToTwoDigits(7), 7);
  EXPECT_EQ(RoundToTwoDigits(99), 99);
  EXPECT_EQ(RoundToTwoDigits(1249), 1200);
  EXPECT_EQ(RoundToTwoDigits(1250), 1300);
  EXPECT_EQ(RoundToTwoDigits(19'870'000'000), 20'000'000'000);
}

TEST(TrialCopiesTest, BandwidthIsAtLeastAByteASecond) {
  EXPECT_EQ(BytesPerSecond(4096, 1'000), 4'100'000'000);
  EXPECT_EQ(BytesPerSecond(1, 5'000'000'000), 1);
}

TEST(TrialCopiesTest, SayWhatToDoWhereTheDiskIsFull) {
  const auto says_so = [](const std::string& path) {
    const auto fast = MakeTierProvider(*ParseTierSpec("dram"));
    const auto slow = MakeTierProvider(*ParseTierSpec("file:" + path));
    if (!fast.ok() || !slow.ok()) return false;
    const absl::Status status =
        MakeTrialRooms(**fast, **slow, {.buffer_bytes = {1 << 20}}).status();
    std::cerr << status << "\n";
    return absl::IsResourceExhausted(status) &&
           absl::StrContains(status.message(), "free some space");
  };
  const SmallDiskResult result = OnSmallDisk(1 << 20, says_so);
  if (result == SmallDiskResult::kNone) GTEST_SKIP() << "it may not mount";
  EXPECT_EQ(result, SmallDiskResult::kTrue);
}

}  // namespace
}  // namespace stowage::agent
