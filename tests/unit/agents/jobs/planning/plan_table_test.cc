#include "agents/jobs/planning/plan_table.h"

#include <functional>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/jobs/profile_builder.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

void Set(v1::Placement* at, int tier, int64_t page) {
  at->set_tier(tier);
  at->set_offset_bytes(page * kPage);
}

void Place(v1::Allocation* allocation, int tensor, int tier, int64_t page) {
  allocation->set_tensor(tensor);
  Set(allocation->mutable_at(), tier, page);
}

// Plans three kernels. Tensor 0 is a weight that kernel 0 reads. Tensor 1 is
// persistent and known by its birth at (1, 2). Tensor 2 is an activation that
// is born at (0, 0) and dies at 2.
class PlanTableTest : public testing::Test {
 protected:
  PlanTableTest() {
    ProfileBuilder profile;
    const uint32_t weight = profile.AddBlock(Lasting(77, 5000));
    const uint32_t lasting = profile.AddBlock(Passing(78, 4096, 1, 2, -1));
    const uint32_t passing = profile.AddBlock(Passing(79, 4096, 0, 0, 2));
    profile.AddKernel("a", {{weight}, {passing, session::kOperandWrite}});
    profile.AddKernel("b", {{lasting, session::kOperandWrite}});
    profile.AddKernel("c", {{passing}});
    binding_ = BuildGraph(*profile.Copy());

    plan_.set_policy("test");
    plan_.set_fast_limit_bytes(16 * kPage);
    plan_.mutable_prediction()->set_step_time_ns(123);
    Place(plan_.add_initial(), 0, 0, 1);
    Place(plan_.add_initial(), 1, 1, 5);
    Place(plan_.add_allocations(), 2, 0, 3);
    AddMove(/*tensor=*/1, /*from_page=*/5, /*to_page=*/7, 0, 1);
    v1::Stream& stream = *plan_.add_streams();
    stream.set_kernel(2);
    stream.add_tensors(2);
    stream.set_window_offset_bytes(4 * kPage);
    stream.set_window_bytes(kPage);
  }

  void AddMove(int tensor, int64_t from_page, int64_t to_page, int start,
               int deadline) {
    v1::Move& move = *plan_.add_moves();
    move.set_tensor(tensor);
    Set(move.mutable_from(), 1, from_page);
    Set(move.mutable_to(), 0, to_page);
    move.set_start_kernel(start);
    move.set_deadline_kernel(deadline);
  }

  // Adds a plan in which the weight comes in and is dropped to where it came
  // from.
  void AddDrop() {
    AddMove(/*tensor=*/0, /*from_page=*/9, /*to_page=*/11, 0, 1);
    plan_.mutable_moves(1)->set_keeps_source(true);
    AddMove(/*tensor=*/0, /*from_page=*/9, /*to_page=*/11, 2, 2);
    v1::Move& drop = *plan_.mutable_moves(2);
    drop.set_is_drop(true);
    drop.mutable_from()->Swap(drop.mutable_to());
  }

  absl::Status Fill() {
    return FillPlanArea(plan_, binding_, {16 * kPage, 64 * kPage}, area_.get());
  }

  GraphBinding binding_;
  v1::Plan plan_;
  const std::unique_ptr<session::PlanArea> area_ =
      std::make_unique<session::PlanArea>();
};

TEST_F(PlanTableTest, CarriesThePlanOver) {
  ASSERT_TRUE(Fill().ok()) << Fill();
  EXPECT_EQ(area_->signature, 0xabc);
  EXPECT_STREQ(area_->policy, "test");
  EXPECT_EQ(area_->predicted.step_ns, 123);
  EXPECT_EQ(area_->fast_limit_bytes, 16 * kPage);
  ASSERT_EQ(area_->stream_count, 1);
  EXPECT_EQ(area_->streams[0].window_offset_bytes, 4 * kPage);
  EXPECT_EQ(area_->streams[0].window_bytes, kPage);
  EXPECT_EQ(area_->tensor_count, 3);
  EXPECT_EQ(area_->kernel_count, 3);
  EXPECT_EQ(area_->kernels[1].key, 1001);

  ASSERT_EQ(area_->initial_count, 2);
  EXPECT_EQ(area_->initial[0].block_id, 77);
  EXPECT_EQ(area_->initial[0].birth_kernel, -1);
  EXPECT_EQ(area_->initial[0].size_bytes, 5000);
  EXPECT_EQ(area_->initial[0].offset_bytes, kPage);
  EXPECT_EQ(area_->initial[1].block_id, 0);
  EXPECT_EQ(area_->initial[1].birth_kernel, 1);
  EXPECT_EQ(area_->initial[1].birth_ordinal, 2);

  ASSERT_EQ(area_->move_count, 1);
  EXPECT_EQ(area_->moves[0].tensor, 1);
  EXPECT_EQ(area_->moves[0].from_tier, 1);
  EXPECT_EQ(area_->moves[0].to_tier, 0);
  EXPECT_EQ(area_->moves[0].from_offset_bytes, 5 * kPage);
  EXPECT_EQ(area_->moves[0].to_offset_bytes, 7 * kPage);
  EXPECT_EQ(area_->moves[0].deadline_kernel, 1);

  ASSERT_EQ(area_->stream_count, 1);
  EXPECT_EQ(area_->streams[0].kernel, 2);
  EXPECT_EQ(area_->streams[0].tensor, 2);
}

