#include "client_sdk/runtime/steps/step_profile.h"

#include <memory>
#include <string_view>
#include <vector>

#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/session/hash.h"
#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kBlockBytes = 1 << 16;

class StepProfileTest : public testing::Test {
 protected:
  StepProfileTest() { profile_.Begin(); }

  int32_t AddKernel(std::string_view name) {
    return profile_.AddKernel(session::HashString(name), name, /*gap_ns=*/5);
  }
  void Read(int32_t kernel, Block* block) {
    profile_.AddOperand(kernel, {block, session::kOperandRead});
  }
  const session::ProfileArea& Written() {
    profile_.Write(area_.get());
    return *area_;
  }

  StepProfile profile_;
  std::unique_ptr<session::ProfileArea> area_ =
      std::make_unique<session::ProfileArea>();
};

TEST_F(StepProfileTest, GroupsOperandsByKernelWhenKernelsOverlap) {
  Block a{.id = 1, .size_bytes = kBlockBytes},
      b{.id = 2, .size_bytes = kBlockBytes};
  profile_.AddAlive(&a, 0);
  profile_.AddAlive(&b, 0);
  const int32_t first = AddKernel("first");
  const int32_t second = AddKernel("second");
  Read(second, &b);
  Read(first, &a);
  Read(second, &a);
  profile_.EndKernel(first, {.duration_ns = 11,
                             .flops = 12,
                             .slow_operands = 1,
                             .streamed_bytes = 13,
                             .stream_ns = 14,
                             .window_bytes = 15});

  const session::ProfileArea& area = Written();
  ASSERT_EQ(area.kernel_count, 2u);
  ASSERT_EQ(area.operand_count, 3u);
  EXPECT_EQ(area.kernels[0].first_operand, 0u);
  EXPECT_EQ(area.kernels[0].operand_count, 1u);
  EXPECT_EQ(area.kernels[0].gap_ns, 5);
  EXPECT_EQ(area.kernels[0].duration_ns, 11);
  EXPECT_EQ(area.kernels[0].flops, 12);
  EXPECT_EQ(area.kernels[0].slow_operands, 1u);
  EXPECT_EQ(area.kernels[0].streamed_bytes, 13);
  EXPECT_EQ(area.kernels[0].stream_ns, 14);
  EXPECT_EQ(area.kernels[0].window_bytes, 15);
  EXPECT_EQ(area.kernels[1].first_operand, 1u);
  EXPECT_EQ(area.kernels[1].operand_count, 2u);
  EXPECT_EQ(area.operands[0].block, 0u);
  EXPECT_EQ(area.operands[1].block, 1u);
  EXPECT_EQ(area.operands[2].block, 0u);
}

TEST_F(StepProfileTest, KernelsReadWhatIsUsedBesideThemUntilOneNamesIt) {
  Block named{.id = 1, .size_bytes = kBlockBytes},
      dies{.id = 2, .size_bytes = kBlockBytes};
  profile_.AddAlive(&named, 0);
  profile_.AddAlive(&dies, 0);
  Read(AddKernel("all_reduce"), &named);
  profile_.AddUseBeside(named);
  profile_.AddUseBeside(dies);
  AddKernel("beside");
  dies.pinned = true;
  dies.views = 1;
  profile_.AddDeath(dies);
  Read(AddKernel("add_"), &named);
  AddKernel("after");

  const session::ProfileArea& area = Written();
  EXPECT_EQ(area.kernels[0].operand_count, 1u);
  ASSERT_EQ(area.kernels[1].operand_count, 2u);
  EXPECT_EQ(area.operands[area.kernels[1].first_operand].flags,
            session::kOperandRead);
  EXPECT_EQ(area.kernels[2].operand_count, 1u);
  EXPECT_EQ(area.kernels[3].operand_count, 0u);
  EXPECT_EQ(area.blocks[1].flags & session::kBlockPinned, 0u);
}

TEST_F(StepProfileTest, AddsUpTheUsesOfABlockByOneKernel) {
  Block block{.id = 1, .size_bytes = kBlockBytes};
  profile_.AddAlive(&block, 0);
  const int32_t kernel = AddKernel("add_");
  profile_.AddOperand(kernel, {&block, session::kOperandRead, 2});
  profile_.AddOperand(kernel, {&block, session::kOperandWrite, 1});

  const session::ProfileArea& area = Written();
  ASSERT_EQ(area.operand_count, 1u);
  EXPECT_EQ(area.operands[0].flags,
            session::kOperandRead | session::kOperandWrite);
  EXPECT_EQ(area.operands[0].access_count, 3u);
}

TEST_F(StepProfileTest, WritesEachNameOnce) {
  AddKernel("conv");
  AddKernel("relu");
  AddKernel("conv");
  const session::ProfileArea& area = Written();
  EXPECT_EQ(area.name_bytes, 10u);
  EXPECT_STREQ(area.names + area.kernels[0].name_offset, "conv");
  EXPECT_STREQ(area.names + area.kernels[1].name_offset, "relu");
  EXPECT_EQ(area.kernels[2].name_offset, area.kernels[0].name_offset);
}

