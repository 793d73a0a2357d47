#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/bound/five_kernels.h"

namespace stowage::policies {
namespace {

using ::testing::StartsWith;

// Returns a plan with drops. The weight is in the file as the step begins, is
// fetched for kernel 0, dropped behind it, and fetched from and dropped to the
// same place for kernel 4.
Plan PlanWithDrops() {
  Plan plan = ValidPlan();
  plan.initial[0].at = {1, 0};
  plan.moves = {{0, {1, 0}, {0, 0}, 0, 0, /*keeps_source=*/true, false},
                {0, {0, 0}, {1, 0}, 1, 1, false, /*is_drop=*/true},
                {0, {1, 0}, {0, 0}, 3, 4, /*keeps_source=*/true, false},
                {0, {0, 0}, {1, 0}, 5, 5, false, /*is_drop=*/true}};
  return plan;
}

TEST(VerifierDropsTest, AcceptsDropsToWhereTensorsWereFetchedFrom) {
  EXPECT_EQ(VerifyPlan(FiveKernels(), FileSystem(), PlanWithDrops()),
            absl::OkStatus());
}

TEST(VerifierDropsTest, KeepsThePlaceThatATensorWasFetchedFrom) {
  Plan plan = PlanWithDrops();
  // While kernel 2 runs the weight is in the file, too.
  plan.moves[1].start_kernel = plan.moves[1].deadline_kernel = 3;
  plan.allocations[1].at.offset_bytes = 4 * kPage;
  plan.allocations[0].at.offset_bytes = 5 * kPage;
  EXPECT_EQ(VerifyPlan(FiveKernels(), FileSystem(), plan), absl::OkStatus());
  plan.allocations[2].at.offset_bytes = 3 * kPage;
  EXPECT_THAT(
      std::string(VerifyPlan(FiveKernels(), FileSystem(), plan).message()),
      StartsWith("overlap: at kernel 2 tensors 0 and 5 share bytes"));
}

TEST(VerifierDropsTest, RejectsADropOfWhatWasWrittenSinceItWasFetched) {
  for (const KernelIndex k : {0, 4}) {
    Graph graph = FiveKernels();
    graph.kernels[k].operands[0].write = true;
    Plan plan = PlanWithDrops();
    plan.graph_id = GraphId(graph);
    EXPECT_THAT(std::string(VerifyPlan(graph, FileSystem(), plan).message()),
                StartsWith("stale-source: kernel " + std::to_string(k) +
                           " writes tensor 0"));
  }
}

// Tensor 1 is fetched to be dropped, and freed.
TEST(VerifierDropsTest, RejectsAKeptSourceOfATensorThatIsFreed) {
  Plan plan = ValidPlan();
  plan.allocations[0].at = {1, 40 * kPage};
  plan.moves.insert(plan.moves.begin() + 1, {1,
                                             {1, 40 * kPage},
                                             {0, 4 * kPage},
                                             2,
                                             2,
                                             /*keeps_source=*/true,
                                             false});
  Graph graph = FiveKernels();
  graph.kernels[1].operands.clear();
  plan.graph_id = GraphId(graph);
  EXPECT_THAT(std::string(VerifyPlan(graph, FileSystem(), plan).message()),
              StartsWith("bad-drop: tensor 1 keeps a source"));
  plan.moves[1].keeps_source = false;
  EXPECT_EQ(VerifyPlan(graph, FileSystem(), plan), absl::OkStatus());
}

class BrokenDropTest : public testing::TestWithParam<BrokenPlan> {};

TEST_P(BrokenDropTest, IsRejectedByTheNameOfItsViolation) {
  Plan plan = PlanWithDrops();
  GetParam().damage(plan);
  const absl::Status verdict = VerifyPlan(FiveKernels(), FileSystem(), plan);
  EXPECT_EQ(verdict.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(verdict.message()),
              StartsWith(GetParam().violation + ": "));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenDropTest,
    testing::Values(
        BrokenPlan{"DropOfWhatWasNotKept", "bad-drop",
                   [](Plan& p) { p.moves[0].keeps_source = false; }},
        BrokenPlan{"CopyOfWhatWasKept", "bad-drop",
                   [](Plan& p) { p.moves[1].is_drop = false; }},
        BrokenPlan{"DropToAnotherPlace", "bad-drop",
                   [](Plan& p) {
                     p.moves[1].to = p.moves[2].from = {1, 32 * kPage};
                   }},
        BrokenPlan{"DropThatTakesTime", "bad-drop",
                   [](Plan& p) { p.moves[1].deadline_kernel = 2; }},
        BrokenPlan{"DropOfWhatNoMoveFetched", "bad-drop",
                   [](Plan& p) {
                     p.initial[0].at = {0, 0};
                     p.moves.erase(p.moves.begin());
                   }},
        BrokenPlan{"DropThatKeepsItsSource", "bad-drop",
                   [](Plan& p) { p.moves[1].keeps_source = true; }},
        BrokenPlan{"DropIntoTheFastTier", "bad-drop",
                   [](Plan& p) {
                     p.moves[2].keeps_source = false;
                     p.moves[2].is_drop = true;
                     p.moves[2].deadline_kernel = 3;
                   }},
        BrokenPlan{
            "KeepsASourceInTheFastTier", "bad-drop",
            [](Plan& p) {
              p.moves[3] = {0, {0, 0}, {0, 4 * kPage}, 5, 5, true, false};
            }},
        BrokenPlan{"KeepsASourceWithinTheFile", "bad-drop",
                   [](Plan& p) {
                     p.moves.insert(
                         p.moves.begin() + 2,
                         {0, {1, 0}, {1, 32 * kPage}, 2, 2, true, false});
                   }},
        BrokenPlan{"KeptSourceAtTheEndOfTheStep", "bad-drop",
                   [](Plan& p) { p.moves.pop_back(); }},
        BrokenPlan{
            "DropsTwice", "wrong-source",
            [](Plan& p) { p.moves.insert(p.moves.begin() + 2, p.moves[1]); }}),
    [](const auto& info) { return info.param.what; });

}  // namespace
}  // namespace stowage::policies
