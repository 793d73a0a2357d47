#include "policies/verify/verifier.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "tests/unit/policies/bound/five_kernels.h"

namespace stowage::policies {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(VerifierTest, AcceptsAValidPlan) {
  EXPECT_EQ(VerifyPlan(FiveKernels(), FileSystem(), ValidPlan()),
            absl::OkStatus());
}

TEST(VerifierTest, AcceptsOperandsInPlaceWhereTheTierIsAddressable) {
  MemorySystem system = FileSystem();
  system.tiers[1].addressable = true;
  system.tiers[1].streamable = false;
  Plan plan = ValidPlan();
  plan.streams.clear();
  EXPECT_EQ(VerifyPlan(FiveKernels(), system, plan), absl::OkStatus());
}

TEST(VerifierTest, AKernelNeedsNoWindowOfItsOwn) {
  Plan plan = ValidPlan();
  plan.streams[0].window_bytes = 0;
  plan.fast_limit_bytes -= kPage;
  EXPECT_EQ(VerifyPlan(FiveKernels(), FileSystem(), plan), absl::OkStatus());
}

TEST(VerifierTest, AWindowIsThereWhileItsKernelRuns) {
  Plan plan = ValidPlan();
  // The weight was there before, and is there again later.
  plan.streams[0].window_offset_bytes = plan.initial[0].at.offset_bytes;
  plan.allocations[1].at.offset_bytes = 8 * kPage;
  EXPECT_EQ(VerifyPlan(FiveKernels(), FileSystem(), plan), absl::OkStatus());
}

// Returns a step with small tensors: tensors 1 and 2 have 100 bytes and stand
// on one page of the fast tier.
Graph SmallTensors() {
  Graph graph = FiveKernels();
  graph.tensors[1].size_bytes = graph.tensors[2].size_bytes = 100;
  return graph;
}

Plan SharedPage() {
  Plan plan = ValidPlan();
  plan.graph_id = GraphId(SmallTensors());
  plan.allocations[0].at.offset_bytes = 4 * kPage;
  plan.allocations[1].at.offset_bytes = 4 * kPage + 128;
  return plan;
}

TEST(VerifierTest, LetsSmallTensorsShareAPage) {
  EXPECT_EQ(VerifyPlan(SmallTensors(), FileSystem(), SharedPage()),
            absl::OkStatus());
}

TEST(VerifierTest, RejectsSmallTensorsThatShareBytesOfTheirPage) {
  Plan plan = SharedPage();
  plan.allocations[1].at.offset_bytes = 4 * kPage + 64;
  EXPECT_THAT(
      std::string(VerifyPlan(SmallTensors(), FileSystem(), plan).message()),
      StartsWith("overlap"));
}

TEST(VerifierTest, RejectsPlacesWithinAPageThatAreNotForIt) {
  const auto judge = [](const Graph& graph, const Plan& plan) {
    return std::string(VerifyPlan(graph, FileSystem(), plan).message());
  };
  Plan unaligned = SharedPage();
  unaligned.allocations[1].at.offset_bytes += 1;
  EXPECT_THAT(judge(SmallTensors(), unaligned), StartsWith("bad-placement"));
  Plan across_pages = SharedPage();
  across_pages.allocations[1].at.offset_bytes = 5 * kPage - 64;
  EXPECT_THAT(judge(SmallTensors(), across_pages), StartsWith("bad-placement"));
  Plan large = SharedPage();
  large.graph_id = GraphId(FiveKernels());
  EXPECT_THAT(judge(FiveKernels(), large), StartsWith("bad-placement"));
  Plan in_file = SharedPage();
  in_file.moves.insert(in_file.moves.begin() + 1,
                       {1, {0, 4 * kPage}, {1, 10 * kPage + 64}, 2, 2});
  EXPECT_THAT(judge(SmallTensors(), in_file), StartsWith("bad-placement"));
}

TEST(VerifierTest, AllowsReadsWhileATensorIsCopied) {
  Graph graph = FiveKernels();
  graph.kernels[1].operands.push_back({.tensor = 0, .read = true});
  Plan plan = ValidPlan();
  plan.graph_id = GraphId(graph);
  EXPECT_EQ(VerifyPlan(graph, FileSystem(), plan), absl::OkStatus());
}

class BrokenPlanTest : public testing::TestWithParam<BrokenPlan> {};

TEST_P(BrokenPlanTest, IsRejectedByTheNameOfItsViolation) {
  Plan plan = ValidPlan();
  GetParam().damage(plan);
  const absl::Status verdict = VerifyPlan(FiveKernels(), FileSystem(), plan);
  EXPECT_EQ(verdict.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(verdict.message()),
              StartsWith(GetParam().violation + ": "));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenPlanTest,
    testing::Values(
        BrokenPlan{"OtherGraph", "graph-mismatch",
                   [](Plan& p) { p.graph_id[0] ^= 1; }},
        BrokenPlan{"NoInitial", "missing-allocation",
                   [](Plan& p) { p.initial.erase(p.initial.begin()); }},
        BrokenPlan{"NoAllocation", "missing-allocation",
                   [](Plan& p) { p.allocations.pop_back(); }},
        BrokenPlan{"InitialTwice", "duplicate-allocation",
                   [](Plan& p) {
                     p.initial.push_back({0, {0, 0}});
                   }},
        BrokenPlan{"AllocationTwice", "duplicate-allocation",
                   [](Plan& p) {
                     p.allocations.push_back({1, {1, 0}});
                   }},
        BrokenPlan{"UnknownTensor", "bad-placement",
                   [](Plan& p) { p.initial[0].tensor = 77; }},
        BrokenPlan{"InitialOfBornTensor", "bad-placement",
                   [](Plan& p) {
                     p.initial.push_back({1, {1, 0}});
                   }},
        BrokenPlan{"UnknownTier", "bad-placement",
                   [](Plan& p) { p.allocations[0].at.tier = 2; }},
        BrokenPlan{"NegativeOffset", "bad-placement",
                   [](Plan& p) { p.allocations[0].at.offset_bytes = -kPage; }},
        BrokenPlan{"OffsetBetweenPages", "bad-placement",
                   [](Plan& p) { p.allocations[0].at.offset_bytes = 100; }},
        BrokenPlan{"HugeOffset", "bad-placement",
                   [](Plan& p) {
                     p.allocations[0].at.offset_bytes =
                         INT64_MAX / kPage * kPage;
                   }},
        BrokenPlan{"MoveToBadOffset", "bad-placement",
                   [](Plan& p) { p.moves[0].to.offset_bytes = 1; }},
        BrokenPlan{
            "OverlapAtBirth", "overlap",
            [](Plan& p) { p.allocations[0].at.offset_bytes = 3 * kPage; }},
        BrokenPlan{"OverlapOfInitial", "overlap",
                   [](Plan& p) { p.initial[2].at.offset_bytes = kPage; }},
        BrokenPlan{"OverlapWithMoveUnderWay", "overlap",
                   [](Plan& p) { p.moves[0].deadline_kernel = 3; }},
        BrokenPlan{
            "OverlapInTheFile", "overlap",
            [](Plan& p) { p.allocations[2].at.offset_bytes = 3 * kPage; }},
        BrokenPlan{"OverlapWithRoomOfAPrefetch", "overlap",
                   [](Plan& p) { p.moves[1].start_kernel = 2; }},
        BrokenPlan{
            "PastTheLimit", "over-limit",
            [](Plan& p) { p.allocations[0].at.offset_bytes = 8 * kPage; }},
        BrokenPlan{"LimitTooSmall", "over-limit",
                   [](Plan& p) { p.fast_limit_bytes -= kPage; }},
        BrokenPlan{"WindowTakesTheRoom", "over-limit",
                   [](Plan& p) { p.streams[0].window_bytes += kPage; }},
        BrokenPlan{"WindowAboveTheLimit", "over-limit",
                   [](Plan& p) { p.streams[0].window_bytes = 10 * kPage; }},
        BrokenPlan{
            "WindowWhereATensorIs", "overlap",
            [](Plan& p) { p.streams[0].window_offset_bytes = 7 * kPage; }},
        BrokenPlan{"WindowOfHalfAPage", "bad-stream",
                   [](Plan& p) { p.streams[0].window_bytes = kPage / 2; }},
        BrokenPlan{"WindowBelowTheArena", "bad-stream",
                   [](Plan& p) { p.streams[0].window_offset_bytes = -kPage; }},
        BrokenPlan{
            "PastTheFile", "over-capacity",
            [](Plan& p) { p.allocations[2].at.offset_bytes = 56 * kPage; }},
        BrokenPlan{"MovePastTheFile", "over-capacity",
                   [](Plan& p) {
                     p.moves[0].to.offset_bytes = 61 * kPage;
                     p.moves[1].from.offset_bytes = 61 * kPage;
                   }},
        BrokenPlan{"NotStreamed", "not-resident",
                   [](Plan& p) { p.streams.clear(); }},
        BrokenPlan{"NotFetched", "not-resident",
                   [](Plan& p) { p.moves.pop_back(); }},
        BrokenPlan{"FetchedTooLate", "not-resident",
                   [](Plan& p) { p.moves[1].deadline_kernel = 5; }},
        BrokenPlan{"FromTheWrongPlace", "wrong-source",
                   [](Plan& p) { p.moves[1].from.offset_bytes = 8 * kPage; }},
        BrokenPlan{"FromTheWrongTier", "wrong-source",
                   [](Plan& p) {
                     p.moves[1].from = {0, 0};
                   }},
        BrokenPlan{"MoveOfUnknownTensor", "wrong-source",
                   [](Plan& p) { p.moves[0].tensor = -1; }},
        BrokenPlan{"DeadlineBeforeStart", "bad-window",
                   [](Plan& p) { p.moves[0].deadline_kernel = 0; }},
        BrokenPlan{"DeadlineAfterTheStep", "bad-window",
                   [](Plan& p) { p.moves[1].deadline_kernel = 6; }},
        BrokenPlan{"NegativeStart", "bad-window",
                   [](Plan& p) { p.moves[0].start_kernel = -1; }},
        BrokenPlan{"StartsDescend", "bad-window",
                   [](Plan& p) { std::swap(p.moves[0], p.moves[1]); }},
        BrokenPlan{"MovedWhileMoving", "bad-window",
                   [](Plan& p) {
                     p.moves.insert(p.moves.begin() + 1,
                                    {0, {0, 0}, {1, 32 * kPage}, 1, 2});
                   }},
        BrokenPlan{
            "MoveOfTheDead", "use-after-free",
            [](Plan& p) {
              p.moves.push_back({1, {0, 4 * kPage}, {1, 40 * kPage}, 4, 4});
            }},
        BrokenPlan{
            "FreedWhileMoving", "use-after-free",
            [](Plan& p) {
              p.moves.push_back({1, {0, 4 * kPage}, {1, 40 * kPage}, 3, 5});
            }},
        BrokenPlan{"PinnedInTheFile", "immovable",
                   [](Plan& p) {
                     p.initial[1].at = {1, 40 * kPage};
                   }},
        BrokenPlan{"WorkspaceInTheFile", "immovable",
                   [](Plan& p) {
                     p.allocations[1].at = {1, 40 * kPage};
                   }},
        BrokenPlan{
            "PinnedMoves", "immovable",
            [](Plan& p) {
              p.moves.push_back({3, {0, 7 * kPage}, {0, 4 * kPage}, 5, 5});
            }},
        BrokenPlan{"EndsElsewhere", "not-cyclic",
                   [](Plan& p) {
                     p.moves.push_back({0, {0, 0}, {1, 0}, 5, 5});
                   }},
        BrokenPlan{
            "WrappingTensorEndsElsewhere", "not-cyclic",
            [](Plan& p) { p.allocations[3].at.offset_bytes = 5 * kPage; }},
        BrokenPlan{"StreamOfAFastTensor", "bad-stream",
                   [](Plan& p) { p.streams[0].tensors.push_back(2); }},
        BrokenPlan{"StreamOfAnotherKernelsTensor", "bad-stream",
                   [](Plan& p) { p.streams[0].tensors.push_back(0); }},
        BrokenPlan{"StreamTwice", "bad-stream",
                   [](Plan& p) { p.streams[0].tensors.push_back(5); }},
        BrokenPlan{"StreamOutOfRange", "bad-stream",
                   [](Plan& p) {
                     p.streams.push_back({5, {}});
                   }},
        BrokenPlan{"StreamOutOfOrder", "bad-stream",
                   [](Plan& p) {
                     p.streams.push_back({1, {}});
                   }}),
    [](const auto& info) { return info.param.what; });

TEST(VerifierTest, RejectsAKernelThatWritesWhatIsBeingCopied) {
  Graph graph = FiveKernels();
  graph.kernels[1].operands.push_back({.tensor = 0, .write = true});
  Plan plan = ValidPlan();
  plan.graph_id = GraphId(graph);
  const absl::Status verdict = VerifyPlan(graph, FileSystem(), plan);
  EXPECT_THAT(std::string(verdict.message()),
              StartsWith("written-while-moving: kernel 1 writes tensor 0"));
}

TEST(VerifierTest, RejectsALimitAboveTheTiersCapacity) {
  MemorySystem system = FileSystem();
  system.tiers[0].capacity_bytes = 8 * kPage;
  EXPECT_THAT(
      std::string(VerifyPlan(FiveKernels(), system, ValidPlan()).message()),
      StartsWith("over-capacity: "));
}

TEST(VerifierTest, ChargesUnmanagedStoragesToTheLimit) {
  Graph graph = FiveKernels();
  graph.unmanaged_peak_bytes = 1;
  Plan plan = ValidPlan();
  plan.graph_id = GraphId(graph);
  EXPECT_THAT(std::string(VerifyPlan(graph, FileSystem(), plan).message()),
              StartsWith("over-limit: "));
  plan.fast_limit_bytes += kPage;
  EXPECT_EQ(VerifyPlan(graph, FileSystem(), plan), absl::OkStatus());
}

TEST(VerifierTest, NamesThePairThatOverlaps) {
  Plan plan = ValidPlan();
  plan.allocations[0].at.offset_bytes = 3 * kPage;
  EXPECT_THAT(
      std::string(VerifyPlan(FiveKernels(), FileSystem(), plan).message()),
      HasSubstr("at kernel 1 tensors 0 and 1 share bytes"));
}

// Returns FiveKernels, except that kernel 2 does not list its workspace, tensor
// 2, and may run with three pages of it.
Graph FiveKernelsWithAChoice() {
  Graph graph = FiveKernels();
  graph.kernels[2].operands = {{.tensor = 5, .write = true}};
  graph.kernels[2].alternatives = {{.workspace_bytes = 3 * kPage}};
  return graph;
}

TEST(VerifierTest, GivesAWorkspaceTheSizeOfTheChosenImplementation) {
  const Graph graph = FiveKernelsWithAChoice();
  Plan plan = ValidPlan();
  plan.graph_id = GraphId(graph);
  EXPECT_EQ(VerifyPlan(graph, FileSystem(), plan), absl::OkStatus());
  plan.implementations = {{2, 1}};
  EXPECT_EQ(VerifyPlan(graph, FileSystem(), plan), absl::OkStatus());
  for (Allocation& allocation : plan.allocations) {
    if (allocation.tensor == 2) allocation.at.offset_bytes = 2 * kPage;
  }
  EXPECT_THAT(std::string(VerifyPlan(graph, FileSystem(), plan).message()),
              StartsWith("overlap"));
  plan.implementations.clear();
  EXPECT_EQ(VerifyPlan(graph, FileSystem(), plan), absl::OkStatus());
}

TEST(VerifierTest, RejectsAnImplementationThatTheKernelDoesNotHave) {
  const Graph graph = FiveKernelsWithAChoice();
  Plan plan = ValidPlan();
  plan.graph_id = GraphId(graph);
  for (const ImplementationChoice& bad :
       {ImplementationChoice{2, 2}, {1, 1}, {5, 1}, {-1, 1}, {2, 0}}) {
    plan.implementations = {bad};
    EXPECT_THAT(std::string(VerifyPlan(graph, FileSystem(), plan).message()),
                StartsWith("bad-implementation"));
  }
}

}  // namespace
}  // namespace stowage::policies
