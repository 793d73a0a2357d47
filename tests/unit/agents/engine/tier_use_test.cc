#include "agents/engine/tier_use.h"

#include <unistd.h>

#include <string>

#include "agents/engine/tier_catalog.h"
#include "client_sdk/session/session.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

TierRoom RoomIn(const std::string& spec) {
  TierCatalog catalog("node", "dram");
  return *(*catalog.Slow(spec))->MakeRoom(0);
}

void WritePage(const TierRoom& room, int64_t offset_bytes) {
  const std::string page(session::kPageBytes, 'x');
  ASSERT_EQ(pwrite(room.arena->fd(), page.data(), page.size(), offset_bytes),
            static_cast<ssize_t>(page.size()));
}

TEST(TierUseTest, RoomIsTakenWhenItIsWritten) {
  const TierRoom room = RoomIn("emulated:cxl,size=64MiB");
  const TierUse before = UseOf(room);
  EXPECT_EQ(before.place, (TierPlace{"emulated-cxl", "emulated cxl"}));
  EXPECT_EQ(before.capacity_bytes, 64 << 20);
  EXPECT_EQ(before.used_bytes, 0);
  WritePage(room, 0);
  WritePage(room, 32 << 20);
  WritePage(room, 0);
  EXPECT_GE(UseOf(room).used_bytes, 2 * session::kPageBytes);
  // In huge pages at most.
  EXPECT_LE(UseOf(room).used_bytes, 4 << 20);
}

TEST(TierUseTest, AFileIsOnItsDevice) {
  const TempDirectory directory;
  const TierUse use = UseOf(RoomIn("file:" + directory.path() + ",size=64MiB"));
  EXPECT_EQ(use.place.tier, "file");
  EXPECT_EQ(use.place.medium.rfind("device ", 0), 0);
  EXPECT_LT(use.used_bytes, 64 << 20);
}

}  // namespace
}  // namespace stowage::agent
