#include "policies/plan/profile_note.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"

namespace stowage::policies {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// Returns a step of three kernels without a time with slow operands.
Graph Unmeasured() {
  Graph graph;
  graph.name = "three";
  graph.kernels.resize(3);
  return graph;
}

std::string NoteOn(const Graph& graph, const char* system) {
  return DerivedProfileNote(graph, *PresetMemorySystem(system)).value_or("");
}

TEST(ProfileNoteTest, CountsTheKernelsWhoseTimesAreDerived) {
  EXPECT_THAT(NoteOn(Unmeasured(), "optane"), EndsWith("for 3 of 3 kernels."));
}

TEST(ProfileNoteTest, SaysWhichCornersAreDerivedWhereSomeWereMeasured) {
  Graph graph = Unmeasured();
  for (const int k : {0, 1}) {
    KernelProfile& profile = graph.kernels[k].profile;
    profile.slow_inputs_fast_outputs = {5, DurationSource::kMeasured};
    profile.slow_inputs_slow_outputs = {6, DurationSource::kMeasured};
  }
  EXPECT_THAT(NoteOn(graph, "optane"),
              HasSubstr("3 of 3 kernels: with slow outputs 3, with slow inputs "
                        "1, with both slow 1."));
}

TEST(ProfileNoteTest, SaysNothingWhereKernelsCannotUseASlowerTier) {
  EXPECT_EQ(NoteOn(Unmeasured(), "gpu-pcie"), "");
}

}  // namespace
}  // namespace stowage::policies
