// Tells every policy at some moment that nobody wants its plan any more.
#include "policies/plan/cancellation.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

TEST(CancellationTest, NeverComesByDefault) {
  const Cancellation never;
  EXPECT_FALSE(never.IsCancelled());
  EXPECT_TRUE(never.Check().ok());
}

TEST(CancellationTest, ComesWhenItsFunctionSaysSo) {
  bool gone = false;
  const Cancellation cancellation([&] { return gone; });
  EXPECT_TRUE(cancellation.Check().ok());
  gone = true;
  EXPECT_TRUE(cancellation.IsCancelled());
  EXPECT_EQ(cancellation.Check().code(), absl::StatusCode::kCancelled);
}

// Cancels once it has been asked so often, and counts on.
class NthPoll {
 public:
  explicit NthPoll(int64_t n) : n_(n) {}

  Cancellation cancellation() {
    return Cancellation([this] { return ++polls_ >= n_; });
  }
  int64_t polls() const { return polls_; }

 private:
  const int64_t n_;
  int64_t polls_ = 0;
};

class PolicyCancellationTest : public testing::TestWithParam<const char*> {
 protected:
  // Returns a limit between what the policies need and what makes them all
  // work.
  int64_t LimitBytes() const {
    const int64_t least = FindLeastLimit(graph_, system_).bytes;
    return least + (ComputeLiveness(graph_).peak_bytes - least) / 3;
  }

  absl::StatusOr<Plan> MakePlan(const std::string& policy,
                                const Cancellation& cancellation) const {
    return (*MakePolicy(policy))
        ->MakePlan(
            graph_, system_,
            {.fast_limit_bytes = LimitBytes(), .cancellation = cancellation});
  }

  const Graph graph_ = TrainingStepGraph(2, 1);
  const MemorySystem system_ = *PresetMemorySystem(GetParam());
};

TEST_P(PolicyCancellationTest, EndsThePlanningWheneverItComes) {
  for (const std::string& policy : PolicyNames()) {
    SCOPED_TRACE(policy);
    NthPoll never(std::numeric_limits<int64_t>::max());
    const absl::StatusOr<Plan> asked = MakePlan(policy, never.cancellation());
    const absl::StatusOr<Plan> plan = MakePlan(policy, {});
    ASSERT_EQ(asked.status(), plan.status());
    if (!plan.ok()) continue;  // of systems or limits for which it cannot plan
    EXPECT_EQ(PlanToProto(*asked).SerializeAsString(),
              PlanToProto(*plan).SerializeAsString());
    ASSERT_GT(never.polls(), 1);
    for (const int64_t n :
         {int64_t{1}, never.polls() / 10, never.polls() / 2, never.polls()}) {
      NthPoll nth(std::max<int64_t>(1, n));
      EXPECT_EQ(MakePlan(policy, nth.cancellation()).status().code(),
                absl::StatusCode::kCancelled)
          << "at poll " << n << " of " << never.polls();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, PolicyCancellationTest,
                         testing::Values("optane", "file"));

}  // namespace
}  // namespace stowage::policies
