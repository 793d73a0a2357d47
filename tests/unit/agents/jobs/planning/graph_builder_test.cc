#include "agents/jobs/planning/graph_builder.h"

#include "gtest/gtest.h"
#include "tests/unit/agents/jobs/profile_builder.h"

namespace stowage::agent {
namespace {

constexpr uint32_t kRead = session::kOperandRead;
constexpr uint32_t kWrite = session::kOperandWrite;

GraphBinding Build(const ProfileBuilder& profile) {
  const auto copy = profile.Copy();
  EXPECT_TRUE(copy.ok()) << copy.status();
  return BuildGraph(*copy);
}

// Returns the only tensor of a graph of `kernels` kernels with one block.
v1::Tensor OnlyTensor(const session::BlockRecord& block, int kernels,
                      uint32_t use = kRead) {
  ProfileBuilder profile;
  const uint32_t index = profile.AddBlock(block);
  for (int k = 0; k < kernels; ++k) {
    const bool alive = k >= block.birth_kernel &&
                       (block.death_kernel < 0 || k <= block.death_kernel);
    profile.AddKernel("op", alive
                                ? std::vector<ProfileBuilder::Use>{{index, use}}
                                : std::vector<ProfileBuilder::Use>{});
  }
  const GraphBinding binding = Build(profile);
  EXPECT_EQ(binding.graph.tensors_size(), 1);
  return binding.graph.tensors(0);
}

TEST(GraphBuilderTest, KeepsKernelsTheirTimesAndTheirOperands) {
  ProfileBuilder profile;
  const uint32_t weight = profile.AddBlock(Lasting(1, 8192));
  const uint32_t out = profile.AddBlock(Passing(2, 4096, 0, 0, 1));
  profile.AddKernel("aten::mm", {{weight, kRead, 2}, {out, kWrite}});
  profile.AddKernel("aten::relu", {{out, kRead}}, /*slow_operands=*/1);
  profile.area().unmanaged_peak_bytes = 1;
  const v1::Graph graph = Build(profile).graph;
  EXPECT_EQ(graph.schema_version(), 1);
  EXPECT_EQ(graph.name(), "captured-0000000000000abc");
  EXPECT_EQ(graph.unmanaged_peak_bytes(), 64 << 10);
  ASSERT_EQ(graph.kernels_size(), 2);
  const v1::Kernel& mm = graph.kernels(0);
  EXPECT_EQ(mm.name(), "aten::mm");
  EXPECT_EQ(mm.gap_ns(), 10);
  EXPECT_EQ(mm.flops(), 5);
  EXPECT_EQ(mm.profile().fast_inputs_fast_outputs().duration_ns(), 100);
  EXPECT_EQ(mm.profile().fast_inputs_fast_outputs().source(),
            v1::DURATION_SOURCE_MEASURED);
  EXPECT_EQ(graph.kernels(1).profile().fast_inputs_fast_outputs().source(),
            v1::DURATION_SOURCE_DERIVED);
  ASSERT_EQ(mm.operands_size(), 2);
  EXPECT_TRUE(mm.operands(0).read());
  EXPECT_FALSE(mm.operands(0).write());
  EXPECT_EQ(mm.operands(0).access_count(), 2);
  EXPECT_TRUE(mm.operands(1).write());
}

TEST(GraphBuilderTest, NamesATensorOncePerKernel) {
  ProfileBuilder profile;
  const uint32_t block = profile.AddBlock(Lasting(1, 8192));
  profile.AddKernel("aten::add_",
                    {{block, kRead}, {block, kWrite}, {block, 0}});
  const v1::Kernel kernel = Build(profile).graph.kernels(0);
  ASSERT_EQ(kernel.operands_size(), 1);
  EXPECT_TRUE(kernel.operands(0).read());
  EXPECT_TRUE(kernel.operands(0).write());
  EXPECT_EQ(kernel.operands(0).access_count(), 3);
}

TEST(GraphBuilderTest, TellsTheKindsApart) {
  EXPECT_EQ(OnlyTensor(Lasting(1, 64, session::kBlockParameter), 2).kind(),
            v1::TENSOR_KIND_WEIGHT);
  EXPECT_EQ(OnlyTensor(Lasting(1, 64), 2, kRead | kWrite).kind(),
            v1::TENSOR_KIND_OPTIMIZER_STATE);
  EXPECT_EQ(OnlyTensor(Lasting(1, 64), 2, kRead).kind(), v1::TENSOR_KIND_INPUT);
  EXPECT_EQ(OnlyTensor(Passing(1, 64, 0, 0, 1), 2).kind(),
            v1::TENSOR_KIND_ACTIVATION);
  EXPECT_EQ(
      OnlyTensor(Passing(1, 64, 0, 0, 1, session::kBlockBackward), 2).kind(),
      v1::TENSOR_KIND_GRADIENT);
}

TEST(GraphBuilderTest, MakesScratchAWorkspaceAndPinsWhatOutlivesItsKernel) {
  const v1::Tensor brief =
      OnlyTensor(Passing(1, 64, 1, 0, 1, session::kBlockRaw), 3);
  EXPECT_EQ(brief.kind(), v1::TENSOR_KIND_WORKSPACE);
  EXPECT_FALSE(brief.pinned());
  const v1::Tensor longer =
      OnlyTensor(Passing(1, 64, 0, 0, 1, session::kBlockRaw), 3);
  EXPECT_EQ(longer.kind(), v1::TENSOR_KIND_ACTIVATION);
  EXPECT_TRUE(longer.pinned());
  EXPECT_TRUE(OnlyTensor(Lasting(1, 64, session::kBlockPinned), 1).pinned());
}

TEST(GraphBuilderTest, JoinsABlockOfTheStepBeforeWithItsSuccessor) {
  ProfileBuilder profile;
  const uint32_t older =
      profile.AddBlock(Older(1, 64, 2, 1, 0, session::kBlockBackward));
  const uint32_t newer =
      profile.AddBlock(Passing(2, 64, 2, 1, -1, session::kBlockBackward));
  profile.AddKernel("zero_grad", {{older}});
  profile.AddKernel("forward", {});
  profile.AddKernel("backward", {{newer, kWrite}});
  profile.AddKernel("step", {{newer}});
  const GraphBinding binding = Build(profile);
  ASSERT_EQ(binding.graph.tensors_size(), 1);
  const v1::Tensor& gradient = binding.graph.tensors(0);
  EXPECT_FALSE(gradient.persistent());
  EXPECT_EQ(gradient.birth_kernel(), 2);
  EXPECT_EQ(gradient.death_kernel(), 0);
  EXPECT_EQ(gradient.kind(), v1::TENSOR_KIND_GRADIENT);
  ASSERT_TRUE(binding.initial[0].has_value());
  EXPECT_EQ(binding.initial[0]->block_id, 0);
  EXPECT_EQ(binding.initial[0]->birth_kernel, 2);
  EXPECT_EQ(binding.initial[0]->birth_ordinal, 1);
  ASSERT_EQ(binding.births.size(), 1);
  EXPECT_EQ(binding.births[0].kernel, 2);
  EXPECT_EQ(binding.births[0].ordinal, 1);
}

TEST(GraphBuilderTest, KeepsTwoTensorsWhereOldAndNewOverlap) {
  ProfileBuilder profile;
  const uint32_t older = profile.AddBlock(Older(1, 64, 0, 0, 1));
  const uint32_t newer = profile.AddBlock(Passing(2, 64, 0, 0, -1));
  profile.AddKernel("forward", {{newer, kWrite}});
  profile.AddKernel("replace", {{older}});
  profile.AddKernel("end", {{newer}});
  const GraphBinding binding = Build(profile);
  ASSERT_EQ(binding.graph.tensors_size(), 2);
  EXPECT_TRUE(binding.graph.tensors(0).persistent());
  EXPECT_EQ(binding.initial[0]->birth_kernel, 0);
  EXPECT_FALSE(binding.graph.tensors(1).persistent());
  EXPECT_EQ(binding.graph.tensors(1).birth_kernel(), 0);
  EXPECT_EQ(binding.graph.tensors(1).death_kernel(), 2);
  EXPECT_FALSE(binding.initial[1].has_value());
}

TEST(GraphBuilderTest, JoinsBlocksOfOneSizeWhereTheStepBeforeWasAnother) {
  ProfileBuilder profile;
  // The step before had other kernels, so its births do not count.
  const uint32_t second = profile.AddBlock(Older(2, 64, -1, -1, 1));
  const uint32_t first = profile.AddBlock(Older(1, 64, -1, -1, 0));
  const uint32_t known = profile.AddBlock(Older(3, 64, 2, 0, 0));
  profile.AddBlock(Passing(4, 64, 2, 0, -1));
  profile.AddBlock(Passing(5, 64, 3, 0, -1));
  profile.AddBlock(Passing(6, 64, 4, 0, -1));
  profile.AddKernel("replace", {{first}, {known}});
  profile.AddKernel("replace", {{second}});
  for (int k = 2; k < 5; ++k) profile.AddKernel("forward", {});
  const GraphBinding binding = Build(profile);
  ASSERT_EQ(binding.graph.tensors_size(), 3);
  const int deaths[] = {0, 0, 1};
  for (int t = 0; t < 3; ++t) {
    const v1::Tensor& tensor = binding.graph.tensors(t);
    EXPECT_FALSE(tensor.persistent());
    EXPECT_EQ(tensor.birth_kernel(), t + 2);
    EXPECT_EQ(tensor.death_kernel(), deaths[t]);
    EXPECT_EQ(binding.initial[t]->birth_kernel, t + 2);
  }
}

TEST(GraphBuilderTest, TakesWhatHasNoPartnerAsPersistent) {
  ProfileBuilder profile;
  profile.AddBlock(Older(1, 64, 1, 0, 0));
  profile.AddBlock(Passing(2, 128, 1, 0, -1));  // another size: no successor
  profile.AddKernel("a", {{0}});
  profile.AddKernel("b", {{1, kWrite}});
  const GraphBinding binding = Build(profile);
  ASSERT_EQ(binding.graph.tensors_size(), 2);
  EXPECT_TRUE(binding.graph.tensors(0).persistent());
  EXPECT_FALSE(binding.graph.tensors(0).pinned());
  EXPECT_EQ(binding.initial[0]->block_id, 1);
  EXPECT_TRUE(binding.graph.tensors(1).persistent());
  EXPECT_EQ(binding.initial[1]->block_id, 0);
  EXPECT_EQ(binding.initial[1]->birth_kernel, 1);
}

TEST(GraphBuilderTest, StretchesALifeToItsLastUse) {
  ProfileBuilder profile;
  const uint32_t block = profile.AddBlock(Passing(1, 64, 0, 0, 0));
  profile.AddKernel("a", {{block, kWrite}});
  profile.AddKernel("b", {{block}});
  EXPECT_EQ(Build(profile).graph.tensors(0).death_kernel(), 1);
}

TEST(GraphBuilderTest, GivesEqualGraphsForBlocksInAnyOrder) {
  const auto build = [](bool swapped) {
    ProfileBuilder profile;
    const auto big = Lasting(swapped ? 9 : 1, 8192);
    const auto small = Lasting(swapped ? 3 : 2, 4096);
    const uint32_t first = profile.AddBlock(swapped ? small : big);
    const uint32_t second = profile.AddBlock(swapped ? big : small);
    profile.AddKernel("a", {{swapped ? second : first}});
    profile.AddKernel("b", {{swapped ? first : second}});
    return Build(profile).graph.SerializeAsString();
  };
  EXPECT_EQ(build(false), build(true));
}

}  // namespace
}  // namespace stowage::agent
