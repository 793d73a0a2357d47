#include "policies/simulate/simulator.h"

#include "gtest/gtest.h"
#include "policies/plan/plan.h"
#include "policies/simulate/lane.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Returns a system that copies 1 byte a nanosecond in both directions; the
// slower tier can be streamed.
MemorySystem SlowFile() {
  MemorySystem system;
  system.name = "slow-file";
  Tier fast{.name = "fast", .addressable = true};
  fast.read = fast.write = {{1, 1'000'000'000}};
  Tier file = fast;
  file.name = "file";
  file.addressable = false;
  file.streamable = true;
  system.tiers = {fast, file};
  return system;
}

// Returns a step of four kernels of 10,000 ns; tensor 0 persists and is used by
// the first and the last; tensor 1 lives from kernel 1 to 2.
Graph FourKernels() {
  Graph graph;
  graph.name = "four";
  graph.tensors.resize(2);
  graph.tensors[0] = {.size_bytes = 3 * kPage, .persistent = true};
  graph.tensors[1] = {
      .size_bytes = kPage, .birth_kernel = 1, .death_kernel = 2};
  for (int k = 0; k < 4; ++k) {
    Kernel kernel{.name = "k"};
    kernel.profile.fast_inputs_fast_outputs = {10'000,
                                               DurationSource::kMeasured};
    graph.kernels.push_back(kernel);
  }
  graph.kernels[0].operands = {{.tensor = 0, .read = true}};
  graph.kernels[1].operands = {{.tensor = 1, .write = true}};
  graph.kernels[2].operands = {{.tensor = 1, .read = true}};
  graph.kernels[3].operands = {{.tensor = 0, .read = true}};
  return graph;
}

Plan AllInFast() {
  Plan plan;
  plan.fast_limit_bytes = 1 << 20;
  plan.initial = {{0, {0, 0}}};
  plan.allocations = {{1, {0, 3 * kPage}}};
  return plan;
}

TEST(SimulatorTest, WithoutMovesAStepIsTheSumOfItsKernelsAndGaps) {
  Graph graph = FourKernels();
  graph.kernels[2].gap_ns = 500;
  const Simulation simulation = *Simulate(graph, SlowFile(), AllInFast());
  EXPECT_EQ(simulation.prediction.step_time_ns, 40'500);
  EXPECT_EQ(simulation.prediction.stall_ns, 0);
  EXPECT_EQ(simulation.prediction.locality, 1.0);
  EXPECT_EQ(simulation.prediction.fast_peak_bytes, 4 * kPage);
  EXPECT_EQ(simulation.kernels[2].start_ns, 20'500);
  EXPECT_EQ(simulation.kernels[3].fast_bytes, 3 * kPage);
}

TEST(SimulatorTest, ASynchronousMoveStallsForItsCopy) {
  Plan plan = AllInFast();
  plan.moves = {{0, {0, 0}, {1, 0}, 1, 1}, {0, {1, 0}, {0, 0}, 3, 3}};
  const Simulation simulation = *Simulate(FourKernels(), SlowFile(), plan);
  EXPECT_EQ(simulation.prediction.stall_ns, 2 * 3 * kPage);
  EXPECT_EQ(simulation.prediction.step_time_ns, 40'000 + 2 * 3 * kPage);
  EXPECT_EQ(simulation.kernels[1].stall_ns, 3 * kPage);
  EXPECT_EQ(simulation.kernels[1].fast_bytes, kPage);
  EXPECT_EQ(simulation.prediction.moved_in_bytes, 3 * kPage);
  EXPECT_EQ(simulation.prediction.moved_out_bytes, 3 * kPage);
}

TEST(SimulatorTest, AnAsynchronousMoveHidesBehindKernelsAndHoldsBothPlaces) {
  Plan plan = AllInFast();
  // 12,288 ns: longer than one kernel, shorter than two.
  plan.moves = {{0, {0, 0}, {1, 0}, 1, 3}, {0, {1, 0}, {0, 0}, 3, 4}};
  plan.moves[1].deadline_kernel = 4;
  Graph graph = FourKernels();
  graph.kernels[3].operands.clear();
  const Simulation simulation = *Simulate(graph, SlowFile(), plan);
  EXPECT_EQ(simulation.kernels[3].stall_ns, 0);
  EXPECT_EQ(simulation.kernels[2].fast_bytes, 4 * kPage);
  EXPECT_EQ(simulation.kernels[3].fast_bytes, 3 * kPage);
  EXPECT_EQ(simulation.moves[0].start_ns, 10'000);
  EXPECT_EQ(simulation.moves[0].end_ns, 10'000 + 3 * kPage);
  // The way back does not fit into the last kernel: the step ends later.
  EXPECT_EQ(simulation.prediction.step_time_ns, 30'000 + 3 * kPage);
  EXPECT_EQ(simulation.prediction.stall_ns, 3 * kPage - 10'000);
}

TEST(SimulatorTest, ALaneCopiesOneTensorAtATimeInTheOrderOfIssue) {
  Plan plan = AllInFast();
  plan.moves = {{0, {0, 0}, {1, 0}, 1, 4},
                {1, {0, 3 * kPage}, {1, 16384}, 2, 2}};
  const Simulation simulation = *Simulate(FourKernels(), SlowFile(), plan);
  EXPECT_EQ(simulation.moves[1].start_ns, 10'000 + 3 * kPage);
}

TEST(SimulatorTest, AKernelIsSlowerBesideACopy) {
  MemorySystem system = SlowFile();
  system.copies = {{.from_tier = 0,
                    .to_tier = 1,
                    .points = {{1, 1'000'000'000}},
                    .slowdown = {.compute = 1, .memory = 1}}};
  Plan plan = AllInFast();
  plan.moves = {{0, {0, 0}, {1, 0}, 1, 3}, {0, {1, 0}, {0, 0}, 3, 3}};
  const Simulation simulation = *Simulate(FourKernels(), system, plan);
  // The copy of 12,288 ns ends in kernel 1, of which 6,144 are done then.
  EXPECT_EQ(simulation.kernels[1].end_ns, 20'000 + 6'144);
  EXPECT_EQ(simulation.prediction.slowdown_ns, 6'144);
  EXPECT_EQ(simulation.prediction.step_time_ns, 40'000 + 6'144 + 3 * kPage);
}

// Returns a plan in which the tensor is fetched for kernel 0 and dropped behind
// it, and fetched again for kernel 3.
Plan FetchedTwice() {
  Plan plan = AllInFast();
  plan.initial[0].at = {1, 0};
  plan.moves = {{0, {1, 0}, {0, 0}, 0, 0, /*keeps_source=*/true, false},
                {0, {0, 0}, {1, 0}, 1, 1, false, /*is_drop=*/true},
                {0, {1, 0}, {0, 0}, 3, 3},
                {0, {0, 0}, {1, 0}, 4, 4}};
  return plan;
}

TEST(SimulatorTest, ADropTakesNoTimeAndMovesNoBytes) {
  const Simulation simulation =
      *Simulate(FourKernels(), SlowFile(), FetchedTwice());
  EXPECT_EQ(simulation.prediction.step_time_ns, 40'000 + 3 * 3 * kPage);
  EXPECT_EQ(simulation.prediction.stall_ns, 3 * 3 * kPage);
  EXPECT_EQ(simulation.kernels[1].stall_ns, 0);
  EXPECT_EQ(simulation.moves[1].start_ns, 3 * kPage + 10'000);
  EXPECT_EQ(simulation.moves[1].end_ns, 3 * kPage + 10'000);
  EXPECT_EQ(simulation.prediction.moved_in_bytes, 2 * 3 * kPage);
  EXPECT_EQ(simulation.prediction.moved_out_bytes, 3 * kPage);
}

TEST(SimulatorTest, ADropFreesRoomInTheFastTier) {
  const Simulation simulation =
      *Simulate(FourKernels(), SlowFile(), FetchedTwice());
  EXPECT_EQ(simulation.kernels[0].fast_bytes, 3 * kPage);
  EXPECT_EQ(simulation.kernels[1].fast_bytes, kPage);
  EXPECT_EQ(simulation.kernels[3].fast_bytes, 3 * kPage);
}

TEST(SimulatorTest, ADropWaitsForNoLane) {
  Plan plan = FetchedTwice();
  plan.moves[1] = {1, {0, 3 * kPage}, {1, 1 << 20}, 2, 3};
  plan.moves[2] = {0, {0, 0}, {1, 0}, 2, 2, false, /*is_drop=*/true};
  plan.moves[3] = {0, {1, 0}, {0, 0}, 3, 3};
  const Simulation simulation = *Simulate(FourKernels(), SlowFile(), plan);
  EXPECT_EQ(simulation.moves[1].start_ns, 3 * kPage + 20'000);
  EXPECT_EQ(simulation.moves[2].end_ns, 3 * kPage + 20'000);
  EXPECT_EQ(simulation.kernels[2].stall_ns, 0);
}

// Returns a system that copies 1 byte a nanosecond, as before, but whose small
// copies are 10 times slower.
MemorySystem SlowSmallCopies() {
  MemorySystem system = SlowFile();
  system.copies = {
      {.from_tier = 0,
       .to_tier = 1,
       .points = {{2 * kPage, 100'000'000}, {4 * kPage, 1'000'000'000}}}};
  return system;
}

TEST(SimulatorTest, ContiguousMovesAreOneCopyOfTheirBytesTogether) {
  Plan plan = AllInFast();
  plan.moves = {{0, {0, 0}, {1, 0}, 2, 2},
                {1, {0, 3 * kPage}, {1, 3 * kPage}, 2, 2}};
  Simulation together = *Simulate(FourKernels(), SlowSmallCopies(), plan);
  EXPECT_EQ(together.moves[0].end_ns, 20'000 + 4 * kPage);
  EXPECT_EQ(together.moves[1].start_ns, 20'000);
  EXPECT_EQ(together.moves[1].end_ns, 20'000 + 4 * kPage);
  EXPECT_EQ(together.prediction.moved_out_bytes, 4 * kPage);
  EXPECT_EQ(together.kernels[2].fast_bytes, 0);
  plan.moves[1].to.offset_bytes += kPage;
  Simulation apart = *Simulate(FourKernels(), SlowSmallCopies(), plan);
  EXPECT_EQ(apart.moves[1].start_ns, apart.moves[0].end_ns);
  EXPECT_EQ(apart.moves[1].end_ns - apart.moves[1].start_ns, 10 * kPage);
}

TEST(SimulatorTest, HoldsAPageAsLongAsASmallTensorIsOnIt) {
  Graph graph = FourKernels();
  graph.tensors[1].size_bytes = 100;
  graph.tensors.push_back(
      {.size_bytes = 200, .birth_kernel = 2, .death_kernel = 3});
  Plan plan = AllInFast();
  plan.allocations.push_back({2, {0, 3 * kPage + 128}});
  const Simulation simulation = *Simulate(graph, SlowFile(), plan);
  EXPECT_EQ(simulation.kernels[0].fast_bytes, 3 * kPage);
  EXPECT_EQ(simulation.kernels[1].fast_bytes, 4 * kPage);
  EXPECT_EQ(simulation.kernels[2].fast_bytes, 4 * kPage);
  EXPECT_EQ(simulation.kernels[3].fast_bytes, 4 * kPage);
  EXPECT_EQ(simulation.prediction.fast_peak_bytes, 4 * kPage);
}

TEST(SimulatorTest, LanesOfDifferentDirectionsRunAtTheSameTime) {
  Plan plan = AllInFast();
  plan.allocations[0].at = {1, 1 << 20};
  plan.moves = {{0, {0, 0}, {1, 0}, 2, 4},
                {1, {1, 1 << 20}, {0, 3 * kPage}, 2, 2}};
  const Simulation simulation = *Simulate(FourKernels(), SlowFile(), plan);
  EXPECT_EQ(simulation.moves[0].start_ns, 20'000);
  EXPECT_EQ(simulation.moves[1].start_ns, 20'000);
}

TEST(SimulatorTest, LanesOfOppositeDirectionsSlowOneAnother) {
  Plan plan = AllInFast();
  plan.allocations[0].at = {1, 1 << 20};
  plan.moves = {{0, {0, 0}, {1, 0}, 2, 4},
                {1, {1, 1 << 20}, {0, 3 * kPage}, 2, 2}};
  MemorySystem system = SlowFile();
  for (const Lane& lane : {Lane{0, 1}, Lane{1, 0}}) {
    system.copies.push_back({.from_tier = lane.from,
                             .to_tier = lane.to,
                             .points = {{1, 1'000'000'000}},
                             .both_ways_share = 0.5});
  }
  const Simulation simulation = *Simulate(FourKernels(), system, plan);
  EXPECT_EQ(simulation.moves[1].end_ns, 20'000 + 2 * kPage);
  EXPECT_EQ(simulation.kernels[2].stall_ns, 2 * kPage);
  EXPECT_EQ(simulation.moves[0].end_ns, 20'000 + 2 * kPage + 2 * kPage);
}

TEST(SimulatorTest, StreamedOperandsCostACopyInEachDirectionTheyAreUsedIn) {
  Graph graph = FourKernels();
  graph.kernels[0].operands[0].write = true;
  Plan plan = AllInFast();
  plan.initial[0].at = {1, 0};
  plan.streams = {{.kernel = 0, .tensors = {0}, .window_bytes = 1 << 20},
                  {.kernel = 3, .tensors = {0}}};
  const Simulation simulation = *Simulate(graph, SlowFile(), plan);
  EXPECT_EQ(simulation.kernels[0].end_ns, 10'000 + 2 * 3 * kPage);
  EXPECT_EQ(simulation.prediction.stream_ns, 3 * 3 * kPage);
  EXPECT_EQ(simulation.prediction.step_time_ns, 40'000 + 3 * 3 * kPage);
  EXPECT_EQ(simulation.prediction.fast_peak_bytes, 1 << 20);
  EXPECT_DOUBLE_EQ(simulation.prediction.locality, 2.0 / 8.0);
}

TEST(SimulatorTest, StreamedOperandsTakeAsLongAsWasMeasured) {
  Graph graph = FourKernels();
  graph.kernels[0].streamed = {.bytes = 6 * kPage, .duration_ns = 14'000};
  Plan plan = AllInFast();
  plan.initial[0].at = {1, 0};
  plan.streams = {{.kernel = 0, .tensors = {0}, .window_bytes = 1 << 20},
                  {.kernel = 3, .tensors = {0}}};
  const Simulation simulation = *Simulate(graph, SlowFile(), plan);
  EXPECT_EQ(simulation.kernels[0].end_ns, 10'000 + 7'000);
  EXPECT_EQ(simulation.prediction.stream_ns, 7'000 + 3 * kPage);
}

TEST(SimulatorTest, CountsUnmanagedStorages) {
  Graph graph = FourKernels();
  graph.unmanaged_peak_bytes = 100;
  EXPECT_EQ(
      Simulate(graph, SlowFile(), AllInFast())->prediction.fast_peak_bytes,
      5 * kPage);
}

TEST(SimulatorTest, RefusesReferencesToWhatIsNotThere) {
  const Graph graph = FourKernels();
  Plan tensor = AllInFast();
  tensor.initial[0].tensor = 2;
  Plan tier = AllInFast();
  tier.allocations[0].at.tier = 2;
  Plan boundary = AllInFast();
  boundary.moves = {{0, {0, 0}, {1, 0}, 1, 5}};
  Plan stream = AllInFast();
  stream.streams = {{-1, {0}}};
  for (const Plan& plan : {tensor, tier, boundary, stream}) {
    EXPECT_EQ(Simulate(graph, SlowFile(), plan).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(SimulatorTest, TimesAndSizesTheChosenImplementation) {
  Graph graph = FourKernels();
  graph.tensors.push_back({.size_bytes = 2 * kPage,
                           .kind = TensorKind::kWorkspace,
                           .birth_kernel = 2,
                           .death_kernel = 2});
  KernelImplementation larger{.workspace_bytes = 5 * kPage};
  larger.profile.fast_inputs_fast_outputs = {7'000, DurationSource::kMeasured};
  graph.kernels[2].alternatives = {larger};
  Plan plan = AllInFast();
  plan.allocations.push_back({2, {0, 4 * kPage}});
  const Simulation first = *Simulate(graph, SlowFile(), plan);
  EXPECT_EQ(first.prediction.step_time_ns, 40'000);
  EXPECT_EQ(first.prediction.fast_peak_bytes, 6 * kPage);
  plan.implementations = {{2, 1}};
  const Simulation other = *Simulate(graph, SlowFile(), plan);
  EXPECT_EQ(other.prediction.step_time_ns, 37'000);
  EXPECT_EQ(other.prediction.fast_peak_bytes, 9 * kPage);
  EXPECT_EQ(other.kernels[2].fast_bytes, 9 * kPage);
  plan.implementations = {{1, 1}};
  EXPECT_EQ(Simulate(graph, SlowFile(), plan).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stowage::policies
