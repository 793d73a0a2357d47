#include "policies/search/absences/absence.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

constexpr int64_t kKernelNs = 5'000'000;

// Returns a step with a persistent tensor that kernels 2 and 3 of six use; at
// 12.8 GB/s its copy takes about as long as four kernels.
Graph UsedInTheMiddle() {
  Graph graph;
  graph.tensors = {{.size_bytes = 240 * kMiB, .persistent = true}};
  graph.kernels.resize(6);
  for (Kernel& kernel : graph.kernels) {
    kernel.profile.fast_inputs_fast_outputs = {kKernelNs,
                                               DurationSource::kMeasured};
  }
  for (const int k : {2, 3}) {
    graph.kernels[k].operands = {{.tensor = 0, .read = true}};
  }
  return graph;
}

AbsenceChoices Find(const Graph& graph, const MemorySystem& system,
                    int64_t limit_bytes) {
  const Workload workload = *MakeWorkload(graph, system, limit_bytes);
  return FindAbsences(graph, workload, CostModel(graph, system, workload));
}

TEST(AbsenceTest, CopiesOfAnAbsenceAcrossTheEndRunInEitherStep) {
  const AbsenceChoices choices =
      Find(UsedInTheMiddle(), *PresetMemorySystem("gpu-pcie"), 1000 * kMiB);
  std::vector<std::pair<KernelIndex, KernelIndex>> spans;
  for (const Absence& absence : choices.absences) {
    spans.push_back({absence.from, absence.to});
  }
  // Boundary 0 of the next step is 7: out and in after and before the uses, or
  // both in the next step, or both in this one.
  EXPECT_THAT(spans, testing::UnorderedElementsAre(
                         std::pair(4, 9), std::pair(0, 2), std::pair(4, 6)));
}

TEST(AbsenceTest, SaysWhatCopiesLackOfTime) {
  const Graph graph = UsedInTheMiddle();
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  const int64_t copy_ns = system.CopyDurationNs(0, 1, 240 * kMiB);
  const AbsenceChoices choices = Find(graph, system, 1000 * kMiB);
  for (const Absence& absence : choices.absences) {
    // Two kernels before the uses, two after them.
    EXPECT_EQ(absence.exposed_ns,
              2 * copy_ns - (absence.to == 9 ? 4 : 2) * kKernelNs)
        << absence.from;
  }
}

TEST(AbsenceTest, NothingIsRequiredWhereAllCanBeUsedInPlace) {
  const AbsenceChoices choices =
      Find(UsedInTheMiddle(), *PresetMemorySystem("optane"), 100 * kMiB);
  EXPECT_THAT(choices.required, testing::Each(false));
  EXPECT_THAT(choices.least_bytes, testing::Each(0));
}

// A tensor leaves between neighbouring kernels if the second one's operands do
// not all fit.
TEST(AbsenceTest, SpansBeginBetweenNeighboursWhereOperandsDoNotFit) {
  Graph graph = UsedInTheMiddle();
  graph.tensors[0] = {
      .size_bytes = 240 * kMiB, .birth_kernel = 1, .death_kernel = 3};
  graph.kernels[1].operands = {{.tensor = 0, .write = true}};
  graph.tensors.push_back(
      {.size_bytes = 240 * kMiB, .birth_kernel = 3, .death_kernel = 3});
  graph.kernels[3].operands.push_back({.tensor = 1, .write = true});
  const auto begins = [&](int64_t limit_bytes) {
    std::vector<KernelIndex> boundaries;
    for (const Absence& absence :
         Find(graph, *PresetMemorySystem("optane"), limit_bytes).absences) {
      if (absence.period.tensor == 0 && absence.period.moves_out) {
        EXPECT_EQ(absence.period.slow_first, absence.period.from);
        boundaries.push_back(absence.period.from);
      }
    }
    return boundaries;
  };
  EXPECT_THAT(begins(1000 * kMiB), testing::IsEmpty());
  EXPECT_THAT(begins(300 * kMiB), testing::Contains(3));
}

}  // namespace
}  // namespace stowage::policies
