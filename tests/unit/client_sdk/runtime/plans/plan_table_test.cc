#include "client_sdk/runtime/plans/plan_table.h"

#include <memory>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr int kTiers = 2;
constexpr int64_t kBytes = 1 << 20;

// Returns a plan of two kernels of the same operator; the second allocates
// twice. Tensor 0 is persistent, tensor 1 wraps around from the step before, 2
// to 4 are born.
std::unique_ptr<session::PlanArea> SmallPlan() {
  auto area = std::make_unique<session::PlanArea>();
  area->signature = 17;
  area->predicted = {
      .step_ns = 1000, .stall_ns = 90, .stream_ns = 7, .slowdown_ns = 200};
  area->tensor_count = 5;
  area->kernel_count = 2;
  area->kernels[0] = {.key = 7, .first_allocation = 0, .allocation_count = 1};
  area->kernels[1] = {.key = 7, .first_allocation = 1, .allocation_count = 2};
  area->allocation_count = 3;
  area->allocations[0] = {.tensor = 2, .tier = 0, .size_bytes = kBytes};
  area->allocations[1] = {.tensor = 3, .tier = 0, .size_bytes = kBytes};
  area->allocations[2] = {.tensor = 4, .tier = 1, .size_bytes = 2 * kBytes};
  area->initial_count = 2;
  area->initial[0] = {.tensor = 0,
                      .size_bytes = kBytes,
                      .block_id = 42,
                      .birth_kernel = -1,
                      .birth_ordinal = -1};
  area->initial[1] = {.tensor = 1,
                      .tier = 1,
                      .size_bytes = kBytes,
                      .birth_kernel = 1,
                      .birth_ordinal = 0};
  area->move_count = 3;
  area->moves[0] = {.tensor = 0,
                    .to_tier = 1,
                    .start_kernel = 0,
                    .deadline_kernel = 2,
                    .size_bytes = kBytes};
  area->moves[1] = {.tensor = 2,
                    .to_tier = 1,
                    .start_kernel = 1,
                    .deadline_kernel = 1,
                    .size_bytes = kBytes};
  area->moves[2] = {.tensor = 0,
                    .from_tier = 1,
                    .start_kernel = 2,
                    .deadline_kernel = 2,
                    .size_bytes = kBytes};
  area->stream_count = 3;
  area->streams[0] = {.kernel = 0, .tensor = 1};
  area->streams[1] = {.kernel = 1, .tensor = 0};
  area->streams[2] = {.kernel = 1, .tensor = 4};
  return area;
}

TEST(PlanTableTest, KnowsWhenKernelsBeginIfTheyTakeWhatThePlanCountsOn) {
  const auto area = SmallPlan();
  area->kernels[0].duration_ns = 300;
  area->kernels[1].duration_ns = 40;
  EXPECT_THAT(PlanTable::Copy(*area, kTiers)->boundaries_ns,
              testing::ElementsAre(0, 300, 340));
}

TEST(PlanTableTest, CopiesAConsistentTable) {
  const auto plan = PlanTable::Copy(*SmallPlan(), kTiers);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->signature, 17u);
  EXPECT_EQ(plan->predicted.step_ns, 1000);
  EXPECT_EQ(plan->AloneNs(), 703);
  EXPECT_EQ(plan->kernels.size(), 2u);
  EXPECT_EQ(plan->initial.size(), 2u);
  EXPECT_EQ(plan->moves.size(), 3u);
  // Equal deadlines keep the order of their starts.
  EXPECT_THAT(plan->moves_by_deadline, ElementsAre(1, 0, 2));
}

TEST(PlanTableTest, CopiesWhatMovesKeepAndDrop) {
  const auto area = SmallPlan();
  area->moves[1].flags = session::kMoveIsDrop;
  area->moves[2].flags = session::kMoveKeepsSource;
  const auto plan = PlanTable::Copy(*area, kTiers);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->moves[1].flags, session::kMoveIsDrop);
  EXPECT_EQ(plan->moves[2].flags, session::kMoveKeepsSource);
}

TEST(PlanTableTest, KnowsWhereItsFastTensorsEnd) {
  const auto area = SmallPlan();
  EXPECT_EQ(PlanTable::Copy(*area, kTiers)->fast_end_bytes, kBytes);
  area->moves[2].to_offset_bytes = 5 * kBytes;
  EXPECT_EQ(PlanTable::Copy(*area, kTiers)->fast_end_bytes, 6 * kBytes);
  area->allocations[1].offset_bytes = 8 * kBytes;
  EXPECT_EQ(PlanTable::Copy(*area, kTiers)->fast_end_bytes, 9 * kBytes);
}

TEST(PlanTableTest, FindsAnAllocationByKernelAndOrdinal) {
  const auto plan = PlanTable::Copy(*SmallPlan(), kTiers);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->Allocation(0, 0)->tensor, 2);
  EXPECT_EQ(plan->Allocation(1, 1)->tensor, 4);
  EXPECT_EQ(plan->Allocation(0, 1), nullptr);
  EXPECT_EQ(plan->Allocation(1, 2), nullptr);
  EXPECT_EQ(plan->Allocation(1, -1), nullptr);
}

TEST(PlanTableTest, KnowsWhichOperandsStream) {
  const auto plan = PlanTable::Copy(*SmallPlan(), kTiers);
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(plan->Streams(0, 1));
  EXPECT_TRUE(plan->Streams(1, 4));
  EXPECT_FALSE(plan->Streams(0, 4));
  EXPECT_FALSE(plan->Streams(2, 0));
}

