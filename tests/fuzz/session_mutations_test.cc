// Writes anything into the session segment and its socket, as a job's process
// may. The agent refuses it with a status, or makes something valid of it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "agents/jobs/admission/hello.h"
#include "agents/jobs/planning/graph_builder.h"
#include "agents/jobs/planning/plan_table.h"
#include "agents/jobs/planning/situation.h"
#include "agents/jobs/records/captured_profile.h"
#include "agents/jobs/records/fixed_text.h"
#include "agents/jobs/records/step_reader.h"
#include "google/protobuf/stubs/logging.h"
#include "gtest/gtest.h"
#include "tests/fuzz/mutator.h"
#include "tests/unit/agents/jobs/profile_builder.h"

namespace stowage::agent {
namespace {

constexpr uint64_t kSeed = 20210423;
constexpr int64_t kPage = session::kPageBytes;

// Holds a part of the segment and the bytes that it had at first.
class Region {
 public:
  template <typename T>
  Region(T* begin, size_t count)
      : begin_(reinterpret_cast<char*>(begin)),
        bytes_(begin_, count * sizeof(T)) {}

  void Damage(Mutator& mutator) {
    mutator.DamageInPlace(begin_, bytes_.size());
  }
  void Restore() { std::memcpy(begin_, bytes_.data(), bytes_.size()); }

 private:
  char* begin_;
  std::string bytes_;
};

class SessionMutationsTest : public testing::Test {
 protected:
  SessionMutationsTest() {
    const uint32_t weight =
        profile_.AddBlock(Lasting(77, 5000, session::kBlockParameter));
    const uint32_t lasting = profile_.AddBlock(Passing(78, 4096, 1, 2, -1));
    const uint32_t passing = profile_.AddBlock(Passing(79, 4096, 0, 0, 2));
    const uint32_t scratch =
        profile_.AddBlock(Passing(80, 9000, 1, 0, 1, session::kBlockRaw));
    profile_.AddBlock(Older(81, 4096, 1, 2, 1));
    profile_.AddKernel("a", {{weight}, {passing, session::kOperandWrite}});
    profile_.AddKernel("b", {{lasting, session::kOperandWrite}, {scratch}});
    profile_.AddKernel("c", {{passing}});
  }

  std::vector<Region> ProfileRegions() {
    session::ProfileArea& area = profile_.area();
    std::vector<Region> regions;
    regions.emplace_back(reinterpret_cast<char*>(&area),
                         offsetof(session::ProfileArea, kernels));
    regions.emplace_back(area.kernels, area.kernel_count);
    regions.emplace_back(area.operands, area.operand_count);
    regions.emplace_back(area.blocks, area.block_count);
    regions.emplace_back(area.names, area.name_bytes);
    return regions;
  }

