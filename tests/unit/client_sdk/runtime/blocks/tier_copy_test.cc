#include "client_sdk/runtime/blocks/tier_copy.h"

#include <errno.h>
#include <string.h>

#include <vector>

#include "client_sdk/session/clock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kCopyBytes = 5 * kPage;

void Fill(char* memory, char first) {
  for (int64_t i = 0; i < kCopyBytes; ++i) memory[i] = first + i % 59;
}

// Runs with memory and with a file as the slow tier.
class TierCopyTest : public testing::TestWithParam<bool> {
 protected:
  FakeAgent agent_{{.slow_is_file = GetParam()}};
  const std::vector<MappedTier>& tiers_ = agent_.tiers();
};

TEST_P(TierCopyTest, BringsBackWhatItTookOut) {
  char* fast = tiers_[0].base;
  Fill(fast, 'A');
  ASSERT_EQ(CopyBetweenTiers(tiers_, {0, 0}, {1, 3 * kPage}, kCopyBytes), 0);
  ASSERT_EQ(
      CopyBetweenTiers(tiers_, {1, 3 * kPage}, {0, 8 * kPage}, kCopyBytes), 0);
  EXPECT_EQ(memcmp(fast + 8 * kPage, fast, kCopyBytes), 0);
  EXPECT_EQ(fast[8 * kPage + kCopyBytes], 0);
}

TEST_P(TierCopyTest, CopiesWithinTheFastTier) {
  char* fast = tiers_[0].base;
  Fill(fast, 'B');
  ASSERT_EQ(CopyBetweenTiers(tiers_, {0, 0}, {0, 16 * kPage}, kCopyBytes), 0);
  EXPECT_EQ(memcmp(fast + 16 * kPage, fast, kCopyBytes), 0);
}

INSTANTIATE_TEST_SUITE_P(SlowTiers, TierCopyTest, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "File" : "Memory";
                         });

TEST(TierCopyErrorTest, ReadingBeyondTheFileIsAnInputOutputError) {
  FakeAgent agent({});
  const std::vector<MappedTier>& tiers = agent.tiers();
  const int64_t end = tiers[1].info.capacity_bytes;
  EXPECT_EQ(CopyBetweenTiers(tiers, {1, end - kPage}, {0, 0}, 2 * kPage), EIO);
}

TEST(TierCopyErrorTest, AFileThatCannotBeWrittenIsReported) {
  FakeAgent agent({});
  std::vector<MappedTier> tiers = agent.tiers();
  tiers[1].fd = -1;
  EXPECT_EQ(CopyBetweenTiers(tiers, {0, 0}, {1, 0}, kPage), EBADF);
}

TEST(EmulatedTierTest, ACopyTakesAsLongAsTheMediumWould) {
  constexpr int64_t kPsPerByte = 1'000'000;  // a page takes 4.1 ms
  FakeAgent agent(
      {.slow_is_file = false, .copy_to_slow_ps_per_byte = kPsPerByte});
  const int64_t begin_ns = session::NowNs();
  ASSERT_EQ(CopyBetweenTiers(agent.tiers(), {0, 0}, {1, 0}, kPage), 0);
  EXPECT_GE(session::NowNs() - begin_ns, kPage * kPsPerByte / 1000);
}

TEST(SpendNsTest, NeverReturnsEarly) {
  for (int64_t duration_ns : {-1, 0, 1'000, 50'000, 300'000}) {
    const int64_t begin_ns = session::NowNs();
    SpendNs(duration_ns);
    EXPECT_GE(session::NowNs() - begin_ns, duration_ns);
  }
}

}  // namespace
}  // namespace stowage::runtime
