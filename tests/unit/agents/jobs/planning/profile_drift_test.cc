#include "agents/jobs/planning/profile_drift.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

void AddKernel(int64_t gap_ns, int64_t duration_ns, v1::DurationSource source,
               v1::Graph* graph) {
  v1::Kernel* kernel = graph->add_kernels();
  kernel->set_gap_ns(gap_ns);
  v1::ProfiledDuration* duration =
      kernel->mutable_profile()->mutable_fast_inputs_fast_outputs();
  duration->set_duration_ns(duration_ns);
  duration->set_source(source);
}

int64_t DurationNs(const v1::Graph& graph, int kernel) {
  return graph.kernels(kernel)
      .profile()
      .fast_inputs_fast_outputs()
      .duration_ns();
}

TEST(ProfileDriftTest, CountsKernelsAndGaps) {
  v1::Graph graph;
  AddKernel(1, 20, v1::DURATION_SOURCE_MEASURED, &graph);
  AddKernel(300, 4000, v1::DURATION_SOURCE_DERIVED, &graph);
  EXPECT_EQ(KernelsNs(graph), 4321);
}

TEST(ProfileDriftTest, ATwentiethMoreOrLessIsNoDrift) {
  EXPECT_FALSE(HasDrifted(1000, 1000));
  EXPECT_FALSE(HasDrifted(1000, 1050));
  EXPECT_FALSE(HasDrifted(1000, 950));
  EXPECT_TRUE(HasDrifted(1000, 1051));
  EXPECT_TRUE(HasDrifted(1000, 949));
  EXPECT_FALSE(HasDrifted(0, 0));
}

TEST(ProfileDriftTest, OnlyKernelsThatLostTheirMeasurementKeepTheEarlierOne) {
  v1::Graph earlier, later;
  AddKernel(0, 10, v1::DURATION_SOURCE_MEASURED, &earlier);
  AddKernel(0, 20, v1::DURATION_SOURCE_MEASURED, &earlier);
  AddKernel(0, 30, v1::DURATION_SOURCE_DERIVED, &earlier);
  AddKernel(0, 11, v1::DURATION_SOURCE_MEASURED, &later);
  AddKernel(0, 22, v1::DURATION_SOURCE_DERIVED, &later);
  AddKernel(0, 33, v1::DURATION_SOURCE_DERIVED, &later);
  KeepMeasured(earlier, &later);
  EXPECT_EQ(DurationNs(later, 0), 11);
  EXPECT_EQ(DurationNs(later, 1), 20);
  EXPECT_EQ(DurationNs(later, 2), 33);
}

TEST(ProfileDriftTest, AKernelThatStreamsNoMoreKeepsWhatWasMeasured) {
  v1::Graph earlier, later;
  for (int k = 0; k < 2; ++k) {
    AddKernel(0, 10, v1::DURATION_SOURCE_MEASURED, &earlier);
    AddKernel(0, 10, v1::DURATION_SOURCE_MEASURED, &later);
    earlier.mutable_kernels(k)->mutable_streamed()->set_bytes(100);
    earlier.mutable_kernels(k)->add_operands()->set_streamed(true);
    later.mutable_kernels(k)->add_operands();
  }
  later.mutable_kernels(1)->mutable_streamed()->set_bytes(200);
  KeepMeasured(earlier, &later);
  EXPECT_EQ(later.kernels(0).streamed().bytes(), 100);
  EXPECT_TRUE(later.kernels(0).operands(0).streamed());
  EXPECT_FALSE(later.kernels(1).operands(0).streamed());
  EXPECT_EQ(later.kernels(1).streamed().bytes(), 200);
}

TEST(ProfileDriftTest, APauseOfOneStepIsNoGap) {
  v1::Graph first, second, third;
  for (v1::Graph* graph : {&first, &second, &third}) {
    for (int k = 0; k < 2; ++k) {
      AddKernel(5, 10, v1::DURATION_SOURCE_MEASURED, graph);
    }
  }
  second.mutable_kernels(1)->set_gap_ns(9000);
  third.mutable_kernels(1)->set_gap_ns(8000);
  const std::vector<int64_t> gaps_ns = GapsNs(second);
  DropPauses(GapsNs(first), &second);
  EXPECT_THAT(GapsNs(second), testing::ElementsAre(5, 5));
  DropPauses(gaps_ns, &third);  // it waits every time
  EXPECT_THAT(GapsNs(third), testing::ElementsAre(5, 8000));
}

}  // namespace
}  // namespace stowage::agent