  ProfileBuilder profile_;
};

TEST_F(SessionMutationsTest, DamagedProfilesAreRefusedOrMakeAGraph) {
  std::vector<Region> regions = ProfileRegions();
  Mutator mutator(kSeed);
  int refused = 0, made = 0;
  for (int i = 0; i < 4000; ++i) {
    Region& region = regions[i % regions.size()];
    region.Damage(mutator);
    const auto copy = profile_.Copy();
    region.Restore();
    if (!copy.ok()) {
      EXPECT_FALSE(copy.status().message().empty());
      ++refused;
      continue;
    }
    const GraphBinding binding = BuildGraph(*copy);
    EXPECT_EQ(binding.kernel_keys.size(), binding.graph.kernels_size());
    EXPECT_EQ(binding.initial.size(), binding.graph.tensors_size());
    for (const Birth& birth : binding.births) {
      EXPECT_LT(birth.tensor, binding.graph.tensors_size());
    }
    ++made;
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(made, 500);
}

TEST_F(SessionMutationsTest, DamagedPlansNeverReachTheTable) {
  const GraphBinding binding = BuildGraph(*profile_.Copy());
  v1::Plan plan;
  plan.set_policy("test");
  for (int t = 0; t < binding.graph.tensors_size(); ++t) {
    v1::Allocation& at = binding.initial[t].has_value()
                             ? *plan.add_initial()
                             : *plan.add_allocations();
    at.set_tensor(t);
    at.mutable_at()->set_offset_bytes(4 * t * kPage);
  }
  v1::Move& move = *plan.add_moves();
  move.mutable_to()->set_tier(1);
  move.set_deadline_kernel(1);
  v1::Move& fetch = *plan.add_moves();
  fetch.mutable_from()->set_tier(1);
  fetch.set_start_kernel(1);
  fetch.set_deadline_kernel(2);
  fetch.set_keeps_source(true);
  v1::Move& drop = *plan.add_moves();
  drop.mutable_to()->set_tier(1);
  drop.set_start_kernel(2);
  drop.set_deadline_kernel(2);
  drop.set_is_drop(true);
  plan.add_streams()->add_tensors(0);
  const auto area = std::make_unique<session::PlanArea>();
  const std::vector<int64_t> capacity_bytes = {64 * kPage, 64 * kPage};
  ASSERT_EQ(FillPlanArea(plan, binding, capacity_bytes, area.get()),
            absl::OkStatus());
  const std::string bytes = plan.SerializeAsString();
  const google::protobuf::LogSilencer quiet;
  Mutator mutator(kSeed);
  int drops = 0;
  for (int i = 0; i < 4000; ++i) {
    v1::Plan damaged;
    if (!damaged.ParseFromString(mutator.Damage(bytes))) continue;
    if (!FillPlanArea(damaged, binding, capacity_bytes, area.get()).ok()) {
      continue;
    }
    ASSERT_LE(area->move_count, session::kMaxMoves);
    for (uint32_t m = 0; m < area->move_count; ++m) {
      const session::PlanMove& moved = area->moves[m];
      ASSERT_LT(static_cast<size_t>(moved.from_tier), capacity_bytes.size());
      ASSERT_LE(moved.from_offset_bytes + moved.size_bytes,
                capacity_bytes[moved.from_tier]);
      ASSERT_LE(moved.to_offset_bytes + moved.size_bytes,
                capacity_bytes[moved.to_tier]);
      const bool keeps = moved.flags == session::kMoveKeepsSource;
      const bool is_drop = moved.flags == session::kMoveIsDrop;
      ASSERT_TRUE(keeps || is_drop || moved.flags == 0);
      ASSERT_TRUE(!keeps || (moved.from_tier > 0 && moved.to_tier == 0));
      ASSERT_TRUE(!is_drop || (moved.from_tier == 0 && moved.to_tier > 0));
      drops += is_drop;
    }
  }
  EXPECT_GT(drops, 100);
}

TEST_F(SessionMutationsTest, DamagedSituationsAskForNothingThatThereIsNot) {
  const GraphBinding binding = BuildGraph(*profile_.Copy());
  const DeliveredPlan plan = DeliveredPlanOf("plan", binding.graph);
  const std::vector<int64_t> capacity_bytes = {64 * kPage, 64 * kPage};
  const auto area = std::make_unique<session::SituationArea>();
  area->kernel = 1;
  for (int t = 0; t < binding.graph.tensors_size(); ++t) {
    area->residents[area->resident_count++] = {t, t % 2};
  }
  Region head(reinterpret_cast<char*>(area.get()),
              offsetof(session::SituationArea, residents));
  Region residents(area->residents, area->resident_count);
  Mutator mutator(kSeed);
  int refused = 0, asked = 0;
  for (int i = 0; i < 4000; ++i) {
    Region& region = i % 2 == 0 ? head : residents;
    region.Damage(mutator);
    const auto request =
        PlaceRequestFor(CopySituation(*area), plan, capacity_bytes);
    region.Restore();
    if (!request.ok()) {
      EXPECT_FALSE(request.status().message().empty());
      ++refused;
      continue;
    }
    ASSERT_LT(request->kernel(), binding.graph.kernels_size());
    for (const v1::Resident& resident : request->residents()) {
      ASSERT_LT(resident.tensor(), binding.graph.tensors_size());
      ASSERT_LT(resident.tier(), capacity_bytes.size());
    }
    ++asked;
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(asked, 500);
}

TEST(HelloMutationsTest, DamagedHellosAreRefusedOrWhole) {
  session::Hello hello{};
  hello.magic = session::kMagic;
  hello.version = session::kVersion;
  SetText(hello.run_id, "run-1.a_b");
  SetText(hello.command, "python3 train.py");
  SetText(hello.fast, "900MiB");
  SetText(hello.slow, "file:/tmp");
  const std::string bytes(reinterpret_cast<const char*>(&hello), sizeof(hello));
  Mutator mutator(kSeed);
  int accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string damaged = bytes;
    if (i % 2 == 0) {
      damaged = mutator.Damage(bytes);
    } else {
      mutator.DamageInPlace(damaged.data(), damaged.size());
    }
    const auto request = ParseHello(damaged, {}, {});
    accepted += request.ok();
    if (!request.ok()) {
      EXPECT_FALSE(request.status().message().empty());
    } else {
      EXPECT_EQ(request->run_id.find('/'), std::string::npos);
    }
  }
  EXPECT_GT(accepted, 500);
}

TEST(StepLogMutationsTest, DamagedStepsAreLeftOutOrPossible) {
  const auto log = std::make_unique<session::StepLog>();
  for (int i = 0; i < 8; ++i) {
    log->entries[i] = {
        .index = i, .mode = session::kStepPlan, .duration_ns = 9};
  }
  Region entries(log->entries, 8);
  Mutator mutator(kSeed);
  int read = 0;
  for (int i = 0; i < 2000; ++i) {
    log->written.store(8);
    entries.Damage(mutator);
    StepReader reader(log.get(), "job");
    for (const v1::StepTelemetry& step : reader.Read()) {
      EXPECT_GE(step.index(), 0);
      EXPECT_GE(step.duration_ns(), 0);
      ++read;
    }
    entries.Restore();
  }
  EXPECT_GT(read, 8000);
}

}  // namespace
}  // namespace stowage::agent
