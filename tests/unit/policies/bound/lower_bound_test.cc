#include "policies/bound/lower_bound.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/drops.h"
#include "policies/planning/inactive_period.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"
#include "tests/unit/policies/slowed_lanes.h"

namespace stowage::policies {
namespace {

// Returns a step over persistent tensors of 1 MiB, one per kernel, read in
// `order`.
Graph Readers(int tensors, const std::vector<TensorIndex>& order, int64_t ns) {
  Graph graph;
  graph.name = "readers";
  graph.tensors.assign(tensors, {.size_bytes = kMiB, .persistent = true});
  for (const TensorIndex t : order) {
    Kernel kernel{.name = "read"};
    kernel.operands = {{.tensor = t, .read = true}};
    kernel.profile.fast_inputs_fast_outputs = {ns, DurationSource::kMeasured};
    graph.kernels.push_back(kernel);
  }
  return graph;
}

Graph WithWrites(Graph graph) {
  for (Kernel& kernel : graph.kernels) kernel.operands[0].write = true;
  return graph;
}

// Tries all the ways to take the periods of a step: which of them, and when
// each of their two copies begins and ends. A tensor that need not be copied
// out is dropped.
class Exhaustive {
 public:
  Exhaustive(const Graph& graph, const MemorySystem& system, int64_t limit)
      : graph_(graph), system_(system), limit_(limit) {}

  // Returns the time of the fastest verified plan; counts the plans in `plans`.
  int64_t BestNs() {
    workload_ = *MakeWorkload(graph_, system_, limit_);
    periods_ = FindInactivePeriods(graph_, workload_);
    Choose(0);
    return best_ns_;
  }
  int plans() const { return plans_; }

 private:
  // Copies of periods that reach across the end of the step run in either turn.
  void Choose(size_t g) {
    if (g == periods_.size()) return Judge();
    const InactivePeriod& period = periods_[g];
    if (!period.mandatory() && (period.moves_out || period.moves_in)) {
      Choose(g + 1);
    }
    const KernelIndex last_leave =
        period.moves_out ? period.to - 1 : period.from;
    for (KernelIndex leave = period.from; leave <= last_leave; ++leave) {
      for (KernelIndex left = leave;
           left <= (period.moves_out ? period.to - 1 : leave); ++left) {
        if (!period.moves_in) {
          Take(g, {period, leave, left, period.to, period.to});
          continue;
        }
        for (KernelIndex fetch = left; fetch <= period.to; ++fetch) {
          Take(g, {period, leave, left, fetch, period.to});
        }
      }
    }
  }

  void Take(size_t g, const TakenPeriod& taken) {
    taken_.push_back(taken);
    Choose(g + 1);
    taken_.pop_back();
  }

