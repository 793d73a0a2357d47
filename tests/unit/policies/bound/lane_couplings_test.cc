#include "policies/bound/lane_couplings.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "policies/simulate/lane_clocks.h"
#include "tests/unit/policies/slowed_lanes.h"

namespace stowage::policies {
namespace {

TEST(LaneCouplingsTest, LanesThatKeepTheirBandwidthHaveNone) {
  EXPECT_TRUE(FindLaneCouplings(WithShares("file", 1, 1)).empty());
  EXPECT_TRUE(FindLaneCouplings(*PresetMemorySystem("g10-a100")).empty());
}

TEST(LaneCouplingsTest, LanesThatGainNothingTogetherCopyOneAfterTheOther) {
  const auto couplings = FindLaneCouplings(WithShares("file", 0.35, 0.55));
  ASSERT_EQ(couplings.size(), 1u);
  EXPECT_EQ(couplings[0].Of(0), 1);
  EXPECT_EQ(couplings[0].Of(1), 1);
  EXPECT_EQ(couplings[0].Of(2), 0);
}

TEST(LaneCouplingsTest, ALaneThatIsNotSlowedHidesBesideTheOther) {
  const auto couplings = FindLaneCouplings(WithShares("file", 0.5, 1));
  ASSERT_EQ(couplings.size(), 1u);
  EXPECT_EQ(couplings[0].Of(0), 1);
  EXPECT_EQ(couplings[0].Of(1), 0.5);
}

// Copies of any length, begun together, take no less than any coupling says.
TEST(LaneCouplingsTest, NoCopiesTakeLess) {
  for (const double out : {0.2, 0.5, 0.8, 1.0}) {
    for (const double in : {0.3, 0.6, 0.95}) {
      const MemorySystem system = WithShares("file", out, in);
      const LaneClocks clocks(system, {{0, 1}, {1, 0}});
      for (const int64_t out_ns : {1000, 5000, 20'000}) {
        for (const int64_t in_ns : {1000, 7000, 30'000}) {
          std::vector<int64_t> state(clocks.state_size());
          const auto all = absl::MakeSpan(state);
          const int64_t out_mark = clocks.Issue(0, 0, out_ns, all);
          const int64_t in_mark = clocks.Issue(1, 0, in_ns, all);
          const int64_t end_ns = std::max(clocks.EndNs(0, out_mark, 0, state),
                                          clocks.EndNs(1, in_mark, 0, state));
          for (const LaneCoupling& coupling : FindLaneCouplings(system)) {
            EXPECT_GE(end_ns, coupling.out * out_ns + coupling.in * in_ns - 2)
                << out << " " << in << " " << out_ns << " " << in_ns;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace stowage::policies
