#include "tools/stowage/inputs/fast_limit.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::cli {
namespace {

using ::testing::HasSubstr;

class FastLimitTest : public testing::Test {
 protected:
  int64_t Resolved(const FastLimit& limit) const {
    const absl::StatusOr<int64_t> bytes = ResolveLimit(limit, graph_);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return bytes.value_or(-1);
  }
  std::string ErrorOf(const FastLimit& limit) const {
    const absl::Status status = ResolveLimit(limit, graph_).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }

  const policies::Graph graph_ =
      policies::TrainingStepGraph(/*layers=*/4, /*seed=*/1);
  const int64_t peak_bytes_ = policies::ComputeLiveness(graph_).peak_bytes;
};

TEST_F(FastLimitTest, TakesSizesAndSharesInEveryForm) {
  const auto share = static_cast<int64_t>(0.4 * peak_bytes_);
  for (const FastLimit& limit :
       {FastLimit{.fast = "40%"}, FastLimit{.fast = "0.4"},
        FastLimit{.ratio = "40%"}, FastLimit{.ratio = "0.4"}}) {
    EXPECT_EQ(Resolved(limit), share);
  }
  EXPECT_EQ(Resolved({.ratio = "1"}), peak_bytes_);
  EXPECT_EQ(Resolved({.fast = "9MiB"}), 9 << 20);
  EXPECT_EQ(Resolved({.bytes = "9MiB"}), 9 << 20);
  EXPECT_EQ(Resolved({.bytes = "4096"}), 4096);
}

TEST_F(FastLimitTest, AsksWhetherABareNumberWasMeantAsPercent) {
  EXPECT_THAT(ErrorOf({.fast = "40"}), HasSubstr("did you mean 40%?"));
  EXPECT_THAT(ErrorOf({.ratio = "40"}), HasSubstr("did you mean 40%?"));
}

TEST_F(FastLimitTest, RefusesWhatIsNoLimit) {
  EXPECT_THAT(ErrorOf({.fast = "much"}), HasSubstr("--fast 'much' is not"));
  EXPECT_THAT(ErrorOf({.fast = "unlimited"}), HasSubstr("nothing to plan"));
  EXPECT_THAT(ErrorOf({.ratio = "1.5"}), HasSubstr("above 0 and at most 1"));
  EXPECT_THAT(ErrorOf({.bytes = "40%"}), HasSubstr("--fast-bytes 40%"));
  EXPECT_THAT(ErrorOf({}), HasSubstr("give one of"));
  EXPECT_THAT(ErrorOf({.fast = "40%", .ratio = "0.4"}),
              HasSubstr("give one of"));
}

}  // namespace
}  // namespace stowage::cli
