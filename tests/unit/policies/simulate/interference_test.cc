#include "policies/simulate/interference.h"

#include <vector>

#include "gtest/gtest.h"
#include "policies/model/presets.h"

namespace stowage::policies {
namespace {

// Kernel 0 only computes, and kernel 1 keeps memory busy for half of its time.
Graph SlowableKernels() {
  Graph graph;
  graph.tensors = {{.size_bytes = 500'000, .persistent = true}};
  graph.kernels.resize(2);
  for (Kernel& kernel : graph.kernels) {
    kernel.profile.fast_inputs_fast_outputs = {1'000'000,
                                               DurationSource::kMeasured};
  }
  graph.kernels[1].operands = {{.tensor = 0, .read = true}};
  return graph;
}

MemorySystem SlowedSystem() {
  MemorySystem system = *PresetMemorySystem("file");
  system.tiers[0].read = system.tiers[0].write = {{1, 1'000'000'000}};
  system.copies = {
      {.from_tier = 0, .to_tier = 1, .slowdown = {.compute = 0.5, .memory = 1}},
      {.from_tier = 1, .to_tier = 0, .slowdown = {.compute = 1, .memory = 1}}};
  return system;
}

class InterferenceTest : public testing::Test {
 protected:
  int64_t Duration(KernelIndex k, std::vector<int64_t> free_ns) const {
    return interference_.DurationNs(k, 10'000, 1'000'000, free_ns);
  }

  const Graph graph_ = SlowableKernels();
  const MemorySystem system_ = SlowedSystem();
  const Interference interference_{graph_, system_, {{0, 1}, {1, 0}}};
};

TEST_F(InterferenceTest, AKernelWithoutCopiesBesideItTakesWhatItTakes) {
  EXPECT_EQ(Duration(0, {0, 10'000}), 1'000'000);
}

TEST_F(InterferenceTest, ACopyOfTheWholeKernelSlowsAllOfIt) {
  EXPECT_EQ(Duration(0, {90'000'000, 0}), 1'500'000);
}

TEST_F(InterferenceTest, AKernelThatUsesMemoryIsSlowedByItsShareOfBandwidth) {
  EXPECT_EQ(Duration(1, {90'000'000, 0}), 1'750'000);
}

TEST_F(InterferenceTest, ACopyThatEndsSlowsWhatCameBefore) {
  // In 300,000 ns, 200,000 are done.
  EXPECT_EQ(Duration(0, {310'000, 0}), 300'000 + 800'000);
}

TEST_F(InterferenceTest, LanesAddUpWhileBothCopy) {
  // 100,000 of 250,000 ns, 100,000 of 200,000 ns, then 800,000.
  EXPECT_EQ(Duration(0, {260'000, 460'000}), 250'000 + 200'000 + 800'000);
}

TEST_F(InterferenceTest, TheLongestKernelDoesNotOverflow) {
  const std::vector<int64_t> free_ns(2, int64_t{1} << 62);
  EXPECT_GT(interference_.DurationNs(0, 0, int64_t{1} << 62, free_ns), 0);
}

TEST(InterferenceOfPresetsTest, NothingIsKnownOfPresets) {
  const Graph graph = SlowableKernels();
  const MemorySystem system = *PresetMemorySystem("file");
  const Interference interference(graph, system, {{0, 1}});
  const std::vector<int64_t> free_ns = {5'000'000};
  EXPECT_EQ(interference.DurationNs(0, 0, 1'000, free_ns), 1'000);
}

}  // namespace
}  // namespace stowage::policies
