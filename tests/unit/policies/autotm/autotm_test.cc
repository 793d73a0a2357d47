#include "policies/autotm/autotm.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/autotm/formulation.h"
#include "policies/autotm/overlap.h"
#include "policies/model/graph_validation.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/solver/cbc.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/autotm/exhaustive.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

MemorySystem Optane() { return *PresetMemorySystem("optane"); }

// Returns a limit between the least one and the peak.
int64_t LimitFor(const Graph& graph, const MemorySystem& system,
                 uint64_t seed) {
  const int64_t least = FindLeastLimit(graph, system).bytes;
  const int64_t peak = ComputeLiveness(graph).peak_bytes;
  return least + (peak - least) * static_cast<int64_t>(20 + seed % 60) / 100;
}

Solution SolveExactly(const FlowProblem& problem, Paths& paths) {
  const Formulation formulation(problem);
  Solution solution = CbcSolver().Solve(formulation.program(), {});
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
      for (const Residency& s : ResidenciesOf(graph, problem, paths)) {
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
    const Graph graph = TinyGraph(seed, seed % 20 == 0 ? 60 : 12);
    const int64_t limit = LimitFor(graph, system, seed);
    const auto plan = AutoTmPolicy(Movement::kSynchronous)
                          .MakePlan(graph, system, {.fast_limit_bytes = limit});
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
    // Addresses may need more room than bytes do; then the plan says so.
    if (plan->solver_gap > 1e-6) continue;
    ++compared;
    EXPECT_NEAR(plan->prediction.step_time_ns,
                BestSynchronousNs(graph, system, limit, true),
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

// Returns random paths with synchronous moves.
Paths RandomPaths(const FlowProblem& problem, uint64_t seed) {
  std::mt19937_64 random(seed);
  Paths paths = SlowestPaths(problem.flows);
  for (size_t f = 0; f < paths.size(); ++f) {
    const TensorFlow& flow = problem.flows[f];
    for (int i = 0; i < flow.use_count(); ++i) {
      if (flow.uses[i].place == UsePlace::kEither) {
        paths[f].fast[i] = random() % 2 == 0;
      }
    }
    for (int i = 0; i < flow.use_count(); ++i) {
      const bool both = paths[f].fast[i] &&
                        (!flow.has_next(i) || paths[f].fast[flow.next(i)]);
      if (both && random() % 2 == 0) paths[f].rests[i] = {};
    }
  }
  return paths;
}

FlowProblem ProblemOf(const Graph& graph, const MemorySystem& system,
                      int64_t limit_bytes, const FlowRules& rules) {
  return MakeFlowProblem(graph, system,
                         *MakeWorkload(graph, system, limit_bytes), rules);
}

TEST(FormulationTest, PricesAnyPathsAsTheyAreWalked) {
  const MemorySystem system = Optane();
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Graph graph = TinyGraph(seed, 15);
    const int64_t enough = 2 * ComputeLiveness(graph).peak_bytes;
    for (const Movement movement :
         {Movement::kSynchronous, Movement::kAsynchronous}) {
      const FlowProblem problem =
          ProblemOf(graph, system, enough,
                    {.movement = movement, .write_back_once = seed % 2 == 0});
      const Formulation formulation(problem);
      Paths paths = RandomPaths(problem, seed);
      if (movement == Movement::kAsynchronous) {
        paths = MoveBesideKernels(problem, paths);
      }
      const std::vector<double> values = formulation.ValuesOf(paths);
      EXPECT_TRUE(IsFeasible(formulation.program(), values)) << seed;
      EXPECT_NEAR(ObjectiveOf(formulation.program(), values) * 1e3,
                  ObjectiveNs(problem, paths), 1)
          << seed;
      // A tensor that leaves for free does so at once.
      if (problem.rules.write_back_once) continue;
      const Paths back = formulation.PathsOf(values);
      EXPECT_EQ(HeldBytes(problem, back), HeldBytes(problem, paths)) << seed;
    }
  }
}

TEST(FormulationTest, RefusesPathsThatHoldMoreThanTheLimit) {
  const MemorySystem system = Optane();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = TinyGraph(seed, 15);
    FlowProblem problem =
        ProblemOf(graph, system, 2 * ComputeLiveness(graph).peak_bytes, {});
    const Paths paths = RandomPaths(problem, seed);
    const std::vector<int64_t> held = HeldBytes(problem, paths);
    const size_t fullest =
        std::max_element(held.begin(), held.end()) - held.begin();
    if (held[fullest] == 0) continue;
    problem.kernels[fullest].limit_bytes = held[fullest];
    const Formulation fits(problem);
    EXPECT_TRUE(IsFeasible(fits.program(), fits.ValuesOf(paths))) << seed;
    problem.kernels[fullest].limit_bytes = held[fullest] - 4096;
    const Formulation tight(problem);
    EXPECT_FALSE(IsFeasible(tight.program(), tight.ValuesOf(paths))) << seed;
  }
}

TEST(FormulationTest, FractionsTakenAsSlowKeepEveryLimit) {
  const MemorySystem system = Optane();
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const Graph graph = RandomGraph(seed);
    const FlowProblem problem =
        ProblemOf(graph, system, LimitFor(graph, system, seed),
                  {.movement = Movement::kAsynchronous});
    const Formulation formulation(problem);
    const Solution relaxed =
        CbcSolver().Solve(formulation.program(), {.relax = true});
    ASSERT_TRUE(relaxed.has_values()) << seed;
    const Paths paths = formulation.PathsOf(relaxed.values);
    const std::vector<int64_t> held = HeldBytes(problem, paths);
    for (size_t k = 0; k < held.size(); ++k) {
      EXPECT_LE(held[k], problem.kernels[k].limit_bytes) << seed;
    }
  }
}

