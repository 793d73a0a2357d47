#include "agents/jobs/records/captured_profile.h"

#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/jobs/profile_builder.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

// Returns a profile with two kernels, two blocks and three operands.
ProfileBuilder SmallProfile() {
  ProfileBuilder profile;
  const uint32_t weight = profile.AddBlock(Lasting(1, 8192));
  const uint32_t activation = profile.AddBlock(Passing(2, 4096, 0, 0, 1));
  profile.AddKernel("aten::mm", {{weight}, {activation}});
  profile.AddKernel("aten::relu", {{activation}});
  return profile;
}

TEST(CapturedProfileTest, CopiesWhatTheJobWrote) {
  const auto copy = SmallProfile().Copy();
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(copy->signature, 0xabc);
  EXPECT_EQ(copy->kernels.size(), 2);
  EXPECT_EQ(copy->operands.size(), 3);
  EXPECT_EQ(copy->blocks.size(), 2);
  EXPECT_THAT(copy->names, testing::ElementsAre("aten::mm", "aten::relu"));
}

TEST(CapturedProfileTest, RefusesWhatNoStepCanHave) {
  const struct {
    const char* what;
    std::function<void(session::ProfileArea&)> break_it;
  } cases[] = {
      {"kernels", [](auto& area) { area.kernel_count = 0; }},
      {"kernels",
       [](auto& area) { area.kernel_count = session::kMaxKernels + 1; }},
      {"operands", [](auto& area) { area.operand_count = ~0u; }},
      {"blocks", [](auto& area) { area.block_count = ~0u; }},
      {"names", [](auto& area) { area.name_bytes = ~0u; }},
      {"operand_count", [](auto& area) { area.kernels[1].operand_count = 2; }},
      {"operand_count",
       [](auto& area) { area.kernels[0].first_operand = ~0u; }},
      {"operand_count (with those before)",
       [](auto& area) {
         area.kernels[1].first_operand = 0;
         area.kernels[1].operand_count = 3;
       }},
      {"kernels[0].duration_ns",
       [](auto& area) { area.kernels[0].duration_ns = -1; }},
      {"gap_ns", [](auto& area) { area.kernels[0].gap_ns = INT64_MAX; }},
      {"flops", [](auto& area) { area.kernels[0].flops = -1; }},
      {"streamed_bytes",
       [](auto& area) { area.kernels[0].streamed_bytes = -1; }},
      {"stream_ns", [](auto& area) { area.kernels[0].stream_ns = INT64_MAX; }},
      {"window_bytes", [](auto& area) { area.kernels[0].window_bytes = -1; }},
      {"operands[2].block", [](auto& area) { area.operands[2].block = 2; }},
      {"size_bytes", [](auto& area) { area.blocks[0].size_bytes = 0; }},
      {"size_bytes", [](auto& area) { area.blocks[0].size_bytes = INT64_MAX; }},
      {"birth_kernel", [](auto& area) { area.blocks[1].birth_kernel = 2; }},
      {"birth_kernel", [](auto& area) { area.blocks[1].birth_kernel = -2; }},
      {"birth_ordinal", [](auto& area) { area.blocks[1].birth_ordinal = -1; }},
      {"birth_ordinal",
       [](auto& area) { area.blocks[1].birth_ordinal = INT32_MAX; }},
      {"death_kernel",
       [](auto& area) {
         area.blocks[1].birth_kernel = 1;
         area.blocks[1].death_kernel = 0;
       }},
      {"birth_ordinal (seen before)",
       [](auto& area) { area.blocks[0] = area.blocks[1]; }},
      {"tensor_peak_bytes", [](auto& area) { area.tensor_peak_bytes = -1; }},
      {"unmanaged_peak_bytes",
       [](auto& area) { area.unmanaged_peak_bytes = -1; }},
  };
  for (const auto& test : cases) {
    ProfileBuilder profile = SmallProfile();
    test.break_it(profile.area());
    const auto copy = profile.Copy();
    EXPECT_TRUE(absl::IsInvalidArgument(copy.status())) << test.what;
    EXPECT_THAT(std::string(copy.status().message()), HasSubstr(test.what));
  }
}

TEST(CapturedProfileTest, RefusesTimesAndSizesWhoseSumsOverflow) {
  ProfileBuilder kernels;
  kernels.area().kernel_count = 1 << 14;
  for (int k = 0; k < 1 << 14; ++k) {
    kernels.area().kernels[k].duration_ns = int64_t{1} << 50;
  }
  EXPECT_THAT(std::string(kernels.Copy().status().message()),
              HasSubstr("kernels[256].duration_ns (with those before)"));
  ProfileBuilder blocks;
  blocks.AddKernel("aten::mm", {});
  for (int b = 0; b < 1 << 16; ++b) {
    blocks.AddBlock(Lasting(b, int64_t{1} << 48));
  }
  EXPECT_THAT(std::string(blocks.Copy().status().message()),
              HasSubstr("blocks[1024].size_bytes (with those before)"));
}

TEST(CapturedProfileTest, MakesNamesFitForPeople) {
  ProfileBuilder profile = SmallProfile();
  session::ProfileArea& area = profile.area();
  std::memcpy(area.names, "aten\n\xff", 6);
  area.kernels[1].name_offset = ~0u;
  auto copy = profile.Copy();
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(copy->names[0].substr(0, 6), "aten??");
  EXPECT_EQ(copy->names[1], "kernel");
  // The name has no end anywhere.
  area.kernels[1].name_offset = 0;
  std::memset(area.names, 'x', sizeof(area.names));
  area.name_bytes = sizeof(area.names);
  copy = profile.Copy();
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(copy->names[1].size(), sizeof(area.names));
}

TEST(CapturedProfileTest, SurvivesRandomBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    ProfileBuilder profile = SmallProfile();
    auto* bytes = reinterpret_cast<unsigned char*>(&profile.area());
    // These are the head and the first records, which hold counts and indices.
    for (int i = 0; i < 64; ++i) {
      bytes[random() % 256] = static_cast<unsigned char>(random());
      profile.area().blocks[random() % 2].birth_kernel =
          static_cast<int32_t>(random() % 5) - 2;
    }
    if (const auto copy = profile.Copy(); copy.ok()) {
      for (const auto& operand : copy->operands) {
        ASSERT_LT(operand.block, copy->blocks.size());
      }
    }
  }
}

}  // namespace
}  // namespace stowage::agent
