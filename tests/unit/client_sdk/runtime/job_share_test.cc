// Tests a job with a limit that is a share of its tensor peak.
#include <cstdint>
#include <stdexcept>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_process.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

using ::testing::HasSubstr;

constexpr JobSettings kDemandOnly{.demand_only = true};

FakeAgentOptions Share(double limit_fraction) {
  return {.fast_bytes = 40 * kUnit,
          .slow_bytes = 100 * kUnit,
          .limit_fraction = limit_fraction};
}

// Returns what is said when a job of one large tensor and some more has run two
// steps, and trains in the second.
std::string SaidOfShare(double limit_fraction, int64_t large_bytes = 20 * kUnit,
                        int64_t small_bytes = 5 * kUnit, bool trains = true) {
  FakeProcess process(Share(limit_fraction), kDemandOnly);
  TensorPtr large = process.New(large_bytes), small = process.New(small_bytes);
  process.job().EndStep();
  process.Run("use", {.reads = {small.get()}});
  if (trains) process.job().BeforeUpdate();
  try {
    process.job().EndStep();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(JobShareTest, RefusesAShareThatIsTooSmallWithTheLeastThatWorks) {
  const std::string said = SaidOfShare(0.05);
  EXPECT_THAT(said, HasSubstr("5% of the tensor peak of " +
                              std::to_string(25 * kUnit) + " bytes"));
  const std::string::size_type share = said.rfind(" or ");
  ASSERT_NE(share, std::string::npos) << said;
  const double least = std::stod(said.substr(share + 4)) / 100;
  EXPECT_NE(SaidOfShare(least - 0.05), "");
  EXPECT_EQ(SaidOfShare(least), "");
}

TEST(JobShareTest, AShareIsNotRefusedWhileAJobOnlyEvaluates) {
  EXPECT_EQ(SaidOfShare(0.05, 20 * kUnit, 5 * kUnit, /*trains=*/false), "");
}

TEST(JobShareTest, AnAllocationThatFitsNoTierLeavesTheShareAlone) {
  FakeProcess process(Share(0.5), kDemandOnly);
  const TensorPtr tensor = process.New(20 * kUnit);
  process.job().EndStep();
  const int64_t limit_bytes = process.agent().segment().report.limit_bytes;
  for (const int64_t size_bytes : {int64_t{1} << 40, int64_t{1} << 62}) {
    try {
      process.New(size_bytes);
      FAIL() << "there is no such room";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr("DefaultCPUAllocator: can't allocate memory"));
    }
  }
  process.job().EndStep();
  EXPECT_EQ(process.agent().segment().report.limit_bytes, limit_bytes);
}

TEST(JobShareTest, AShareOfASmallModelIsRaisedAndNotRefused) {
  EXPECT_EQ(SaidOfShare(0.05, 2 * kUnit, kUnit), "");
}

}  // namespace
}  // namespace stowage::runtime
