#include "client_sdk/runtime/plans/hints.h"

#include <memory>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

class HintsTest : public testing::Test {
 protected:
  HintsTest() {
    plan_.kernels.resize(4);
    plan_.tensor_count = 3;
    area_->hints[0] = {.kernel = 1, .tensor = 0, .tier = 1};
    area_->hints[1] = {.kernel = 1, .tensor = 2, .tier = 0};
    area_->hints[2] = {.kernel = 3, .tensor = 0, .tier = 0};
    area_->hint_count = 3;
  }

  bool Copies() const { return CopyHints(*area_, plan_, 2).has_value(); }

  PlanTable plan_;
  std::unique_ptr<session::HintArea> area_ =
      std::make_unique<session::HintArea>();
};

TEST_F(HintsTest, CopiesWhatNamesThingsThatThereAre) {
  const auto hints = CopyHints(*area_, plan_, 2);
  ASSERT_TRUE(hints.has_value());
  ASSERT_EQ(hints->size(), 3u);
  EXPECT_EQ((*hints)[1].tensor, 2);
}

TEST_F(HintsTest, RefusesKernelsTensorsAndTiersThatThereAreNot) {
  const session::Hint good = area_->hints[1];
  for (const session::Hint& bad :
       {session::Hint{.kernel = -1, .tensor = 0, .tier = 0},
        session::Hint{.kernel = 4, .tensor = 0, .tier = 0},
        session::Hint{.kernel = 1, .tensor = -1, .tier = 0},
        session::Hint{.kernel = 1, .tensor = 3, .tier = 0},
        session::Hint{.kernel = 1, .tensor = 0, .tier = -1},
        session::Hint{.kernel = 1, .tensor = 0, .tier = 2}}) {
    area_->hints[1] = bad;
    EXPECT_FALSE(Copies());
  }
  area_->hints[1] = good;
  EXPECT_TRUE(Copies());
}

TEST_F(HintsTest, RefusesKernelsOutOfOrderAndCountsBeyondTheTable) {
  area_->hints[1].kernel = 0;
  EXPECT_FALSE(Copies());
  area_->hints[1].kernel = 1;
  area_->hint_count = session::kMaxHints + 1;
  EXPECT_FALSE(Copies());
}

TEST_F(HintsTest, TheLastHintForATensorCounts) {
  HintQueue queue;
  queue.Replace(*CopyHints(*area_, plan_, 2));
  EXPECT_EQ(queue.Advance(0), 0);
  EXPECT_TRUE(queue.due.empty());
  EXPECT_EQ(queue.Advance(2), 0);
  EXPECT_EQ(queue.due.size(), 2u);
  EXPECT_EQ(queue.due.at(0).tier, 1);
  EXPECT_EQ(queue.Advance(3), 1);
  EXPECT_EQ(queue.due.at(0).tier, 0);
}

}  // namespace
}  // namespace stowage::runtime