TEST(OverlapTest, NeverMakesAStepLongerOrHoldsMoreThanTheLimit) {
  const MemorySystem system = Optane();
  int shorter = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Graph graph = TinyGraph(seed, 20);
    const int64_t enough = 2 * ComputeLiveness(graph).peak_bytes;
    FlowProblem problem =
        ProblemOf(graph, system, enough, {.movement = Movement::kAsynchronous});
    const Paths paths = RandomPaths(problem, seed);
    const std::vector<int64_t> before = HeldBytes(problem, paths);
    for (size_t k = 0; k < before.size(); ++k) {
      problem.kernels[k].limit_bytes = before[k] + 65536 * (seed % 20);
    }
    const Paths beside = MoveBesideKernels(problem, paths);
    EXPECT_LE(ObjectiveNs(problem, beside), ObjectiveNs(problem, paths) + 1);
    if (ObjectiveNs(problem, beside) < ObjectiveNs(problem, paths)) ++shorter;
    const std::vector<int64_t> held = HeldBytes(problem, beside);
    for (size_t k = 0; k < held.size(); ++k) {
      EXPECT_LE(held[k], problem.kernels[k].limit_bytes) << seed;
    }
  }
  EXPECT_GT(shorter, 10);
}

// A weight that the second kernel only reads, after the first has written it.
TEST(FlowProblemTest, WritesBackOnceWhatIsNotWrittenAgain) {
  Graph graph{.name = "read-only"};
  graph.tensors = {{.size_bytes = 1 << 20,
                    .kind = TensorKind::kActivation,
                    .birth_kernel = 0,
                    .death_kernel = 2}};
  for (int k = 0; k < 3; ++k) {
    Kernel kernel{.name = "kernel"};
    kernel.profile.fast_inputs_fast_outputs = {1000, DurationSource::kMeasured};
    kernel.operands = {{0, k > 0, k == 0}};
    graph.kernels.push_back(kernel);
  }
  const MemorySystem system = Optane();
  const double in_ns = system.CopyDurationNs(1, 0, 1 << 20);
  const double out_ns = system.CopyDurationNs(0, 1, 1 << 20);
  EXPECT_NE(in_ns, out_ns);
  for (const bool once : {true, false}) {
    const FlowProblem problem =
        ProblemOf(graph, system, 8 << 20, {.write_back_once = once});
    Paths paths = SlowestPaths(problem.flows);
    paths[0].fast = {true, true, true};  // and out between any two
    EXPECT_DOUBLE_EQ(ObjectiveNs(problem, paths),
                     3000 + 2 * in_ns + (once ? 1 : 2) * out_ns);
  }
}

absl::StatusOr<Plan> MakePlanWith(Movement movement, const Graph& graph,
                                  const MemorySystem& system,
                                  const PlanOptions& options) {
  return AutoTmPolicy(movement).MakePlan(graph, system, options);
}

