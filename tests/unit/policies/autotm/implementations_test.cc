// Tests the choice of implementations (AutoTM, 7.1.4).
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/autotm/autotm.h"
#include "policies/autotm/formulation.h"
#include "policies/autotm/overlap.h"
#include "policies/bound/lower_bound.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/graph_validation.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/solver/cbc.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/autotm/exhaustive.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// A convolution runs in 1 ms with 6 MiB of workspace or in 1.2 ms with 1 MiB,
// while an activation of 4 MiB, written before and read after it, wants to
// stay. Copying the activation out and in again takes longer than 0.2 ms.
constexpr char kConvolutionJson[] = R"json({
  "schemaVersion": 1,
  "name": "convolution",
  "tensors": [
    {"sizeBytes": "4194304", "kind": "TENSOR_KIND_ACTIVATION"},
    {"sizeBytes": "1048576", "kind": "TENSOR_KIND_ACTIVATION"},
    {"sizeBytes": "6291456", "kind": "TENSOR_KIND_WORKSPACE",
     "birthKernel": 1, "deathKernel": 1}
  ],
  "kernels": [
    {"name": "relu",
     "operands": [{"tensor": 0, "write": true}, {"tensor": 1, "write": true}],
     "profile": {"fastInputsFastOutputs": {
       "durationNs": "100000", "source": "DURATION_SOURCE_MEASURED"}}},
    {"name": "convolution",
     "operands": [{"tensor": 1, "read": true, "write": true}],
     "profile": {"fastInputsFastOutputs": {
       "durationNs": "1000000", "source": "DURATION_SOURCE_MEASURED"}},
     "alternatives": [
       {"name": "implicit", "workspaceBytes": "1048576",
        "profile": {"fastInputsFastOutputs": {
          "durationNs": "1200000", "source": "DURATION_SOURCE_MEASURED"}}},
       {"name": "worse", "workspaceBytes": "2097152",
        "profile": {"fastInputsFastOutputs": {
          "durationNs": "1300000", "source": "DURATION_SOURCE_MEASURED"}}}]},
    {"name": "sum",
     "operands": [{"tensor": 0, "read": true}, {"tensor": 1, "read": true}],
     "profile": {"fastInputsFastOutputs": {
       "durationNs": "100000", "source": "DURATION_SOURCE_MEASURED"}}}
  ]
})json";

Graph Convolution() {
  const auto proto = ParseGraph(kConvolutionJson);
  EXPECT_TRUE(proto.ok()) << proto.status();
  const auto graph = GraphFromProto(*proto);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *graph;
}

MemorySystem Pcie() { return *PresetMemorySystem("gpu-pcie"); }

absl::StatusOr<Plan> PlanFor(const Graph& graph, const MemorySystem& system,
                             int64_t limit_bytes,
                             Movement movement = Movement::kSynchronous) {
  return AutoTmPolicy(movement).MakePlan(graph, system,
                                         {.fast_limit_bytes = limit_bytes});
}

TEST(AutoTmImplementationsTest, TakesTheFastestWhereAllFits) {
  const Graph graph = Convolution();
  const auto plan = PlanFor(graph, Pcie(), 11 * kMiB);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(plan->fits);
  EXPECT_THAT(plan->implementations, testing::IsEmpty());
  EXPECT_EQ(plan->prediction.step_time_ns, 1'200'000);
}

TEST(AutoTmImplementationsTest, TakesASlowerOneWhereMemoryIsShort) {
  const Graph graph = Convolution();
  const MemorySystem system = Pcie();
  const auto plan = PlanFor(graph, system, 8 * kMiB);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
  EXPECT_THAT(plan->implementations,
              testing::ElementsAre(ImplementationChoice{1, 1}));
  EXPECT_THAT(plan->moves, testing::IsEmpty());
  EXPECT_EQ(plan->prediction.step_time_ns, 1'400'000);
  EXPECT_EQ(plan->prediction.fast_peak_bytes, 6 * kMiB);
  EXPECT_EQ(plan->graph_id, GraphId(graph));
}

TEST(AutoTmImplementationsTest, NeedsRoomForTheSmallestOnly) {
  const Graph graph = Convolution();
  const MemorySystem system = Pcie();
  const auto plan = PlanFor(graph, system, 5 * kMiB);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
  EXPECT_THAT(plan->implementations,
              testing::ElementsAre(ImplementationChoice{1, 1}));
  EXPECT_EQ(plan->solver_gap, 0);
  const auto too_little = PlanFor(graph, system, 4 * kMiB);
  EXPECT_THAT(std::string(too_little.status().message()),
              testing::HasSubstr("5 MiB"));
}

FlowProblem ProblemOf(const Graph& graph, const MemorySystem& system,
                      int64_t limit_bytes, const FlowRules& rules) {
  const ChosenGraph smallest(graph, SmallestImplementations(graph));
  const auto workload = MakeWorkload(smallest.get(), system, limit_bytes);
  EXPECT_TRUE(workload.ok()) << workload.status();
  return MakeFlowProblem(graph, system, *workload, rules);
}