TEST_F(PlanTableTest, FindsAllocationsByKernelAndOrdinal) {
  ASSERT_TRUE(Fill().ok()) << Fill();
  EXPECT_EQ(area_->kernels[0].allocation_count, 1);
  const auto& passing = area_->allocations[area_->kernels[0].first_allocation];
  EXPECT_EQ(passing.tensor, 2);
  EXPECT_EQ(passing.offset_bytes, 3 * kPage);
  // Ordinals 0 and 1 of kernel 1 were not profiled.
  ASSERT_EQ(area_->kernels[1].allocation_count, 3);
  const auto* of_kernel =
      &area_->allocations[area_->kernels[1].first_allocation];
  EXPECT_EQ(of_kernel[0].tensor, -1);
  EXPECT_EQ(of_kernel[1].tensor, -1);
  EXPECT_EQ(of_kernel[2].tensor, 1);
  EXPECT_EQ(area_->kernels[2].allocation_count, 0);
}

TEST_F(PlanTableTest, AllocatesAPersistentTensorWhereMovesHaveBroughtIt) {
  ASSERT_TRUE(Fill().ok()) << Fill();
  const auto* arrived = &area_->allocations[area_->kernels[1].first_allocation];
  EXPECT_EQ(arrived[2].tier, 0);
  EXPECT_EQ(arrived[2].offset_bytes, 7 * kPage);
  // A move that ends after the birth has not happened yet.
  plan_.mutable_moves(0)->set_deadline_kernel(2);
  ASSERT_TRUE(Fill().ok()) << Fill();
  EXPECT_EQ(arrived[2].tier, 1);
  EXPECT_EQ(arrived[2].offset_bytes, 5 * kPage);
}

TEST_F(PlanTableTest, MovesWholePages) {
  plan_.clear_moves();
  AddMove(/*tensor=*/0, /*from_page=*/5, /*to_page=*/7, 0, 1);
  ASSERT_TRUE(Fill().ok()) << Fill();
  EXPECT_EQ(area_->moves[0].size_bytes, 2 * kPage);
}

TEST_F(PlanTableTest, SaysWhichMovesKeepTheirSourceAndWhichAreDrops) {
  AddDrop();
  ASSERT_TRUE(Fill().ok()) << Fill();
  ASSERT_EQ(area_->move_count, 3);
  EXPECT_EQ(area_->moves[0].flags, 0);
  EXPECT_EQ(area_->moves[1].flags, session::kMoveKeepsSource);
  EXPECT_EQ(area_->moves[2].flags, session::kMoveIsDrop);
  EXPECT_EQ(area_->moves[2].to_tier, 1);
  EXPECT_EQ(area_->moves[2].to_offset_bytes, 9 * kPage);
}

TEST_F(PlanTableTest, AllocatesAPersistentTensorWhereADropHasLeftIt) {
  plan_.mutable_moves(0)->set_deadline_kernel(0);
  plan_.mutable_moves(0)->set_keeps_source(true);
  AddMove(/*tensor=*/1, /*from_page=*/5, /*to_page=*/7, 1, 1);
  v1::Move& drop = *plan_.mutable_moves(1);
  drop.set_is_drop(true);
  drop.mutable_from()->Swap(drop.mutable_to());
  ASSERT_TRUE(Fill().ok()) << Fill();
  const auto& dropped =
      area_->allocations[area_->kernels[1].first_allocation + 2];
  EXPECT_EQ(dropped.tier, 1);
  EXPECT_EQ(dropped.offset_bytes, 5 * kPage);
}