TEST(PlanTableTest, KnowsInitialTensorsByBlockAndByBirthTag) {
  const auto plan = PlanTable::Copy(*SmallPlan(), kTiers);
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(plan->initial_by_block, UnorderedElementsAre(Pair(42, 0)));
  // Kernel 1's first allocation is the step's second one of this kind.
  EXPECT_THAT(plan->initial_by_tag,
              UnorderedElementsAre(Pair(BirthTag(7, kBytes, 1), 1)));
}

TEST(PlanTableTest, TagsOfAPlanAreThoseTheTaggerGivesWhileAStepRuns) {
  const auto plan = PlanTable::Copy(*SmallPlan(), kTiers);
  ASSERT_TRUE(plan.has_value());
  BirthTagger tagger;
  for (int step = 0; step < 2; ++step) {
    tagger.Begin();
    const uint64_t first = tagger.Next(7, kBytes);
    const uint64_t second = tagger.Next(7, kBytes);
    const uint64_t third = tagger.Next(7, 2 * kBytes);
    EXPECT_FALSE(plan->initial_by_tag.contains(first));
    EXPECT_TRUE(plan->initial_by_tag.contains(second));
    EXPECT_FALSE(plan->initial_by_tag.contains(third));
  }
}

TEST(BirthTaggerTest, TellsOperatorsSizesAndOccurrencesApart) {
  BirthTagger tagger;
  tagger.Begin();
  const uint64_t first = tagger.Next(1, 100);
  EXPECT_EQ(first, BirthTag(1, 100, 0));
  EXPECT_NE(tagger.Next(1, 100), first);
  EXPECT_EQ(tagger.Next(1, 100), BirthTag(1, 100, 2));
  EXPECT_EQ(tagger.Next(2, 100), BirthTag(2, 100, 0));
  EXPECT_EQ(tagger.Next(1, 200), BirthTag(1, 200, 0));
}

struct Inconsistency {
  const char* name;
  void (*make)(session::PlanArea* area);
};

class InconsistentPlanTest : public testing::TestWithParam<Inconsistency> {};

TEST_P(InconsistentPlanTest, IsRefused) {
  auto area = SmallPlan();
  GetParam().make(area.get());
  EXPECT_FALSE(PlanTable::Copy(*area, kTiers).has_value());
}

constexpr Inconsistency kInconsistencies[] = {
    {"TooManyKernels",
     [](auto* p) { p->kernel_count = session::kMaxKernels + 1; }},
    {"TooManyInitialTensors",
     [](auto* p) { p->initial_count = session::kMaxBlocks + 1; }},
    {"TooManyAllocations",
     [](auto* p) { p->allocation_count = session::kMaxBlocks + 1; }},
    {"TooManyMoves", [](auto* p) { p->move_count = session::kMaxMoves + 1; }},
    {"TooManyStreams",
     [](auto* p) { p->stream_count = session::kMaxBlocks + 1; }},
    {"KernelOfNegativeTime", [](auto* p) { p->kernels[0].duration_ns = -1; }},
    {"KernelWithoutEnd",
     [](auto* p) { p->kernels[1].duration_ns = int64_t{1} << 62; }},
    {"AllocationsBeyondTheTable",
     [](auto* p) { p->kernels[1].allocation_count = 3; }},
    {"AllocationIndexThatOverflows",
     [](auto* p) { p->kernels[1].first_allocation = 0xffffffff; }},
    {"AllocationOfAnUnknownTensor",
     [](auto* p) { p->allocations[0].tensor = 5; }},
    {"AllocationOfANegativeTensor",
     [](auto* p) { p->allocations[0].tensor = -1; }},
    {"AllocationInAnUnknownTier",
     [](auto* p) { p->allocations[0].tier = kTiers; }},
    {"AllocationInANegativeTier", [](auto* p) { p->allocations[0].tier = -1; }},
    {"InitialUnknownTensor", [](auto* p) { p->initial[0].tensor = 5; }},
    {"InitialUnknownTier", [](auto* p) { p->initial[0].tier = kTiers; }},
    {"MoveOfAnUnknownTensor", [](auto* p) { p->moves[0].tensor = 5; }},
    {"MoveFromAnUnknownTier", [](auto* p) { p->moves[0].from_tier = kTiers; }},
    {"MoveToANegativeTier", [](auto* p) { p->moves[0].to_tier = -1; }},
    {"MoveBeforeTheStep", [](auto* p) { p->moves[0].start_kernel = -1; }},
    {"DeadlineBeforeTheStart",
     [](auto* p) { p->moves[1].deadline_kernel = 0; }},
    {"DeadlineBeyondTheStep", [](auto* p) { p->moves[0].deadline_kernel = 3; }},
    {"KeepingWhatLeaves",
     [](auto* p) { p->moves[0].flags = session::kMoveKeepsSource; }},
    {"KeepingWithinTheFastTier",
     [](auto* p) {
       p->moves[2].from_tier = 0;
       p->moves[2].flags = session::kMoveKeepsSource;
     }},
    {"ADropThatTakesTime",
     [](auto* p) { p->moves[0].flags = session::kMoveIsDrop; }},
    {"ADropIntoTheFastTier",
     [](auto* p) { p->moves[2].flags = session::kMoveIsDrop; }},
    {"ADropThatKeepsItsSource",
     [](auto* p) {
       p->moves[1].flags = session::kMoveIsDrop | session::kMoveKeepsSource;
     }},
    {"UnknownFlags", [](auto* p) { p->moves[1].flags = 4; }},
    {"MovesOutOfOrder", [](auto* p) { std::swap(p->moves[0], p->moves[1]); }},
};

INSTANTIATE_TEST_SUITE_P(All, InconsistentPlanTest,
                         testing::ValuesIn(kInconsistencies),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace stowage::runtime
