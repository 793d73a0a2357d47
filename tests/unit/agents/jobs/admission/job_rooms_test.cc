#include "agents/jobs/admission/job_rooms.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "agents/engine/tier_catalog.h"
#include "agents/tiers/owned_fd.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

using testing::HasSubstr;

class JobRoomsTest : public testing::Test {
 protected:
  absl::StatusOr<JobRooms> RoomsFor(int64_t address_bytes,
                                    const std::string& slow = "emulated:cxl",
                                    std::vector<OwnedFd> left = {}) {
    return MakeRooms({.slow = slow, .address_bytes = address_bytes},
                     std::move(left), {}, &catalog_, nullptr);
  }
  static int64_t Bytes(const JobRooms& rooms, size_t tier) {
    return rooms.rooms[tier].arena->capacity_bytes();
  }

 private:
  TierCatalog catalog_{"node", "dram"};
};

TEST_F(JobRoomsTest, FitWhatTheProcessMayMap) {
  const auto rooms = RoomsFor((512 + 64) * kMiB);
  ASSERT_TRUE(rooms.ok()) << rooms.status();
  EXPECT_EQ(Bytes(*rooms, 0), 16 * kMiB);
  EXPECT_EQ(Bytes(*rooms, 1), 32 * kMiB);
}

TEST_F(JobRoomsTest, AreNoLargerThanTheTierForThat) {
  const auto rooms = RoomsFor((512 + 64) * kMiB, "emulated:cxl,size=8MiB");
  ASSERT_TRUE(rooms.ok()) << rooms.status();
  EXPECT_EQ(Bytes(*rooms, 1), 8 * kMiB);
}

TEST_F(JobRoomsTest, HaveTheTiersSizesWhereAddressesHaveNoLimit) {
  const auto rooms = RoomsFor(0, "emulated:cxl,size=640MiB");
  ASSERT_TRUE(rooms.ok()) << rooms.status();
  EXPECT_GT(Bytes(*rooms, 0), 64 * kMiB);
  EXPECT_EQ(Bytes(*rooms, 1), 640 * kMiB);
}

TEST_F(JobRoomsTest, AProcessThatMayMapTooLittleIsRefused) {
  const absl::Status refused = RoomsFor(512 * kMiB).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.message(), HasSubstr("ulimit -v"));
}

TEST_F(JobRoomsTest, OneThatComesBackHasMappedItsArenas) {
  const auto first = RoomsFor(0, "emulated:cxl,size=8MiB");
  ASSERT_TRUE(first.ok()) << first.status();
  std::vector<OwnedFd> left;
  for (const TierRoom& room : first->rooms) {
    left.emplace_back(dup(room.arena->fd()));
  }
  const auto again = RoomsFor(kMiB, "emulated:cxl,size=8MiB", std::move(left));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Bytes(*again, 0), Bytes(*first, 0));
}

}  // namespace
}  // namespace stowage::agent
