#include "policies/scaling/batch_scaling.h"

#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns a step of `batch` samples: a weight of 1000 bytes, 100 bytes of
// activation and 5000 FLOPs a sample. The product reaches a tenth of the
// roofline (1 GFLOP/s), and each call takes 50 ns.
Graph StepOf(int64_t batch) {
  Graph graph;
  graph.name = "step";
  graph.processor = "p";
  graph.processor_peak = {kGB, kGB};
  graph.tensors = {
      {.size_bytes = 1000, .kind = TensorKind::kWeight, .persistent = true},
      {.size_bytes = 100 * batch,
       .kind = TensorKind::kActivation,
       .birth_kernel = 1,
       .death_kernel = 1}};
  Kernel empty;
  empty.name = "empty";
  empty.profile.fast_inputs_fast_outputs = {50, DurationSource::kMeasured};
  Kernel product;
  product.name = "product";
  product.operands = {{.tensor = 0, .read = true},
                      {.tensor = 1, .write = true}};
  product.flops = 5000 * batch;
  product.profile.fast_inputs_fast_outputs = {50 + 50'000 * batch,
                                              DurationSource::kMeasured};
  product.gap_ns = 7;
  graph.kernels = {empty, product};
  return graph;
}

TEST(BatchScalingTest, MakesTheStepThatTheLargerBatchHas) {
  const Graph small = StepOf(4), larger = StepOf(6), wanted = StepOf(512);
  const absl::StatusOr<Graph> scaled = ScaleBatch({small, 4}, {larger, 6}, 512);
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  EXPECT_EQ(scaled->tensors[0].size_bytes, 1000);
  EXPECT_EQ(scaled->tensors[1].size_bytes, wanted.tensors[1].size_bytes);
  EXPECT_EQ(scaled->kernels[1].flops, wanted.kernels[1].flops);
  EXPECT_EQ(scaled->kernels[1].profile.fast_inputs_fast_outputs.duration_ns,
            wanted.kernels[1].profile.fast_inputs_fast_outputs.duration_ns);
  EXPECT_EQ(scaled->kernels[1].profile.fast_inputs_fast_outputs.source,
            DurationSource::kRehosted);
  EXPECT_EQ(scaled->kernels[1].gap_ns, 7);
}

TEST(BatchScalingTest, TrustsTheCaptureInWhichAKernelWasFaster) {
  const Graph small = StepOf(4);
  Graph larger = StepOf(6);
  int64_t& disturbed_ns =
      larger.kernels[1].profile.fast_inputs_fast_outputs.duration_ns;
  disturbed_ns *= 3;
  const absl::StatusOr<Graph> scaled = ScaleBatch({small, 4}, {larger, 6}, 512);
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  EXPECT_EQ(scaled->kernels[1].profile.fast_inputs_fast_outputs.duration_ns,
            50 + 50'000 * 512);
}

TEST(BatchScalingTest, RefusesStepsThatDiffer) {
  const Graph small = StepOf(4);
  Graph larger = StepOf(6);
  larger.kernels[1].name = "other";
  EXPECT_THAT(ScaleBatch({small, 4}, {larger, 6}, 8).status().message(),
              HasSubstr("kernels[1], product and other"));
  larger = StepOf(6);
  larger.tensors[1].birth_kernel = 0;
  EXPECT_THAT(ScaleBatch({small, 4}, {larger, 6}, 8).status().message(),
              HasSubstr("tensors[1]"));
}

TEST(BatchScalingTest, KeepsAWorkspaceThatOneOfTheCapturesLacks) {
  const Graph small = StepOf(4);
  Graph larger = StepOf(6);
  const Tensor workspace{.size_bytes = 777,
                         .kind = TensorKind::kWorkspace,
                         .birth_kernel = 1,
                         .death_kernel = 1};
  larger.tensors.insert(larger.tensors.begin() + 1, workspace);
  larger.kernels[1].operands[1].tensor = 2;
  const absl::StatusOr<Graph> scaled = ScaleBatch({small, 4}, {larger, 6}, 512);
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  EXPECT_EQ(scaled->tensors[1].size_bytes, 777);
  EXPECT_EQ(scaled->tensors[2].size_bytes, 51'200);
}

TEST(BatchScalingTest, RefusesBatchesThatDoNotAscend) {
  const Graph small = StepOf(4), larger = StepOf(6);
  const std::vector<std::tuple<int, int, int>> cases = {
      {6, 4, 8}, {4, 4, 8}, {4, 6, 3}, {0, 6, 8}};
  for (const auto& [a, b, wanted] : cases) {
    EXPECT_EQ(ScaleBatch({small, a}, {larger, b}, wanted).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(BatchScalingTest, RefusesCapturesInTheOrderOppositeToTheirBatches) {
  const Graph small = StepOf(4), larger = StepOf(6);
  EXPECT_THAT(ScaleBatch({larger, 4}, {small, 6}, 8).status().message(),
              HasSubstr("in the order of their batches"));
  EXPECT_THAT(ScaleBatch({small, 4}, {small, 6}, 8).status().message(),
              HasSubstr("in the order of their batches"));
}

TEST(BatchScalingTest, SaysThatABatchIsTooLargeForAGraph) {
  const Graph small = StepOf(4), larger = StepOf(6);
  for (const int64_t batch : {int64_t{1} << 50, INT64_MAX}) {
    EXPECT_THAT(ScaleBatch({small, 4}, {larger, 6}, batch).status().message(),
                AllOf(HasSubstr(absl::StrCat("batch ", batch, " is too large")),
                      Not(HasSubstr("is -"))));
  }
}

TEST(BatchScalingTest, RefusesCapturesOfAProcessorWithoutAPeak) {
  Graph small = StepOf(4);
  small.processor_peak = {};
  EXPECT_THAT(ScaleBatch({small, 4}, {StepOf(6), 6}, 8).status().message(),
              HasSubstr("peak"));
}

}  // namespace
}  // namespace stowage::policies
