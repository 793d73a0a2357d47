#include "agents/jobs/planning/situation.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

using ::testing::ElementsAre;

const std::vector<int64_t> kCapacityBytes = {1000, 5000};

// Returns a plan of five kernels: one tensor persists, one is alive at 1..3,
// and one wraps around, alive from 3 on and until 1.
DeliveredPlan MakePlan() {
  v1::Graph graph;
  for (int k = 0; k < 5; ++k) graph.add_kernels();
  graph.add_tensors()->set_persistent(true);
  v1::Tensor* passing = graph.add_tensors();
  passing->set_birth_kernel(1);
  passing->set_death_kernel(3);
  v1::Tensor* wrapping = graph.add_tensors();
  wrapping->set_birth_kernel(3);
  wrapping->set_death_kernel(1);
  return DeliveredPlanOf("p", graph);
}

Situation MakeSituation(int32_t kernel) {
  return {.plan = 1,
          .kernel = kernel,
          .free_bytes = {10, 20, 0, 0},
          .residents = {{0, 0}, {1, 1}, {2, 1}}};
}

std::vector<int32_t> StatedAt(int32_t kernel) {
  const auto request =
      PlaceRequestFor(MakeSituation(kernel), MakePlan(), kCapacityBytes);
  std::vector<int32_t> tensors;
  for (const v1::Resident& resident : request->residents()) {
    tensors.push_back(resident.tensor());
  }
  return tensors;
}

TEST(SituationTest, AsksToAdaptToWhatIsStated) {
  const auto request =
      PlaceRequestFor(MakeSituation(1), MakePlan(), kCapacityBytes);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->plan_id(), "p");
  EXPECT_EQ(request->kernel(), 1);
  EXPECT_EQ(request->window(), session::kHintWindow);
  EXPECT_TRUE(request->adapt());
  EXPECT_THAT(request->free_bytes(), ElementsAre(10, 20));
  EXPECT_EQ(request->residents(1).tensor(), 1);
  EXPECT_EQ(request->residents(1).tier(), 1);
}

TEST(SituationTest, LeavesOutWhatTheGraphHasDead) {
  EXPECT_THAT(StatedAt(0), ElementsAre(0, 2));
  EXPECT_THAT(StatedAt(1), ElementsAre(0, 1, 2));
  EXPECT_THAT(StatedAt(2), ElementsAre(0, 1));
  EXPECT_THAT(StatedAt(3), ElementsAre(0, 1, 2));
  EXPECT_THAT(StatedAt(4), ElementsAre(0, 2));
}

TEST(SituationTest, BoundsFreeBytesByTheArenas) {
  Situation situation = MakeSituation(1);
  situation.free_bytes = {-7, 1 << 20, 0, 0};
  const auto request = PlaceRequestFor(situation, MakePlan(), kCapacityBytes);
  EXPECT_THAT(request->free_bytes(), ElementsAre(0, 5000));
}

TEST(SituationTest, RefusesKernelsTensorsAndTiersThatThereAreNot) {
  std::vector<Situation> bad(6, MakeSituation(1));
  bad[0].kernel = -1;
  bad[1].kernel = 5;
  bad[2].residents[0].tensor = -1;
  bad[3].residents[0].tensor = 3;
  bad[4].residents[0].tier = -1;
  bad[5].residents[0].tier = 2;
  for (const Situation& situation : bad) {
    EXPECT_TRUE(absl::IsInvalidArgument(
        PlaceRequestFor(situation, MakePlan(), kCapacityBytes).status()));
  }
}

class HintAreaTest : public testing::Test {
 protected:
  absl::Status Fill() {
    return FillHints(response_, MakePlan(), /*tier_count=*/2, area_.get());
  }
  v1::TierAction* AddAction(int32_t kernel, int32_t tensor, int32_t tier) {
    v1::KernelDecision* decision = response_.add_decisions();
    decision->set_kernel(kernel);
    v1::TierAction* action = decision->add_actions();
    action->set_tensor(tensor);
    action->set_tier(tier);
    return action;
  }

  v1::PlaceResponse response_;
  const std::unique_ptr<session::HintArea> area_ =
      std::make_unique<session::HintArea>();
};

TEST_F(HintAreaTest, ActionsOfAPolicyAreHints) {
  AddAction(1, 0, 1);
  AddAction(4, 2, 0);
  ASSERT_TRUE(Fill().ok());
  ASSERT_EQ(area_->hint_count, 2u);
  EXPECT_EQ(area_->hints[0].kernel, 1);
  EXPECT_EQ(area_->hints[0].tensor, 0);
  EXPECT_EQ(area_->hints[0].tier, 1);
  EXPECT_EQ(area_->hints[1].kernel, 4);
}

TEST_F(HintAreaTest, MovesAndAllocationsOfThePlanAreHints) {
  v1::KernelDecision* decision = response_.add_decisions();
  decision->set_kernel(1);
  v1::Move* move = decision->add_moves();
  move->set_tensor(2);
  move->mutable_to()->set_tier(1);
  decision->add_allocations()->set_tensor(1);
  ASSERT_TRUE(Fill().ok());
  ASSERT_EQ(area_->hint_count, 2u);
  EXPECT_EQ(area_->hints[0].tensor, 2);
  EXPECT_EQ(area_->hints[0].tier, 1);
  EXPECT_EQ(area_->hints[1].tensor, 1);
  EXPECT_EQ(area_->hints[1].tier, 0);
}

TEST_F(HintAreaTest, RefusesWhatTheGraphDoesNotHave) {
  const int32_t bad[][3] = {{-1, 0, 0}, {5, 0, 0},  {1, -1, 0},
                            {1, 3, 0},  {1, 0, -1}, {1, 0, 2}};
  for (const auto& [kernel, tensor, tier] : bad) {
    response_.Clear();
    AddAction(1, 0, 1);
    AddAction(kernel, tensor, tier);
    EXPECT_TRUE(absl::IsInvalidArgument(Fill()));
    EXPECT_EQ(area_->hint_count, 0u);
  }
  response_.Clear();
  AddAction(2, 0, 1);
  AddAction(1, 0, 0);
  EXPECT_TRUE(absl::IsInvalidArgument(Fill()));
}

TEST_F(HintAreaTest, HoldsNoMoreThanItsTable) {
  for (uint32_t i = 0; i < session::kMaxHints + 5; ++i) AddAction(1, 0, 1);
  ASSERT_TRUE(Fill().ok());
  EXPECT_EQ(area_->hint_count, session::kMaxHints);
}

}  // namespace
}  // namespace stowage::agent