TEST_F(StepProfileTest, RecordsBirthsAndDeaths) {
  Block older{.id = 1, .size_bytes = kBlockBytes};
  Block brief{.id = 2, .size_bytes = 2 * kBlockBytes, .backward = true};
  profile_.AddAlive(&older, 0);
  AddKernel("first");
  const int32_t kernel = AddKernel("second");
  profile_.AddBirth(kernel, /*ordinal=*/3, &brief);
  AddKernel("third");
  profile_.AddDeath(brief);
  AddKernel("fourth");

  const session::ProfileArea& area = Written();
  ASSERT_EQ(area.block_count, 2u);
  EXPECT_EQ(area.blocks[0].id, 1u);
  EXPECT_EQ(area.blocks[0].birth_kernel, -1);
  EXPECT_EQ(area.blocks[0].death_kernel, -1);
  EXPECT_EQ(area.blocks[1].size_bytes, 2 * kBlockBytes);
  EXPECT_EQ(area.blocks[1].birth_kernel, kernel);
  EXPECT_EQ(area.blocks[1].birth_ordinal, 3);
  EXPECT_EQ(area.blocks[1].death_kernel, 2);
  EXPECT_TRUE(area.blocks[1].flags & session::kBlockBackward);
}

TEST_F(StepProfileTest, RecordsWhatABlockIsWhenTheStepEnds) {
  int storage = 0;
  Block weight{.id = 1, .size_bytes = kBlockBytes}, scratch{.id = 2};
  profile_.AddAlive(&weight, 0);
  profile_.AddAlive(&scratch, 0);
  AddKernel("first");
  weight.storage = &storage;
  weight.parameter = true;
  weight.pinned = true;
  const session::ProfileArea& area = Written();
  EXPECT_EQ(area.blocks[0].flags,
            session::kBlockParameter | session::kBlockPinned);
  EXPECT_EQ(area.blocks[1].flags, session::kBlockRaw);
}

TEST_F(StepProfileTest, FindsWhereATensorOfTheStepBeforeWasBorn) {
  const uint64_t tag = BirthTag(session::HashString("loss"), kBlockBytes, 0);
  Block previous{.id = 1, .size_bytes = kBlockBytes};
  Block persistent{.id = 2, .size_bytes = kBlockBytes};
  Block unknown{.id = 3, .size_bytes = kBlockBytes};
  Block born{.id = 4, .size_bytes = kBlockBytes, .birth_tag = tag};
  profile_.AddAlive(&previous, tag);
  profile_.AddAlive(&persistent, 0);
  profile_.AddAlive(&unknown, tag + 1);
  AddKernel("first");
  const int32_t kernel = AddKernel("loss");
  profile_.AddBirth(kernel, 1, &born);

  const session::ProfileArea& area = Written();
  EXPECT_EQ(area.blocks[0].previous_birth_kernel, kernel);
  EXPECT_EQ(area.blocks[0].previous_birth_ordinal, 1);
  EXPECT_EQ(area.blocks[1].previous_birth_kernel, -1);
  EXPECT_EQ(area.blocks[2].previous_birth_kernel, -1);
  EXPECT_EQ(area.blocks[3].previous_birth_kernel, -1);
}

TEST_F(StepProfileTest, WritesTheSameAgainAfterBegin) {
  Block block{.id = 1, .size_bytes = kBlockBytes};
  for (int step = 0; step < 2; ++step) {
    profile_.Begin();
    profile_.AddAlive(&block, 0);
    Read(AddKernel("only"), &block);
    const session::ProfileArea& area = Written();
    EXPECT_EQ(area.kernel_count, 1u);
    EXPECT_EQ(area.kernels[0].operand_count, 1u);
    EXPECT_EQ(area.block_count, 1u);
  }
}

TEST_F(StepProfileTest, IgnoresBlocksThatTheStepDoesNotKnow) {
  Block stranger{.id = 9, .size_bytes = kBlockBytes};
  Read(AddKernel("only"), &stranger);
  profile_.AddDeath(stranger);
  EXPECT_EQ(Written().operand_count, 0u);
}

uint64_t SignatureOf(const std::vector<std::string_view>& names,
                     const std::vector<int64_t>& births) {
  StepProfile profile;
  profile.Begin();
  std::vector<Block> blocks(births.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const int32_t kernel = profile.AddKernel(session::HashString(names[i]),
                                             names[i], /*gap_ns=*/i);
    if (i >= births.size()) continue;
    blocks[i].size_bytes = births[i];
    profile.AddBirth(kernel, 0, &blocks[i]);
    profile.EndKernel(kernel, {.duration_ns = static_cast<int64_t>(100 * i)});
  }
  return profile.signature();
}

TEST(StepSignatureTest, IsEqualForStepsOfTheSameKernelsAndSizes) {
  EXPECT_EQ(SignatureOf({"a", "b"}, {100, 200}),
            SignatureOf({"a", "b"}, {100, 200}));
}

TEST(StepSignatureTest, DiffersInOperatorsOrderSizesAndLength) {
  const uint64_t signature = SignatureOf({"a", "b"}, {100, 200});
  EXPECT_NE(signature, SignatureOf({"a", "c"}, {100, 200}));
  EXPECT_NE(signature, SignatureOf({"b", "a"}, {100, 200}));
  EXPECT_NE(signature, SignatureOf({"a", "b"}, {100, 300}));
  EXPECT_NE(signature, SignatureOf({"a", "b"}, {100}));
  EXPECT_NE(signature, SignatureOf({"a", "b", "b"}, {100, 200}));
}

}  // namespace
}  // namespace stowage::runtime