// Returns a limit between the least one and the peak with the smallest
// workspaces.
int64_t LimitFor(const Graph& graph, const MemorySystem& system,
                 uint64_t seed) {
  const ChosenGraph smallest(graph, SmallestImplementations(graph));
  const int64_t least = FindLeastLimit(smallest.get(), system).bytes;
  const int64_t peak = ComputeLiveness(graph).peak_bytes;
  return least + (peak - least) * static_cast<int64_t>(10 + seed % 60) / 100;
}

TEST(AutoTmImplementationsTest, SynchronousObjectiveEqualsExhaustiveSearch) {
  const MemorySystem system = *PresetMemorySystem("optane");
  int slower = 0, others = 0;
  for (uint64_t seed = 0; seed < 25; ++seed) {
    const Graph graph = WithAlternatives(TinyGraph(seed, 3 + seed % 10), seed);
    ASSERT_EQ(ValidateGraph(graph), absl::OkStatus()) << seed;
    const int64_t limit = LimitFor(graph, system, seed);
    const FlowProblem problem =
        ProblemOf(graph, system, limit, {.write_back_once = false});
    const Formulation formulation(problem);
    const Solution solution = CbcSolver().Solve(formulation.program(), {});
    ASSERT_EQ(solution.status, SolveStatus::kSolved) << seed;
    const Paths paths = formulation.PathsOf(solution.values);
    const double best = BestSynchronousNs(graph, system, limit, false);
    EXPECT_NEAR(solution.objective * 1e3, best, 5) << seed;
    EXPECT_NEAR(ObjectiveNs(problem, paths), best, 5) << seed;
    const auto choices = ChoicesOf(problem, paths);
    others += !choices.empty();
    slower += choices != FastestImplementations(graph);
  }
  EXPECT_GT(others, 12);
  EXPECT_GT(slower, 6);
}

TEST(AutoTmImplementationsTest, StaticObjectiveEqualsExhaustiveSearch) {
  const MemorySystem system = *PresetMemorySystem("optane");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = WithAlternatives(TinyGraph(seed, 3 + seed % 8), seed);
    const int64_t limit = LimitFor(graph, system, seed);
    const FlowProblem problem =
        ProblemOf(graph, system, limit, {.movement = Movement::kStatic});
    const Formulation formulation(problem);
    const Solution solution = CbcSolver().Solve(formulation.program(), {});
    ASSERT_EQ(solution.status, SolveStatus::kSolved) << seed;
    EXPECT_NEAR(solution.objective * 1e3, BestStaticNs(graph, system, limit),
                5 + graph.kernel_count())
        << seed;
  }
}

TEST(AutoTmImplementationsTest, AnyPathsAreAFeasibleSolutionOfTheirPrice) {
  const MemorySystem system = *PresetMemorySystem("optane");
  for (uint64_t seed = 0; seed < 25; ++seed) {
    const Graph graph = WithAlternatives(TinyGraph(seed, 12), seed);
    const FlowProblem problem = ProblemOf(
        graph, system, LimitFor(graph, system, seed),
        {.movement = Movement::kAsynchronous, .write_back_once = false});
    const Formulation formulation(problem);
    const Solution relaxed =
        CbcSolver().Solve(formulation.program(), {.relax = true});
    ASSERT_TRUE(relaxed.has_values());
    const Paths rounded = formulation.PathsOf(relaxed.values);
    for (const Paths& paths : {rounded, MoveBesideKernels(problem, rounded)}) {
      const std::vector<double> values = formulation.ValuesOf(paths);
      EXPECT_TRUE(IsFeasible(formulation.program(), values)) << seed;
      EXPECT_NEAR(ObjectiveOf(formulation.program(), values) * 1e3,
                  ObjectiveNs(problem, paths), 5)
          << seed;
    }
  }
}

TEST(AutoTmImplementationsTest, PlansAreVerifiedAndNotBelowTheLowerBound) {
  int chosen = 0;
  for (const char* preset : {"optane", "gpu-pcie", "file"}) {
    const MemorySystem system = *PresetMemorySystem(preset);
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const Graph graph = WithAlternatives(TinyGraph(seed, 10), seed);
      const int64_t limit = LimitFor(graph, system, seed);
      for (const Movement movement :
           {Movement::kSynchronous, Movement::kAsynchronous}) {
        const auto plan = PlanFor(graph, system, limit, movement);
        ASSERT_TRUE(plan.ok()) << plan.status() << preset << seed;
        EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
        EXPECT_GE(plan->prediction.step_time_ns,
                  LowerBoundNs(graph, system, limit, {.iterations = 20}));
        chosen += !plan->implementations.empty();
      }
    }
  }
  EXPECT_GT(chosen, 8);
}

}  // namespace
}  // namespace stowage::policies
