#include "policies/deeptm/decision.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "policies/deeptm/environment.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Returns a step of three weights of 8 MiB; kernel k reads weight k % 3.
Graph ThreeWeights() {
  LayeredStep step({0, 0, 0}, /*kernel_ns=*/1'000'000);
  for (KernelIndex k = 0; k < 3; ++k) {
    step.Read(k, step.AddPersistent(8 * kMiB));
  }
  return step.graph();
}

class DecisionTest : public testing::Test {
 protected:
  double Feature(KernelIndex k, TensorIndex t, Decision::Feature which) const {
    return environment_.Decisions(k)[t].features[which] / 255.0;
  }

  const Graph graph_ = ThreeWeights();
  const MemorySystem system_ = *PresetMemorySystem("optane");
  const Workload workload_ = *MakeWorkload(graph_, system_, 16 * kMiB);
  const Environment environment_ = *Environment::Make(
      graph_, system_, workload_, MigrationMode::kAsynchronous, HeatSettings());
};

TEST_F(DecisionTest, DemandCountsWhatIsAccessedSooner) {
  ASSERT_EQ(environment_.Decisions(0).size(), 3u);
  // Kernel 1 is next: it reads weight 1, kernel 2 weight 2. Two fit.
  EXPECT_NEAR(Feature(0, 1, Decision::kDemand), 0.25, 0.01);
  EXPECT_NEAR(Feature(0, 2, Decision::kDemand), 0.5, 0.01);
  EXPECT_NEAR(Feature(0, 0, Decision::kDemand), 0.75, 0.01);
}

TEST_F(DecisionTest, TimesAreSetAgainstThoseOfTheCopy) {
  const double in_ns = environment_.InNs(1), out_ns = environment_.OutNs(1);
  const double kernel_ns = 1e6;
  EXPECT_NEAR(Feature(0, 1, Decision::kUrgency),
              kernel_ns / (kernel_ns + in_ns), 0.01);
  EXPECT_NEAR(Feature(0, 1, Decision::kWindow),
              kernel_ns / (kernel_ns + std::max(in_ns, out_ns)), 0.01);
  const double loss_ns = environment_.LossNs(1, 0);
  EXPECT_GT(loss_ns, 0);
  EXPECT_NEAR(Feature(0, 1, Decision::kWorth), loss_ns / (loss_ns + in_ns),
              0.01);
}

TEST_F(DecisionTest, TheNextAccessMayBeInTheNextStep) {
  // Weight 0 is read by kernel 0 of the next step, two kernels after kernel 1.
  EXPECT_NEAR(Feature(1, 0, Decision::kUrgency),
              2e6 / (2e6 + environment_.InNs(0)), 0.01);
  EXPECT_GT(Feature(1, 0, Decision::kWorth), 0);
}

}  // namespace
}  // namespace stowage::policies
