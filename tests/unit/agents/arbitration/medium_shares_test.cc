#include "agents/arbitration/medium_shares.h"

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

constexpr int64_t kMiB = 1 << 20;

class MediumSharesTest : public testing::Test {
 protected:
  // Lets the job make a copy while others are active or not.
  void Copy(JobKey job, int64_t bytes) {
    shares_.Begin(job);
    shares_.Charge(job, bytes);
    shares_.End(job);
  }

  static constexpr char kNames[3] = {};
  static constexpr JobKey kFirst = &kNames[0];
  static constexpr JobKey kSecond = &kNames[1];
  static constexpr JobKey kThird = &kNames[2];
  MediumShares shares_;
};

TEST_F(MediumSharesTest, AJobIsAheadByWhatItHasHadMoreThanTheLeast) {
  for (const JobKey job : {kFirst, kSecond, kThird}) shares_.Begin(job);
  shares_.Charge(kFirst, 5 * kMiB);
  shares_.Charge(kSecond, 2 * kMiB);
  shares_.Charge(kThird, 1 * kMiB);
  EXPECT_EQ(shares_.AheadBytes(kFirst), 4 * kMiB);
  EXPECT_EQ(shares_.AheadBytes(kSecond), 1 * kMiB);
  EXPECT_EQ(shares_.AheadBytes(kThird), 0);
}

TEST_F(MediumSharesTest, AJobThatIsNotActiveHoldsNobodyBack) {
  shares_.Begin(kFirst);
  Copy(kSecond, kMiB);
  shares_.Charge(kFirst, 100 * kMiB);
  EXPECT_EQ(shares_.AheadBytes(kFirst), 0);
}

TEST_F(MediumSharesTest, APauseBetweenTwoCopiesCostsAJobNothing) {
  shares_.Begin(kFirst);
  Copy(kSecond, kMiB);
  shares_.Charge(kFirst, 20 * kMiB);
  shares_.Begin(kSecond);
  EXPECT_EQ(shares_.AheadBytes(kFirst), 19 * kMiB);
}

TEST_F(MediumSharesTest, OfALongAbsenceAJobKeepsASmallClaim) {
  shares_.Begin(kFirst);
  Copy(kSecond, kMiB);
  shares_.Charge(kFirst, 5000 * kMiB);
  shares_.Begin(kSecond);
  EXPECT_EQ(shares_.AheadBytes(kFirst), kMostAheadBytes);
}

TEST_F(MediumSharesTest, AJobDoesNotLoseItsLeadByPausing) {
  shares_.Begin(kFirst);
  Copy(kSecond, 100 * kMiB);
  shares_.Charge(kFirst, 10 * kMiB);
  shares_.Begin(kSecond);
  EXPECT_EQ(shares_.AheadBytes(kSecond), 90 * kMiB);
}

TEST_F(MediumSharesTest, AllBeginAnewOnceNobodyCopies) {
  Copy(kFirst, 100 * kMiB);
  shares_.Begin(kFirst);
  shares_.Begin(kSecond);
  EXPECT_EQ(shares_.AheadBytes(kFirst), 0);
}

TEST_F(MediumSharesTest, CopiesOfOneJobInBothDirectionsCountTogether) {
  shares_.Begin(kSecond);
  shares_.Begin(kFirst);
  shares_.Begin(kFirst);
  shares_.Charge(kFirst, 2 * kMiB);
  shares_.End(kFirst);
  shares_.Charge(kFirst, 3 * kMiB);
  EXPECT_EQ(shares_.AheadBytes(kFirst), 5 * kMiB);
}

}  // namespace
}  // namespace stowage::agent