TEST_F(PlanTableTest, RefusesMovesThatKeepOrDropWhatTheyCannot) {
  AddDrop();
  const struct {
    const char* what;
    std::function<void(v1::Plan&)> break_it;
  } cases[] = {
      {"moves[0] keeps its source on its way from tier 0 to tier 0",
       [](auto& plan) {
         plan.mutable_moves(0)->set_keeps_source(true);
         plan.mutable_moves(0)->mutable_from()->set_tier(0);
       }},
      {"moves[2] keeps its source on its way from tier 0 to tier 1",
       [](auto& plan) { plan.mutable_moves(2)->set_keeps_source(true); }},
      {"moves[1] is a drop from tier 1 to tier 0",
       [](auto& plan) {
         plan.mutable_moves(1)->set_keeps_source(false);
         plan.mutable_moves(1)->set_is_drop(true);
       }},
      {"moves[2] is a drop from tier 0 to tier 1, kernel 2 to 3",
       [](auto& plan) { plan.mutable_moves(2)->set_deadline_kernel(3); }},
      {"moves[2] drops tensor 0 to offset 36864 of tier 1, which its last",
       [](auto& plan) { plan.mutable_moves(1)->set_keeps_source(false); }},
      {"moves[2] drops tensor 0 to offset 40960 of tier 1, which its last",
       [](auto& plan) { Set(plan.mutable_moves(2)->mutable_to(), 1, 10); }},
      {"moves[2] drops tensor 0",
       [](auto& plan) { plan.mutable_moves(1)->set_deadline_kernel(3); }},
      {"moves[2] drops tensor 2",
       [](auto& plan) { plan.mutable_moves(2)->set_tensor(2); }},
      {"moves[2] is no drop, but tensor 0's last move keeps its source",
       [](auto& plan) { plan.mutable_moves(2)->set_is_drop(false); }},
      {"moves keeps the source of tensor 0 and never drops it",
       [](auto& plan) { plan.mutable_moves()->RemoveLast(); }},
  };
  for (const auto& test : cases) {
    const v1::Plan good = plan_;
    test.break_it(plan_);
    const absl::Status status = Fill();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << test.what;
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.what));
    plan_ = good;
  }
}

TEST_F(PlanTableTest, RefusesPlansThatLeaveTheirBounds) {
  const struct {
    const char* what;
    std::function<void(v1::Plan&)> break_it;
  } cases[] = {
      {"initial[0]",
       [](auto& plan) { plan.mutable_initial(0)->set_tensor(3); }},
      {"initial[0]",
       [](auto& plan) { plan.mutable_initial(0)->set_tensor(-1); }},
      {"initial[0]",
       [](auto& plan) { plan.mutable_initial(0)->set_tensor(2); }},
      {"initial[1]",
       [](auto& plan) { plan.mutable_initial(1)->mutable_at()->set_tier(2); }},
      {"initial[0]",
       [](auto& plan) { Set(plan.mutable_initial(0)->mutable_at(), 0, 15); }},
      {"initial[0]",
       [](auto& plan) { Set(plan.mutable_initial(0)->mutable_at(), 0, -1); }},
      {"allocations[0]",
       [](auto& plan) {
         plan.mutable_allocations(0)->mutable_at()->set_offset_bytes(100);
       }},
      {"tensor 2", [](auto& plan) { plan.clear_allocations(); }},
      {"moves[0]",
       [](auto& plan) {
         plan.mutable_moves(0)->mutable_to()->set_offset_bytes(INT64_MAX /
                                                               kPage * kPage);
       }},
      {"moves[0]",
       [](auto& plan) { plan.mutable_moves(0)->set_deadline_kernel(4); }},
      {"moves[0]",
       [](auto& plan) { plan.mutable_moves(0)->set_start_kernel(2); }},
      {"moves[0]",
       [](auto& plan) { plan.mutable_moves(0)->set_start_kernel(-1); }},
      {"streams", [](auto& plan) { plan.mutable_streams(0)->set_kernel(3); }},
      {"streams",
       [](auto& plan) { plan.mutable_streams(0)->set_tensors(0, 9); }},
  };
  for (const auto& test : cases) {
    const v1::Plan good = plan_;
    test.break_it(plan_);
    const absl::Status status = Fill();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << test.what;
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.what));
    plan_ = good;
  }
}

}  // namespace
}  // namespace stowage::agent
