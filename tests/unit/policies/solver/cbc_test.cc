#include "policies/solver/cbc.h"

#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

// Returns the program that maximises value under one capacity.
LinearProgram Knapsack(const std::vector<double>& values,
                       const std::vector<double>& sizes, double capacity) {
  LinearProgram program;
  Row row{.upper = capacity};
  for (size_t i = 0; i < values.size(); ++i) {
    row.terms.push_back(
        {AddColumn(program, {.cost = -values[i], .integer = true}), sizes[i]});
  }
  AddRow(program, row);
  return program;
}

LinearProgram RandomKnapsacks(uint64_t seed, int columns, int rows) {
  std::mt19937_64 random(seed);
  LinearProgram program;
  for (int c = 0; c < columns; ++c) {
    AddColumn(program, {.cost = -double(1 + random() % 50), .integer = true});
  }
  for (int r = 0; r < rows; ++r) {
    Row row{.upper = double(10 + random() % 60)};
    for (int c = 0; c < columns; ++c) {
      row.terms.push_back({c, double(1 + random() % 30)});
    }
    AddRow(program, row);
  }
  return program;
}

double BestByEnumeration(const LinearProgram& program) {
  const size_t columns = program.columns.size();
  double best = kUnbounded;
  for (uint32_t set = 0; set < (1u << columns); ++set) {
    std::vector<double> values(columns);
    for (size_t c = 0; c < columns; ++c) values[c] = set >> c & 1;
    if (!IsFeasible(program, values)) continue;
    best = std::min(best, ObjectiveOf(program, values));
  }
  return best;
}

TEST(CbcSolverTest, FindsTheOptimumThatEnumerationFinds) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const LinearProgram program = RandomKnapsacks(seed, 12, 3);
    const Solution solution = CbcSolver().Solve(program, {});
    ASSERT_EQ(solution.status, SolveStatus::kSolved) << seed;
    EXPECT_TRUE(IsFeasible(program, solution.values)) << seed;
    EXPECT_NEAR(solution.objective, BestByEnumeration(program), 1e-6) << seed;
    EXPECT_LT(solution.gap(), 1e-6) << seed;
  }
}

TEST(CbcSolverTest, CountsTheConstantInObjectiveAndBound) {
  LinearProgram program = Knapsack({5, 4, 3}, {2, 3, 1}, 4);
  program.constant = 100;
  const Solution solution = CbcSolver().Solve(program, {});
  EXPECT_DOUBLE_EQ(solution.objective, 92);
  EXPECT_NEAR(solution.bound, 92, 1e-5);
}

TEST(CbcSolverTest, TheRelaxationIsABoundAndMayBeFractional) {
  const LinearProgram program = Knapsack({4, 4}, {3, 3}, 4);
  const Solution solution = CbcSolver().Solve(program, {.relax = true});
  EXPECT_EQ(solution.status, SolveStatus::kSolved);
  EXPECT_NEAR(solution.objective, -16.0 / 3, 1e-6);
}

TEST(CbcSolverTest, SaysThatAProgramHasNoSolution) {
  LinearProgram program = Knapsack({1, 1}, {1, 1}, 2);
  AddRow(program, {.lower = 3, .terms = {{0, 1}, {1, 1}}});
  const Solution solution = CbcSolver().Solve(program, {});
  EXPECT_EQ(solution.status, SolveStatus::kInfeasible);
  EXPECT_FALSE(solution.has_values());
}

TEST(CbcSolverTest, SaysThatNoIntegralSolutionExists) {
  LinearProgram program;
  AddColumn(program, {.integer = true});
  AddColumn(program, {.integer = true});
  AddRow(program, {.lower = 1, .upper = 1, .terms = {{0, 2}, {1, 2}}});
  const Solution solution = CbcSolver().Solve(program, {});
  EXPECT_EQ(solution.status, SolveStatus::kInfeasible);
}

TEST(CbcSolverTest, KeepsTheWarmStartWhenThereIsNoTime) {
  const LinearProgram program = RandomKnapsacks(1, 60, 20);
  const std::vector<double> nothing(60, 0.0);
  const Solution solution = CbcSolver().Solve(
      program, {.time_limit = absl::ZeroDuration(), .warm_start = nothing});
  EXPECT_EQ(solution.status, SolveStatus::kFeasible);
  EXPECT_EQ(solution.values, nothing);
}

TEST(CbcSolverTest, IsNeverWorseThanItsWarmStart) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const LinearProgram program = RandomKnapsacks(seed, 30, 10);
    const Solution best = CbcSolver().Solve(program, {});
    const Solution again = CbcSolver().Solve(
        program, {.node_limit = 0, .warm_start = best.values});
    EXPECT_LE(again.objective, best.objective + 1e-6) << seed;
  }
}

TEST(CbcSolverTest, IgnoresAWarmStartThatBreaksARow) {
  const LinearProgram program = Knapsack({4, 4}, {3, 3}, 4);
  const Solution solution = CbcSolver().Solve(program, {.warm_start = {1, 1}});
  EXPECT_DOUBLE_EQ(solution.objective, -4);
}

TEST(CbcSolverTest, ClaimsNoMoreThanItProvedAtTheNodeLimit) {
  int unproven = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const LinearProgram program = RandomKnapsacks(seed, 40, 15);
    const Solution best = CbcSolver().Solve(program, {});
    ASSERT_EQ(best.status, SolveStatus::kSolved) << seed;
    const Solution cut = CbcSolver().Solve(program, {.node_limit = 1});
    EXPECT_LE(cut.bound, best.objective + 1e-6) << seed;
    EXPECT_GE(cut.objective, best.objective - 1e-6) << seed;
    if (cut.status == SolveStatus::kSolved) continue;
    ++unproven;
    EXPECT_GT(cut.gap(), 0) << seed;
  }
  EXPECT_GT(unproven, 0);
}

TEST(CbcSolverTest, AFinishedSearchWithAGapClaimsOnlyThatGap) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const LinearProgram program = RandomKnapsacks(seed, 30, 10);
    const Solution best = CbcSolver().Solve(program, {});
    const Solution loose = CbcSolver().Solve(program, {.gap = 0.2});
    EXPECT_EQ(loose.status, SolveStatus::kSolved) << seed;
    EXPECT_LE(loose.bound, best.objective + 1e-6) << seed;
  }
}

TEST(CbcSolverTest, TheSameOptionsGiveTheSameValues) {
  const LinearProgram program = RandomKnapsacks(7, 50, 20);
  const SolveOptions options{.node_limit = 50, .seed = 3};
  EXPECT_EQ(CbcSolver().Solve(program, options).values,
            CbcSolver().Solve(program, options).values);
}

TEST(CbcSolverTest, ThreadsDoNotDisturbEachOther) {
  const CbcSolver solver;
  std::vector<double> objectives(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < objectives.size(); ++i) {
    threads.emplace_back([&, i] {
      objectives[i] = solver.Solve(RandomKnapsacks(i % 2, 25, 8), {}).objective;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < objectives.size(); ++i) {
    EXPECT_DOUBLE_EQ(objectives[i],
                     solver.Solve(RandomKnapsacks(i % 2, 25, 8), {}).objective);
  }
}

TEST(CbcSolverTest, WritesNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CbcSolver().Solve(RandomKnapsacks(3, 30, 10), {});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace stowage::policies