  void Judge() {
    BuildInput input{.residencies = ResidenciesWithout(graph_, taken_),
                     .streams = workload_.streams,
                     .fast_limit_bytes = limit_};
    auto plan = BuildPlan(graph_, system_, input);
    if (!plan.ok() || !VerifyPlan(graph_, system_, *plan).ok()) return;
    MakeDrops(graph_, *plan);
    ASSERT_EQ(VerifyPlan(graph_, system_, *plan), absl::OkStatus());
    ++plans_;
    best_ns_ = std::min(
        best_ns_, Simulate(graph_, system_, *plan)->prediction.step_time_ns);
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const int64_t limit_;
  Workload workload_;
  std::vector<InactivePeriod> periods_;
  std::vector<TakenPeriod> taken_;
  int64_t best_ns_ = std::numeric_limits<int64_t>::max();
  int plans_ = 0;
};

struct TinyStep {
  int tensors = 2;
  std::vector<TensorIndex> order;
  int64_t limit_bytes = kMiB;
  double least_share = 0.65;  // the bound's least share of the best
};

TEST(LowerBoundTest, NeverExceedsTheBestOfAllPlansOfTinySteps) {
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const MemorySystem slowed = WithShares("gpu-pcie", 0.35, 0.55);
  const std::vector<TinyStep> steps = {
      {2, {0, 1, 0}}, {2, {0, 1, 1}}, {2, {0, 1}},
      {2, {1, 0, 1}}, {3, {0, 1, 2}}, {3, {0, 1, 2}, 2 * kMiB, 0.25}};
  for (const TinyStep& step : steps) {
    for (const int64_t ns : {int64_t{1000}, int64_t{100'000}}) {
      const Graph readers = Readers(step.tensors, step.order, ns);
      for (const Graph& graph : {readers, WithWrites(readers)}) {
        Exhaustive all(graph, gpu, step.limit_bytes);
        const int64_t best_ns = all.BestNs();
        ASSERT_GT(all.plans(), 0);
        const int64_t bound_ns = LowerBoundNs(graph, gpu, step.limit_bytes);
        EXPECT_LE(bound_ns, best_ns);
        EXPECT_GE(bound_ns, step.least_share * best_ns);
        EXPECT_LE(LowerBoundNs(graph, slowed, step.limit_bytes),
                  Exhaustive(graph, slowed, step.limit_bytes).BestNs());
      }
    }
  }
}

TEST(LowerBoundTest, NeverExceedsAnyPolicyOnRandomGraphs) {
  std::vector<MemorySystem> systems;
  for (const char* name : {"optane", "cxl", "file", "gpu-pcie", "g10-a100"}) {
    systems.push_back(*PresetMemorySystem(name));
  }
  systems.push_back(WithShares("file", 0.35, 0.55));
  systems.push_back(WithShares("gpu-pcie", 0.9, 0.7));
  for (const MemorySystem& system : systems) {
    const std::string& name = system.name;
    for (uint64_t seed = 0; seed < 25; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t limit = FindLeastLimit(graph, system).bytes +
                            ComputeLiveness(graph).peak_bytes / 8;
      const int64_t bound_ns =
          LowerBoundNs(graph, system, limit, {.iterations = 60});
      for (const char* policy :
           {"lru", "belady", "all-slow", "annealed-search"}) {
        auto plan = (*MakePolicy(policy))
                        ->MakePlan(graph, system, {.fast_limit_bytes = limit});
        if (!plan.ok()) continue;
        EXPECT_LE(bound_ns, plan->prediction.step_time_ns)
            << name << " " << policy << " seed " << seed;
        MakeDrops(graph, *plan);
        EXPECT_LE(bound_ns,
                  Simulate(graph, system, *plan)->prediction.step_time_ns)
            << name << " " << policy << " with drops, seed " << seed;
      }
    }
  }
}

TEST(LowerBoundTest, IsTheTimeOfTheKernelsWhereEverythingFits) {
  const Graph graph = Readers(3, {0, 1, 2}, 50'000);
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const int64_t bound_ns = LowerBoundNs(graph, gpu, 64 * kMiB);
  EXPECT_LE(bound_ns, 150'000);
  EXPECT_GE(bound_ns, 149'900);
}

// Two tensors take turns in room for one: each has to come and go once a step,
// one copy after the other.
TEST(LowerBoundTest, IsTheTimeOfAllCopiesWhereTwoTensorsNeverFitTogether) {
  const Graph graph = WithWrites(Readers(2, {0, 1}, 1000));
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const int64_t copies_ns = 2 * (gpu.CopyDurationNs(1, kFastTier, kMiB) +
                                 gpu.CopyDurationNs(kFastTier, 1, kMiB));
  EXPECT_GE(LowerBoundNs(graph, gpu, kMiB), 0.9 * copies_ns);
}

// While one of three tensors leaves, another one comes; the lanes do both no
// sooner than one after the other.
TEST(LowerBoundTest, CountsCopiesThatSlowEachOther) {
  const Graph graph = WithWrites(Readers(3, {0, 1, 2}, 1000));
  const auto bound_ns = [&](double share) {
    return LowerBoundNs(graph, WithShares("gpu-pcie", share, share), 2 * kMiB);
  };
  EXPECT_GE(bound_ns(0.5), 1.8 * bound_ns(1));
  EXPECT_GE(bound_ns(0.75), 1.2 * bound_ns(1));
  EXPECT_LE(bound_ns(0.75), 1.35 * bound_ns(1));
}

// A tensor that is only read has to come once a step, and goes for free.
TEST(LowerBoundTest, ChargesNoCopyOutOfWhatNothingWrites) {
  const Graph graph = Readers(2, {0, 1}, 1000);
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const int64_t in_ns = 2 * gpu.CopyDurationNs(1, kFastTier, kMiB);
  const int64_t bound_ns = LowerBoundNs(graph, gpu, kMiB);
  EXPECT_GE(bound_ns, 0.9 * in_ns);
  EXPECT_LE(bound_ns, in_ns + 2 * 1000);
}

// Of three tensors in room for two, one has to come and go beside each kernel,
// which hides as much of its copies as it lasts.
TEST(LowerBoundTest, IsTheTimeOfTheLaneWhereKernelsAreShort) {
  const Graph graph = Readers(3, {0, 1, 2}, 1000);
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const int64_t copies_ns = gpu.CopyDurationNs(1, kFastTier, kMiB);
  EXPECT_GE(LowerBoundNs(graph, gpu, 2 * kMiB), 0.9 * copies_ns);
}

// A copy ends before the kernel that needs it and begins after the one that
// leaves it room, so kernels hide none of it however long they run.
TEST(LowerBoundTest, CopiesDoNotOverlapTheKernelsTheyAreFor) {
  const Graph graph = Readers(2, {0, 1}, 1'000'000);
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const int64_t copies_ns = 2 * gpu.CopyDurationNs(1, kFastTier, kMiB);
  EXPECT_GE(LowerBoundNs(graph, gpu, kMiB), 2'000'000 + 0.8 * copies_ns);
}

TEST(LowerBoundTest, IsTheTimeOfUsesInPlaceWhereATensorNeverFits) {
  Graph graph = Readers(2, {0, 1, 0}, 50'000);
  // The small tensors are enough to fill the room, by bytes.
  graph.tensors.resize(18, {.size_bytes = kMiB / 16, .persistent = true});
  const MemorySystem optane = *PresetMemorySystem("optane");
  const int64_t limit_bytes = kMiB - 4096;
  const auto plan =
      (*MakePolicy("all-slow"))
          ->MakePlan(graph, optane, {.fast_limit_bytes = limit_bytes});
  ASSERT_TRUE(plan.ok());
  EXPECT_GE(LowerBoundNs(graph, optane, limit_bytes),
            0.999 * plan->prediction.step_time_ns);
}

// By bytes alone, two and a half of three tensors would be in room for two and
// a half of them.
TEST(LowerBoundTest, CountsTensorsThatAreInRoomAsAWhole) {
  Graph graph = Readers(3, {0, 0, 0}, 50'000);
  // By bytes alone, room that small tensors may fill would go to parts of large
  // ones.
  graph.tensors.resize(11, {.size_bytes = kMiB / 16, .persistent = true});
  for (Kernel& kernel : graph.kernels) {
    kernel.operands = {{.tensor = 0, .read = true},
                       {.tensor = 1, .read = true},
                       {.tensor = 2, .read = true}};
  }
  const MemorySystem optane = *PresetMemorySystem("optane");
  const auto slow_ns = [&](int64_t limit_bytes) {
    return LowerBoundNs(graph, optane, limit_bytes) - 150'000;
  };
  EXPECT_GE(slow_ns(5 * kMiB / 2), 0.97 * slow_ns(2 * kMiB));
}

// A kernel's operand is larger than the limit, and kernels use nothing slow.
TEST(LowerBoundTest, IsTheTimeOfTheKernelsWhereThereIsNoPlan) {
  const Graph graph = Readers(2, {0, 1}, 50'000);
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const int64_t bound_ns = LowerBoundNs(graph, gpu, kMiB - 4096);
  EXPECT_LE(bound_ns, 100'000);
  EXPECT_GE(bound_ns, 99'900);
}

// One implementation takes no time, and sums of its zeros err.
TEST(LowerBoundTest, IsNotBelowNothing) {
  Graph graph;
  graph.name = "instant";
  graph.tensors = {
      {.size_bytes = 2555905, .birth_kernel = 0, .death_kernel = 0},
      {.size_bytes = 16385, .birth_kernel = 0, .death_kernel = 0},
      {.size_bytes = 655361, .persistent = true},
      {.size_bytes = 1114112,
       .kind = TensorKind::kWorkspace,
       .birth_kernel = 0,
       .death_kernel = 0}};
  Kernel kernel{.name = "instant", .operands = {{.tensor = 1, .write = true}}};
  kernel.profile.fast_inputs_fast_outputs = {826'902,
                                             DurationSource::kMeasured};
  KernelImplementation instant{.workspace_bytes = 1245184};
  instant.profile.fast_inputs_fast_outputs = {0, DurationSource::kMeasured};
  kernel.alternatives = {instant};
  graph.kernels = {kernel};
  EXPECT_EQ(LowerBoundNs(graph, *PresetMemorySystem("file"), kMiB), 0);
}

TEST(LowerBoundTest, FallsWithMoreFastMemory) {
  const Graph graph = TrainingStepGraph(8, 3);
  const MemorySystem file = *PresetMemorySystem("file");
  const int64_t peak = ComputeLiveness(graph).peak_bytes;
  const int64_t scarce_ns = LowerBoundNs(graph, file, peak / 5);
  const int64_t ample_ns = LowerBoundNs(graph, file, peak);
  EXPECT_GT(scarce_ns, ample_ns);
}

}  // namespace
}  // namespace stowage::policies
