#include "policies/autotm/autotm.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "policies/autotm/formulation.h"
#include "policies/model/graph_validation.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/simulator.h"
#include "policies/planning/verifier.h"
#include "policies/registry.h"
#include "policies/solver/cbc.h"
#include "tests/unit/policies/autotm/exhaustive.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage {
namespace {

MemorySystem Optane() { return *PresetMemorySystem("optane"); }

// Between the least limit and the peak.
int64_t LimitFor(const Graph& graph, const MemorySystem& system,
                 uint64_t seed) {
  const int64_t least = FindLeastLimit(graph, system).bytes;
  const int64_t peak = ComputeLiveness(graph).peak_bytes;
  return least + (peak - least) * static_cast<int64_t>(20 + seed % 60) / 100;
}

Solution SolveExactly(const FlowProblem& problem, Paths& paths) {
  const Formulation formulation(problem);
  const Solution solution = CbcSolver().Solve(formulation.program(), {});
  if (solution.has_values()) paths = formulation.PathsOf(solution.values);
  return solution;
}

TEST(AutoTmExhaustiveTest, SynchronousObjectiveEqualsExhaustiveSearch) {
  const MemorySystem system = Optane();
  int with_moves = 0;
  for (const bool write_back_once : {false, true}) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const Graph graph = TinyGraph(seed, 3 + seed % 10);
      ASSERT_EQ(ValidateGraph(graph), absl::OkStatus()) << seed;
      const int64_t limit = LimitFor(graph, system, seed);
      const auto workload = MakeWorkload(graph, system, limit);
      ASSERT_TRUE(workload.ok());
      const FlowProblem problem = MakeFlowProblem(
          graph, system, *workload, {.write_back_once = write_back_once});
      Paths paths;
      const Solution solution = SolveExactly(problem, paths);
      ASSERT_EQ(solution.status, SolveStatus::kSolved) << seed;
      const double best =
          BestSynchronousNs(graph, system, limit, write_back_once);
      EXPECT_NEAR(solution.objective * 1e3, best, 5) << seed;
      EXPECT_NEAR(ObjectiveNs(problem, paths), best, 5) << seed;
      for (const FastSegment& s : SegmentsOf(graph, problem, paths)) {
        if (s.moved_in) ++with_moves;
      }
    }
  }
  EXPECT_GT(with_moves, 20);
}

TEST(AutoTmExhaustiveTest, SimulatedStepTimeEqualsExhaustiveSearch) {
  const MemorySystem system = Optane();
  int compared = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Graph graph = TinyGraph(seed, seed % 10 == 0 ? 60 : 12);
    const int64_t limit = LimitFor(graph, system, seed);
    const auto plan = AutoTmPolicy(Movement::kSynchronous)
                          .MakePlan(graph, system, {.fast_limit_bytes = limit});
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
    // Addresses may need more room than bytes do; then the plan says so.
    if (plan->solver_gap > 1e-6) continue;
    ++compared;
    EXPECT_NEAR(plan->prediction.step_time_ns,
                BestSynchronousNs(graph, system, limit, false),
                5 + graph.kernel_count())
        << seed;
  }
  EXPECT_GT(compared, 25);
}

TEST(AutoTmExhaustiveTest, StaticObjectiveEqualsExhaustiveSearch) {
  const MemorySystem system = Optane();
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Graph graph = TinyGraph(seed, 3 + seed % 20);
    const int64_t limit = LimitFor(graph, system, seed);
    const auto workload = MakeWorkload(graph, system, limit);
    ASSERT_TRUE(workload.ok());
    const FlowProblem problem = MakeFlowProblem(
        graph, system, *workload, {.movement = Movement::kStatic});
    Paths paths;
    const Solution solution = SolveExactly(problem, paths);
    ASSERT_EQ(solution.status, SolveStatus::kSolved) << seed;
    EXPECT_NEAR(solution.objective * 1e3, BestStaticNs(graph, system, limit),
                5 + graph.kernel_count())
        << seed;
  }
}

}  // namespace
}  // namespace stowage