TEST(AutoTmPolicyTest, StaticPlansMoveNothing) {
  const MemorySystem system = Optane();
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const Graph graph = TrainingStepGraph(3, seed);
    const auto plan =
        MakePlanWith(Movement::kStatic, graph, system,
                     {.fast_limit_bytes = LimitFor(graph, system, seed)});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->moves.empty());
  }
}

TEST(AutoTmPolicyTest, SynchronousPlansNeverCopyBesideAKernel) {
  const MemorySystem system = Optane();
  int moves = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Graph graph = TrainingStepGraph(2, seed);
    const auto plan =
        MakePlanWith(Movement::kSynchronous, graph, system,
                     {.fast_limit_bytes = LimitFor(graph, system, seed)});
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const Move& move : plan->moves) EXPECT_TRUE(move.synchronous());
    moves += plan->moves.size();
  }
  EXPECT_GT(moves, 0);
}

TEST(AutoTmPolicyTest, AsynchronousCopiesLastForOneKernel) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  int beside = 0;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const Graph graph = TrainingStepGraph(2, seed);
    const auto plan =
        MakePlanWith(Movement::kAsynchronous, graph, system,
                     {.fast_limit_bytes = LimitFor(graph, system, seed)});
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const Move& move : plan->moves) {
      EXPECT_LE(move.deadline_kernel - move.start_kernel, 1);
      if (!move.synchronous()) ++beside;
    }
  }
  EXPECT_GT(beside, 0);
}

TEST(AutoTmPolicyTest, SaysWhatWasProvenWhenTimeRunsOut) {
  const Graph graph = TrainingStepGraph(20, 1);
  const MemorySystem system = Optane();
  const auto plan =
      MakePlanWith(Movement::kSynchronous, graph, system,
                   {.fast_limit_bytes = LimitFor(graph, system, 0),
                    .time_limit = absl::Microseconds(1)});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
  EXPECT_GT(plan->solver_gap, 0);
  ASSERT_FALSE(plan->notes.empty());
  EXPECT_THAT(plan->notes[0], testing::HasSubstr("stopped at its limit"));
}

TEST(AutoTmPolicyTest, StaticNeedsATierThatKernelsCanUse) {
  const Graph graph = TrainingStepGraph(3, 1);
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  const auto plan =
      MakePlanWith(Movement::kStatic, graph, system,
                   {.fast_limit_bytes = LimitFor(graph, system, 0)});
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(AutoTmPolicyTest, NamesTheLeastLimit) {
  const Graph graph = TrainingStepGraph(3, 1);
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  const auto plan = MakePlanWith(Movement::kSynchronous, graph, system,
                                 {.fast_limit_bytes = 4096});
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(plan.status().message()),
              testing::HasSubstr("least limit"));
}

TEST(AutoTmPolicyTest, TheSameOptionsGiveTheSamePlan) {
  const Graph graph = TrainingStepGraph(2, 2);
  const MemorySystem system = Optane();
  for (const Movement movement :
       {Movement::kStatic, Movement::kSynchronous, Movement::kAsynchronous}) {
    const PlanOptions options{.fast_limit_bytes = LimitFor(graph, system, 0)};
    const auto first = MakePlanWith(movement, graph, system, options);
    const auto second = MakePlanWith(movement, graph, system, options);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(PlanToProto(*first).SerializeAsString(),
              PlanToProto(*second).SerializeAsString());
  }
}

// Gives up at once, like a solver with a licence that has run out.
class IdleSolver : public Solver {
 public:
  const char* name() const override { return "idle"; }
  Solution Solve(const LinearProgram&, const SolveOptions&) const override {
    return {};
  }
};

TEST(AutoTmPolicyTest, AnotherSolverCanBeLinkedAndMayFail) {
  const Graph graph = TrainingStepGraph(3, 1);
  for (const char* preset : {"optane", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(preset);
    const AutoTmPolicy policy(Movement::kSynchronous,
                              std::make_shared<IdleSolver>());
    const auto plan = policy.MakePlan(
        graph, system, {.fast_limit_bytes = LimitFor(graph, system, 0)});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
    EXPECT_GT(plan->solver_gap, 0);
    EXPECT_THAT(plan->notes[0], testing::HasSubstr("idle"));
  }
}

}  // namespace
}  // namespace stowage::policies
