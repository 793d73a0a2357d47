#include "agents/engine/calibration.h"

#include <algorithm>
#include <memory>
#include <string>

#include "agents/engine/mover.h"
#include "agents/tiers/tier_spec.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

std::unique_ptr<TierProvider> Open(const std::string& spec) {
  return *MakeTierProvider(*ParseTierSpec(spec));
}

TEST(CalibrationTest, GivesAnEmulatedMediumItsOwnBandwidth) {
  const auto system =
      MeasureMemorySystem("node/1", *Open("dram"), *Open("emulated:optane"));
  ASSERT_TRUE(system.ok()) << system.status();
  EXPECT_EQ(system->name(), "node-1-emulated-optane");
  ASSERT_EQ(system->tiers_size(), 2);
  EXPECT_TRUE(system->tiers(0).addressable());
  EXPECT_TRUE(system->tiers(1).addressable());
  EXPECT_FALSE(system->tiers(1).streamable());
  ASSERT_EQ(system->copies_size(), 2);
  // 14.49 us a page are 283 MB/s, 5.57 us are 735 MB/s; to a thread, of which
  // the largest copies have several.
  const auto& out = system->copies(0);
  EXPECT_EQ(out.from_tier(), 0);
  EXPECT_LE(out.points(0).bytes_per_second(), 280'000'000);
  EXPECT_LE(out.points(3).bytes_per_second(),
            290'000'000 * std::min(8, HostCores()));
  const auto& in = system->copies(1);
  EXPECT_EQ(in.to_tier(), 0);
  EXPECT_LE(in.points(0).bytes_per_second(), 740'000'000);
  EXPECT_LE(in.points(3).bytes_per_second(),
            750'000'000 * std::min(16, HostCores()));
  EXPECT_LT(system->tiers(1).write(0).bytes_per_second(),
            system->tiers(1).read(0).bytes_per_second());
  EXPECT_LT(system->tiers(1).read(0).bytes_per_second(),
            system->tiers(0).read(0).bytes_per_second());
}

TEST(CalibrationTest, AMoveTakesTimeBesideItsCopy) {
  const auto system =
      MeasureMemorySystem("node", *Open("dram"), *Open("emulated:cxl"));
  ASSERT_TRUE(system.ok()) << system.status();
  for (const auto& copy : system->copies()) {
    EXPECT_GT(copy.setup_ns(), 0);
    EXPECT_EQ(copy.setup_ns(), system->copies(0).setup_ns());
  }
}

TEST(CalibrationTest, MeasuresAFileAndMarksItStreamable) {
  const auto system =
      MeasureMemorySystem("node", *Open("dram"), *Open("file:/tmp"));
  ASSERT_TRUE(system.ok()) << system.status();
  EXPECT_FALSE(system->tiers(1).addressable());
  EXPECT_TRUE(system->tiers(1).streamable());
  for (const auto& copy : system->copies()) {
    int64_t previous_bytes = 0;
    for (const auto& point : copy.points()) {
      EXPECT_GT(point.buffer_bytes(), previous_bytes);
      EXPECT_GT(point.bytes_per_second(), 0);
      previous_bytes = point.buffer_bytes();
    }
  }
}

TEST(CalibrationTest, MeasuresTheSizesThatAreAskedFor) {
  int steps = 0;
  const auto system = MeasureMemorySystem(
      "node", *Open("dram"), *Open("file:/tmp"),
      {.buffer_bytes = {4096, 8192},
       .repetitions = 1,
       .progress = [&](const std::string& what) { steps += !what.empty(); }});
  ASSERT_TRUE(system.ok()) << system.status();
  EXPECT_EQ(steps, 3 * 2 + 2);  // and kernels beside copies, and both ways
  for (const auto& copy : system->copies()) {
    ASSERT_EQ(copy.points_size(), 2);
    EXPECT_EQ(copy.points(0).buffer_bytes(), 4096);
    EXPECT_EQ(copy.points(1).buffer_bytes(), 8192);
  }
}

}  // namespace
}  // namespace stowage::agent
